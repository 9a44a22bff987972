"""Dealing orders become positions as the rule page says, and positions become dealing orders again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.cards import BadInput, card_name, full_deck, parse_card
from solver.dealing import dealing_order, lay_out
from solver.position import Position, faults
from solver.rulesets import VARIANTS, Rules, rules
from solver.shuffle import shuffled_deck

ONE_DECK = [name for name, variant in VARIANTS.items() if variant.decks == 1]


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


# Dealing order of deal 42, as pinned in test_shuffle.py, cut by hand along the rule page.
DEAL_42 = Position(
    foundations=(0, 0, 1, 0),
    tableau=(cards("KS"), cards("9C"), cards("3C"), cards("5D")),
    reserve=cards("8S 4C 9D 4H 6H QS TC 6D 2D 7C 2S 3D QC"),
    waste=(),
    stock=cards("KC KH AS 6S JD QD 5S 3H JH AH 2C 8C 3S 4D 6C 4S AD "
                "KD 2H 8D JS 8H 5C TH TD 7H 9S 7D QH 5H JC AC 9H TS"),
    base=6,
)


def test_deal_42_lies_as_the_rule_page_says() -> None:
    assert lay_out(shuffled_deck(42, 1, 13), rules("canfield")) == DEAL_42


def test_a_fixed_base_rank_leaves_the_order_first() -> None:
    position = lay_out(shuffled_deck(42, 1, 13), rules("storehouse"))
    assert position.foundations == (1, 1, 1, 1)
    assert position.base == 1
    assert position.reserve == cards("8S 4C 9D 4H 6H QS TC 6D 7C 3D QC 7S KS")
    assert position.tableau == (cards("9C"), cards("3C"), cards("5D"), cards("TS"))
    assert position.stock[-4:] == cards("5H JC AC 9H")
    assert position.stock[:2] == cards("KC KH")


@pytest.mark.parametrize("decks, piles, base", [(2, 5, "dealt"), (3, 7, "dealt"), (4, 8, "dealt"), (2, 5, "A")])
def test_several_decks(decks: int, piles: int, base: str) -> None:
    variant = rules("pysolfc", decks=decks, piles=piles, base=base)
    order = shuffled_deck(17, decks, 13)
    position = lay_out(order, variant)
    assert faults(position, variant) == []
    assert sum(position.foundations) == variant.starters
    assert len(position.foundations) == 4 * decks
    again = lay_out(dealing_order(position, variant), variant)
    assert again == position


@pytest.mark.parametrize("name", ONE_DECK)
def test_one_deck_variants_share_the_order_of_cards(name: str) -> None:
    variant = rules(name)
    order = shuffled_deck(99, 1, 13)
    dealt_again = dealing_order(lay_out(order, variant), variant)
    starters = [] if variant.base == "dealt" else [card for card in order if card >> 2 == 1]
    assert [card for card in dealt_again if card not in starters] == [card for card in order if card not in starters]


@given(st.data())
def test_dealing_order_undoes_lay_out(data: st.DataObject) -> None:
    decks = data.draw(st.integers(1, 4))
    ranks = data.draw(st.integers(2, 13))
    piles = data.draw(st.integers(1, 4))
    base = data.draw(st.sampled_from(["dealt", "A", "2"]))
    room = 4 * ranks * decks - piles - (1 if base == "dealt" else 4 * decks)
    if room < 0:
        return
    variant = rules(decks=decks, ranks=ranks, piles=piles, base=base,
                    reserve=data.draw(st.integers(0, min(room, 52))))
    order = data.draw(st.permutations(full_deck(decks, ranks)))
    position = lay_out(order, variant)
    assert faults(position, variant) == []
    again = dealing_order(position, variant)
    assert lay_out(again, variant) == position
    if base == "dealt":
        assert again == order


def spoilt(place: int, card: str | None) -> list[int]:
    order = shuffled_deck(0, 1, 13)
    order[place - 1:place] = [] if card is None else [parse_card(card)]
    return order


@pytest.mark.parametrize("order, variant, message", [
    (spoilt(2, "7C"), rules(), "card 2, 7C, is there once too often"),
    (spoilt(52, "7C"), rules(), "card 52, 7C, is there once too often"),
    (spoilt(9, None), rules(), "51 cards where the deck has 52, missing 6C"),
    (shuffled_deck(0, 1, 13), rules(ranks=3, reserve=2), "card 1, 7C, does not belong to a deck of 3 ranks"),
    (shuffled_deck(0, 1, 13), rules("pysolfc", decks=2), "52 cards where the deck has 104, missing " +
     " ".join(map(card_name, full_deck(1, 13)))),
])
def test_orders_that_are_no_deck_are_bad_input(order: list[int], variant: Rules, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        lay_out(order, variant)
    assert str(caught.value) == message


@pytest.mark.parametrize("changes, message", [
    ({"waste": cards("TS"), "stock": DEAL_42.stock[:-1]}, "cards lie on the waste"),
    ({"foundations": (0, 0, 2, 0)}, "2 cards on the foundations, not 1"),
    ({"foundations": (0, 0, 0, 0)}, "0 cards on the foundations, not 1"),
    ({"tableau": (cards("KS"), (), cards("3C"), cards("5D"))}, "tableau 2 holds 0 cards, not one"),
    ({"reserve": DEAL_42.reserve[1:]}, "the reserve holds 12 cards, not 13"),
    ({"stock": DEAL_42.stock[1:]}, "the stock holds 33 cards, not 34"),
    ({"pass_number": 2}, "pass 2 through the stock"),
])
def test_a_game_in_progress_has_no_dealing_order(changes: dict, message: str) -> None:
    fields = {name: getattr(DEAL_42, name) for name in Position.__slots__}
    with pytest.raises(BadInput) as caught:
        dealing_order(Position(**(fields | changes)), rules())
    assert str(caught.value) == f"a game in progress has no dealing order: {message}"
