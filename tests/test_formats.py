"""Every written form reads back as the same position, and what is wrong is named."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cards import BadInput, card_name, full_deck, make_card, parse_card
from solver.dealing import lay_out
from solver.formats import fill_spaces, read_document, read_line, write_document, write_line, write_solvitaire
from solver.position import Position, faults
from solver.rulesets import Rules, rules
from solver.shuffle import shuffled_deck

PUBLIC = Path(__file__).parents[2] / "shared" / "cases" / "public"


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def position_in_play(seed: int, variant: Rules) -> Position:
    """A sound position with cards in all places; not every one can come up in play, but all can be written down."""
    choice = random.Random(seed)
    base = 1 if variant.base == "2" else choice.randrange(variant.ranks)
    foundations = ()
    for _ in range(4):
        foundations += tuple(sorted((choice.randint(0, variant.ranks) for _ in range(variant.decks)), reverse=True))
    foundations = (max(1, foundations[0]), *foundations[1:])
    bare = Position(foundations, ((),) * variant.piles, (), (), (), base)
    left = full_deck(variant.decks, variant.ranks)
    for pile in bare.foundation_cards(variant):
        for card in pile:
            left.remove(card)
    choice.shuffle(left)
    tableau = []
    for _ in range(variant.piles):
        pile = [left.pop()] if left else []
        while pile and choice.random() < 0.8:
            fitting = [card for card in left if variant.carries(pile[-1], card, base)]
            if not fitting:
                break
            pile.append(fitting[0])
            left.remove(fitting[0])
        tableau.append(tuple(pile))
    reserve = choice.randint(max(0, len(left) - variant.stock), min(variant.reserve, len(left)))
    talon = left[reserve:]
    turned = choice.randint(0, len(talon))
    pass_number = choice.randint(1, variant.passes or 1)
    return Position(foundations, tuple(tableau), tuple(left[:reserve]), tuple(talon[:turned]), tuple(talon[turned:]),
                    base, pass_number)


IN_PLAY = [
    rules("canfield"), rules("storehouse"), rules("superior", draw=1, passes=4), rules("pysolfc", decks=2, piles=5),
    rules("pysolfc", ranks=5, reserve=4, piles=3),
]


@given(st.integers(0, 10**6), st.sampled_from(IN_PLAY))
def test_positions_in_play_round_trip_through_the_position_form(seed: int, variant: Rules) -> None:
    position = position_in_play(seed, variant)
    assert faults(position, variant) == []
    document = json.loads(json.dumps(write_document(position, variant)))
    assert read_document(document, variant) == position
    random.Random(seed).shuffle(document["foundations"])
    assert read_document(document, variant) == position
    del document["base"]
    assert read_document(document, variant) == position


@given(st.integers(0, 10**6), st.sampled_from(IN_PLAY))
def test_positions_in_play_round_trip_through_solvitaires_form(seed: int, variant: Rules) -> None:
    position = replace(position_in_play(seed, variant), pass_number=1)
    document = json.loads(json.dumps(write_solvitaire(position, variant)))
    assert read_document(document, variant) == position
    document["reserve"] = document["reserve"][0]
    if variant.decks == 1:
        document["foundations"] = sum(document["foundations"], [])
    assert read_document(document, variant) == position


SPELLINGS = [
    str.lower,
    lambda line: line.replace("T", "10"),
    lambda line: line.replace("C", "♣").replace("D", "♢").replace("S", "♠\ufe0f").replace("H", "♥"),
    lambda line: f"  deal of the day:   {line.replace(' ', '   ')}   # not an easy one",
]


@given(st.integers(0, 2**64 - 1), st.sampled_from(["canfield", "chameleon", "storehouse"]))
@settings(max_examples=50)
def test_deals_round_trip_through_the_line_form(seed: int, name: str) -> None:
    variant = rules(name)
    position = lay_out(shuffled_deck(seed, 1, 13), variant)
    line = write_line(position, variant)
    assert read_line(line, variant) == position
    assert write_line(position, variant, "x y") == f"x y: {line}"
    for spell in SPELLINGS:
        assert read_line(spell(line), variant) == position


START = lay_out(shuffled_deck(42, 1, 13), rules())
START_LINE = " ".join(map(card_name, shuffled_deck(42, 1, 13)))


def spoilt_line(place: int, word: str) -> str:
    words = START_LINE.split()
    words[place - 1:place] = word.split()
    return " ".join(words)


@pytest.mark.parametrize("line, message", [
    (spoilt_line(30, "8S"), "card 30, 8S, is there once too often"),
    (spoilt_line(30, ""), f"51 cards where the deck has 52, missing {START_LINE.split()[29]}"),
    (spoilt_line(52, "KC KC"), "card 53, KC, is there once too often"),
    (spoilt_line(7, "1C"), "unknown card '1C': a card is a rank (A 2..9 T J Q K) and a suit (C D H S)"),
    ("", f"0 cards where the deck has 52, missing {' '.join(map(card_name, full_deck(1, 13)))}"),
])
def test_bad_lines(line: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_line(line, rules())
    assert str(caught.value) == message


def test_a_game_in_progress_has_no_line() -> None:
    position = position_in_play(1, rules())
    with pytest.raises(BadInput, match="^a game in progress has no dealing order: "):
        write_line(position, rules())


def test_the_position_form_as_the_rule_page_writes_it() -> None:
    small = rules(ranks=3, piles=3, reserve=2)
    document = {"foundations": ["2c", "", "3D", ""], "tableau": [["3C", "2H"], ["A♠"], ["AD"]], "reserve": ["3S"],
                "waste": ["AH"], "stock": ["2S", "3H", "AC"], "base": "2", "pass": 5}
    assert read_document(document, small) == Position(
        foundations=(1, 2, 0, 0), tableau=(cards("3C 2H"), cards("AS"), cards("AD")), reserve=cards("3S"),
        waste=cards("AH"), stock=cards("2S 3H AC"), base=1, pass_number=1)


SMALL = rules(ranks=3, piles=3, reserve=2)
# Deck of aces, twos and threes; the clubs are up.
SMALL_DOCUMENT = {"foundations": ["AC", "", "", ""], "tableau": [[], ["3D", "2S"], []], "reserve": ["AS", "AD"],
                  "waste": ["2H"], "stock": ["2D", "3S", "3H", "AH"], "base": "2", "pass": 1}


def test_spaces_beside_a_reserve_are_filled_at_once_from_the_left() -> None:
    position = read_document(SMALL_DOCUMENT, SMALL)
    assert position.tableau == (cards("AD"), cards("3D 2S"), cards("AS"))
    assert position.reserve == ()
    one_card = SMALL_DOCUMENT | {"reserve": ["AD"], "waste": ["2H", "AS"]}
    assert read_document(one_card, SMALL).tableau == (cards("AD"), cards("3D 2S"), ())


def test_spaces_stay_open_where_filling_is_free() -> None:
    free = replace(SMALL, fill="free")
    position = read_document(SMALL_DOCUMENT, free)
    assert position.tableau == ((), cards("3D 2S"), ())
    assert position.reserve == cards("AS AD")
    assert fill_spaces(position, SMALL) == read_document(SMALL_DOCUMENT, SMALL)


def test_bare_foundations_need_a_base() -> None:
    bare = {"tableau": [["3C", "2H", "AC"], ["2D", "AS"], ["3D", "2S"]], "waste": ["AH", "3S"],
            "stock": ["AD", "3H", "2C"]}
    with pytest.raises(BadInput, match="^the base rank cannot be told without a card on the foundations"):
        read_document(bare, SMALL)
    assert read_document(bare | {"base": "a"}, SMALL).base == 0


def test_a_fixed_base_need_not_be_written() -> None:
    storehouse = rules("storehouse")
    document = write_document(lay_out(shuffled_deck(42, 1, 13), storehouse), storehouse)
    del document["base"]
    assert read_document(document, storehouse).base == 1
    with pytest.raises(BadInput, match="^base J where the rule set has 2$"):
        read_document(document | {"base": "J"}, storehouse)


@pytest.mark.parametrize("passes, written, read", [(None, 7, 1), (3, 3, 3), (3, 1, 1)])
def test_passes_are_kept_where_they_are_counted(passes: int | None, written: int, read: int) -> None:
    counted = replace(SMALL, passes=passes)
    assert read_document(SMALL_DOCUMENT | {"pass": written}, counted).pass_number == read


def test_ranks_of_solvitaire_may_be_numbers() -> None:
    document = write_solvitaire(START, rules())
    numbers = json.loads(json.dumps(document).replace('"A', '"1').replace('"J', '"11').replace('"Q', '"12')
                         .replace('"K', '"13'))
    assert numbers != document
    assert read_document(numbers, rules()) == START


def test_the_next_card_of_solvitaires_stock_is_its_last() -> None:
    mini = {"foundations": ["2C"], "tableau piles": [["3D"], ["3H"], ["3S"]], "reserve": [["AC", "2S", "3C"]],
            "stock": ["AH", "2H", "AD", "AS", "2D"]}
    position = read_document(mini, rules("solvitaire-strict", ranks=3, piles=3, reserve=3))
    assert position.stock[-1] == parse_card("2D")
    assert position.reserve[-1] == parse_card("3C")
    assert position.foundations == (1, 0, 0, 0)
    assert position.base == 1


BAD_DOCUMENTS = [
    ({"waste": ["2H", "2H"]}, "2H occurs twice, once in the deck"),
    ({"waste": []}, "2H is missing"),
    ({"waste": ["2H", "TC"]}, "TC does not belong to a deck of 3 ranks"),
    ({"waste": ["2H", "1H"]}, "waste: unknown card '1H': a card is a rank (A 2..9 T J Q K) and a suit (C D H S)"),
    ({"waste": ["2H", 5]}, "waste must be a list of cards, but holds 5"),
    ({"waste": "2H"}, "waste must be a list of cards, not '2H'"),
    ({"tableau": [[], ["3D", "2H"], []], "waste": ["2S"]}, "tableau 2: 2H may not lie on 3D"),
    ({"tableau": [[], ["3D", "2X"], []]},
     "tableau 2: unknown card '2X': a card is a rank (A 2..9 T J Q K) and a suit (C D H S)"),
    ({"tableau": [["3D", "2S"], []]}, "2 piles where the rule set has 3"),
    ({"tableau": None}, "a position needs a tableau, a list of piles"),
    ({"tableau": [[], "3D 2S", []]}, "tableau 2 must be a list of cards, not '3D 2S'"),
    ({"reserve": ["AS", "AD", "2H"], "waste": []}, "a reserve of 3 cards where the rule set deals 2"),
    ({"reserve": [], "waste": ["2H", "AS", "AD"]}, "7 cards on stock and waste where the rule set deals 6"),
    ({"foundations": ["AC", "3C"]}, "2 foundations of suit C where the rule set has 1"),
    ({"foundations": ["KC"]}, "foundations: KC does not belong to a deck of 3 ranks"),
    ({"foundations": ["3C"]}, "AC is missing"),
    ({"foundations": ["5"]},
     "foundations: unknown card '5': a card is a rank (A 2..9 T J Q K) and a suit (C D H S)"),
    ({"pass": 4}, "pass 4 where the rule set allows 3"),
    ({"pass": 0}, "pass must be a whole number from 1, not 0"),
    ({"pass": "two"}, "pass must be a whole number from 1, not 'two'"),
    ({"pass": True}, "pass must be a whole number from 1, not True"),
    ({"base": "Z"}, "unknown rank 'Z': ranks are A 2 3 4 5 6 7 8 9 T J Q K"),
    ({"base": 2}, "base must be a rank letter, not 2"),
    ({"base": "K"}, "base rank 12 is not one of the 3 ranks"),
    ({"talon": []}, "unknown field 'talon' of a position: one of "
                    "foundations, tableau, reserve, waste, stock, base, pass"),
    ({"tableau piles": []}, "unknown field 'tableau' of a Solvitaire position: one of "
                            "foundations, tableau piles, reserve, waste, stock"),
]


@pytest.mark.parametrize("changes, message", BAD_DOCUMENTS)
def test_bad_documents(changes: dict, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_document(SMALL_DOCUMENT | changes, replace(SMALL, passes=3))
    assert str(caught.value) == message


@pytest.mark.parametrize("changes, message", [
    ({"foundations": [["2C", "AC"]]}, "foundations: AC may not lie on 2C"),
    ({"foundations": ["2C", "2C"]}, "foundations: 2C may not lie on 2C"),
    ({"tableau piles": {}}, "tableau piles must be a list of piles"),
    ({"reserve": [["AS"], "AD"]}, "reserve must be a list of cards, but holds ['AS']"),
])
def test_bad_solvitaire_documents(changes: dict, message: str) -> None:
    document = write_solvitaire(read_document(SMALL_DOCUMENT, replace(SMALL, fill="free")), SMALL)
    with pytest.raises(BadInput) as caught:
        read_document(document | changes, SMALL)
    assert str(caught.value) == message


@pytest.mark.parametrize("document", [None, [], "2C", 5])
def test_documents_are_objects(document: object) -> None:
    with pytest.raises(BadInput, match="^a position in JSON is an object with the fields foundations, "):
        read_document(document, rules())


@pytest.mark.skipif(not PUBLIC.exists(), reason="the shared cases are not here")
def test_published_deals_are_sound() -> None:
    sample = json.loads((PUBLIC / "wolter_sample100.json").read_text())["deals"]
    assert len(sample) == 100
    for published in sample:
        document = {
            "foundations": [published["foundation"]],
            "tableau": [[card] for card in published["tableau"]],
            "reserve": published["reserve_bottom_to_top"],
            "stock": published["stock_deal_order"][::-1],
        }
        position = read_document(document, rules("solvitaire"))
        assert card_name(make_card(position.base, position.foundations.index(1))) == published["foundation"]
        assert read_line(write_line(position, rules()), rules()) == position
