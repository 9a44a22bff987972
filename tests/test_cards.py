"""Cards and their names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.cards import (
    SUIT_SYMBOLS, BadInput, card_name, colour_of, full_deck, make_card, parse_card, parse_rank, rank_of, suit_of,
)


@pytest.mark.parametrize("text, card", [
    ("AC", 0), ("AD", 1), ("AS", 2), ("AH", 3), ("2C", 4), ("TD", 37), ("KH", 51),
    ("th", 39), ("10h", 39), ("10♥", 39), ("T♡", 39), ("K♠\ufe0e", 50), ("q♦\ufe0f", 45), (" 7c ", 24), ("9♧", 32),
])
def test_names_of_cards_in_every_spelling(text: str, card: int) -> None:
    assert parse_card(text) == card


@pytest.mark.parametrize("text", [
    "", "C", "9", "1C", "0C", "11C", "TCC", "C9", "9X", "99C", "9C 8C", "♣", "𝟗C", "9Ｃ", "X\nY",
])
def test_other_texts_are_no_cards(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_card(text)
    assert str(caught.value) == (
        f"unknown card {text!r}: a card is a rank (A 2..9 T J Q K) and a suit (C D H S)")
    assert "\n" not in str(caught.value)


@given(st.integers(0, 51))
def test_names_and_parts_of_cards_come_back(card: int) -> None:
    assert parse_card(card_name(card)) == card
    assert make_card(rank_of(card), suit_of(card)) == card
    assert parse_card(card_name(card)[0] + SUIT_SYMBOLS[suit_of(card)]) == card


def test_colours_and_twins() -> None:
    for card in range(52):
        assert colour_of(card) == (card_name(card)[1] in "DH")
        twin = card ^ 2
        assert (rank_of(twin), colour_of(twin)) == (rank_of(card), colour_of(card))
        assert suit_of(twin) != suit_of(card)


@pytest.mark.parametrize("text, rank", [
    ("A", 0), ("2", 1), ("9", 8), ("T", 9), ("10", 9), ("j", 10), ("Q", 11), (" k ", 12),
])
def test_names_of_ranks(text: str, rank: int) -> None:
    assert parse_rank(text) == rank


@pytest.mark.parametrize("text", ["", "1", "0", "11", "B", "AA"])
def test_other_texts_are_no_ranks(text: str) -> None:
    with pytest.raises(BadInput, match=f"^unknown rank '{text}': ranks are A 2 3 4 5 6 7 8 9 T J Q K$"):
        parse_rank(text)


@pytest.mark.parametrize("decks, ranks", [(1, 13), (2, 13), (1, 2), (3, 5)])
def test_full_decks(decks: int, ranks: int) -> None:
    deck = full_deck(decks, ranks)
    assert deck == sorted(deck)
    assert {card: deck.count(card) for card in deck} == {card: decks for card in range(4 * ranks)}
