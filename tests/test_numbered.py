"""Numbered deals of PySolFC and Solvitaire against published deals."""

from pathlib import Path

import pytest

from solver.cards import BadInput, card_name, full_deck, parse_card
from solver.dealing import lay_out
from solver.numbered import numbered_order
from solver.position import Position, faults
from solver.rulesets import Rules, rules

CANFIELD = rules("pysolfc")
# Games of PySolFC that are no variants here, as far as their deals go.
ACME = rules("storehouse", base="A")
EAGLE_WING = rules("pysolfc", piles=8)
DOUBLE = rules("pysolfc-double")

# Published deals: base card, reserve bottom to top, rows left to right, waste bottom to top, talon next card first
# (of some deals only its first cards are known).
PYSOLFC_DEALS = {
    "canfield 1": (CANFIELD, "1", "JD", "2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC", "KS 2S 3H KH", "9D QD JS",
                   "AS AH 3C 4C 5C TS QH 4H AC 4D 7S 3S TD 4S TH 8H 2C JH 7D 6D 8S 8D QS 6C 3D 8C TC 6S 9C 2H 6H"),
    "canfield 31999": (CANFIELD, "31999", "JD", "JH AD QH KH 6S 6D JC AC TH AS 8H 9D 2H", "7H AH 6H 8D", "7C 5D 7S",
                       "6C QC JS 9C 3D 5C 4C 2S 8S 3C 7D 5H 8C 4H TD TS 3H 4S KC TC 4D 9S 2C KD 9H KS 5S QS 2D QD 3S"),
    "canfield 32000": (CANFIELD, "32000", "7S", "4D JS 8D 6D 3H 3D TH JC 3C 2C 5S 9D AC", "6S 4H 2S 9C", "8S 9S TS",
                       "9H KD QD 6H 7D 5H QS AD QH TC 4C AH JD 4S JH TD 3S 7H 8C 6C 2H 2D 5D KS QC KH 5C 7C 8H KC AS"),
    "canfield ms32000": (
        CANFIELD, "ms32000", "QD", "8D QS 4H 2C JC 2D TH 3S JD 7C 9D KD 5C", "9H 8C 6D 5D", "5S 4C 5H",
        "AC KS 7H JH 7D 6S 9C 3C 9S TD QH 3D 7S 2H AD AS JS KH 8S 6H 8H TS 6C 4D QC KC 4S TC 2S 3H AH"),
    "canfield of twenty digits": (
        CANFIELD, "12345678901234567890", "AH", "9D 7H 3D 4S JC 9S 6C 8C 3C 7S AC KD 6S", "7D 5C TD 6H", "AS KS QH",
        "KH 4H JS TS QD 9H 3S 5D 4D 6D QC TC JD 4C 5S 5H 2D 2H AD 7C 8S 8H JH 8D 3H 2S KC 2C 9C QS TH"),
    "storehouse 1": (rules("storehouse"), "1", None, "JD 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC", "9D KS 3H KH", "QD",
                     "JS AS AH"),
    "acme 1": (ACME, "1", None, "JD 2D 9H JC 5D 7H 7C 5H KD KC 9S 5S QC", "KS 2S 3H KH", "9D", "QD JS 3C"),
    "chameleon 1": (rules("chameleon"), "1", "JD", "2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD", "3H KH QC", "2S",
                    "KS 9D QD"),
    "eagle wing 1": (EAGLE_WING, "1", "JD", "2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC", "AS JS QD 9D KS 2S 3H KH", "AH",
                     "3C 4C 5C"),
    "double 1": (DOUBLE, "1", "3D", "5H JC KH 5S 5H KC KC 8D JD AS 8C 6C 6H", "QC JS 4C 8D TC", "4H KD 2H", ""),
}


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def deal(dealer: str, number: str, variant: Rules) -> Position:
    return lay_out(numbered_order(dealer, number, variant), variant)


@pytest.mark.parametrize("name", PYSOLFC_DEALS)
def test_published_deals_of_pysolfc(name: str) -> None:
    variant, number, base, reserve, rows, waste, talon = PYSOLFC_DEALS[name]
    position = deal("pysolfc", number, variant)
    assert faults(position, variant) == []
    starters = {card for pile in position.foundation_cards(variant) for card in pile}
    assert starters == (set(cards(base)) if base else {card for card in range(52) if card >> 2 == position.base})
    assert position.reserve == cards(reserve)
    assert position.tableau == tuple((card,) for card in cards(rows))
    turned = cards(waste) + cards(talon)
    assert position.stock[::-1][:len(turned)] == turned


@pytest.mark.parametrize("variant", ["rainbow", "rainfall", "casino", "pysolfc-superior", "canfield", "solvitaire"])
def test_games_of_one_layout_share_their_deals(variant: str) -> None:
    assert deal("pysolfc", "32000", rules(variant)) == deal("pysolfc", "32000", CANFIELD)


@pytest.mark.parametrize("written", [" 32000", "#32000", "32,000", "32_000", "3 2-0.0,0", "0032000"])
def test_pysolfc_drops_marks_from_numbers(written: str) -> None:
    assert deal("pysolfc", written, CANFIELD) == deal("pysolfc", "32000", CANFIELD)


def test_small_pysolfc_numbers_are_microsoft_numbers() -> None:
    assert deal("pysolfc", "31999", CANFIELD) == deal("pysolfc", "ms31999", CANFIELD)
    assert deal("pysolfc", "32000", CANFIELD) != deal("pysolfc", "ms32000", CANFIELD)


def microsoft_picks_by_hand(start: int, plus_one: bool, high_bit: bool) -> list[int]:
    """The shuffle of one deck restated straight from the recipe's ranges beyond 31 bits."""
    deck = [4 * rank + suit for rank in range(13) for suit in (0, 1, 3, 2)]
    x = start
    for n in range(51, 0, -1):
        x = x * 214013 + 2531011
        v = (x >> 16) & 0xFFFF
        v = v + 1 if plus_one else v | 0x8000 if high_bit else v & 0x7FFF
        j = v % (n + 1)
        deck[n], deck[j] = deck[j], deck[n]
    return deck


@pytest.mark.parametrize("number, start, plus_one, high_bit", [
    (2**31 - 1, 2**31 - 1, False, False), (2**31, 2**31, False, True), (2**32 - 1, 2**32 - 1, False, True),
    (2**32, 0, True, False), (2**33 - 1, 2**32 - 1, True, False),
])
def test_large_microsoft_numbers(number: int, start: int, plus_one: bool, high_bit: bool) -> None:
    deck = microsoft_picks_by_hand(start, plus_one, high_bit)[::-1]
    position = deal("pysolfc", f"ms{number}", CANFIELD)
    assert position.foundation_cards(CANFIELD)[deck[0] & 3] == [deck[0]]
    assert list(position.reserve) == deck[1:14]
    assert [pile[0] for pile in position.tableau] == deck[14:18][::-1]
    assert list(position.stock[::-1]) == deck[18:]


@pytest.mark.parametrize("number, message", [
    ("0", "PySolFC has no deal 0: numbers start at 1, and ms numbers end at 8589934591"),
    ("ms0", "PySolFC has no deal ms0: numbers start at 1, and ms numbers end at 8589934591"),
    ("ms8589934592", "PySolFC has no deal ms8589934592: numbers start at 1, and ms numbers end at 8589934591"),
    ("", "PySolFC number '' is not a whole number: ''"),
    ("MS5", "PySolFC number 'MS5' is not a whole number: 'MS5'"),
    ("12x", "PySolFC number '12x' is not a whole number: '12x'"),
    ("9" * 5000, f"PySolFC number {'9' * 40!r} is not a whole number: {'9' * 40!r}"),
])
def test_numbers_pysolfc_does_not_have(number: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        numbered_order("pysolfc", number, CANFIELD)
    assert str(caught.value) == message


def test_pysolfc_has_no_small_decks() -> None:
    with pytest.raises(BadInput, match="13 ranks, not of 5"):
        numbered_order("pysolfc", "1", rules("pysolfc", ranks=5, reserve=3))


def test_all_hundred_deals_of_solvitaire() -> None:
    text = (Path(__file__).parent / "data" / "deals-100.txt").read_text()
    published = dict(line.split(": ") for line in text.splitlines() if not line.startswith("#"))
    assert len(published) == 100
    for number, line in published.items():
        assert " ".join(map(card_name, numbered_order("solvitaire", number, rules("solvitaire")))) == line


@pytest.mark.parametrize("variant", [
    rules("storehouse"), rules("chameleon"), rules("pysolfc", ranks=4, reserve=3, piles=3), DOUBLE,
])
def test_solvitaire_deals_of_other_layouts_hold_the_whole_deck(variant: Rules) -> None:
    order = numbered_order("solvitaire", "10581", variant)
    assert sorted(order) == full_deck(variant.decks, variant.ranks)
    assert faults(lay_out(order, variant), variant) == []


@pytest.mark.parametrize("number", ["-1", "1.5", "", str(2**31)])
def test_numbers_solvitaire_does_not_have(number: str) -> None:
    with pytest.raises(BadInput, match="Solvitaire"):
        numbered_order("solvitaire", number, rules("solvitaire"))


def test_unknown_dealers_and_too_many_decks() -> None:
    with pytest.raises(BadInput, match="unknown dealer 'freecell': one of pysolfc, solvitaire"):
        numbered_order("freecell", "1", CANFIELD)
    with pytest.raises(BadInput, match="one or two decks, not 3"):
        numbered_order("solvitaire", "1", rules("pysolfc", decks=3))
