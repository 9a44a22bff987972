"""The packed state: round trips, the worked key of its diagram, and pile words against plain lists of cards."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playouts import random_positions, small_positions

from solver import packed
from solver.bits import I, U
from solver.cards import BadInput, full_deck, parse_card, rank_of
from solver.dealing import lay_out
from solver.packed import (CAPACITY, FIRST_PILE, FIRST_STOCK, SUIT_BITS, WIDTH, card_code, card_under, cards_up,
                           code_card, join_unit, next_up, pack_game, pack_position, pile_length, pile_top,
                           remove_unit, single_card_pile, stock_size, unpack_state)
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules

BUILDS = {"alternate": 1, "any": 2, "suit": 0}  # with the bits a card takes in a pile word


def round_trip(position: Position, rule_set: Rules) -> Position:
    game, state = pack_game(position, rule_set)
    return unpack_state(state, game, position.base)


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([1, 2, 3]), st.sampled_from(list(BUILDS)),
       st.sampled_from(["dealt", "A", "7"]))
def test_deals_come_back_as_they_were(rng, decks: int, build: str, base: str) -> None:
    rule_set = rules(decks=decks, build=build, base=base, piles=rng.randint(1, 12), reserve=rng.randint(0, 30))
    order = full_deck(decks, 13)
    rng.shuffle(order)
    position = lay_out(order, rule_set)
    turned = rng.randint(0, len(position.stock))
    position = replace(position, stock=position.stock[:len(position.stock) - turned],
                       waste=position.stock[len(position.stock) - turned:][::-1], pass_number=rng.randint(1, 255))
    assert round_trip(position, rule_set) == position


@pytest.mark.parametrize("name", VARIANTS)
def test_positions_of_random_games_come_back_as_they_were(name: str) -> None:
    for position in random_positions(VARIANTS[name], range(6), share=0.3):
        assert round_trip(position, VARIANTS[name]) == position


@pytest.mark.parametrize("decks", [1, 2, 3])
def test_positions_of_small_decks_come_back_as_they_were(decks: int) -> None:
    for position, rule_set in small_positions(range(40), decks=decks):
        assert round_trip(position, rule_set) == position


def test_a_played_stock_card_leaves_the_others_in_order() -> None:
    """Words of the same game: a state whose stock set has lost a card is the position without that card."""
    rule_set = rules("canfield")
    start = next(random_positions(rule_set, range(1)))
    game, state = pack_game(start, rule_set)
    for index in (0, 5, 33):
        state[FIRST_STOCK] &= ~(U(1) << U(index))
        left = list(unpack_state(state, game, start.base).stock[::-1])
        assert int(stock_size(state, game.spec)) == len(left)
    assert left == [card for index, card in enumerate(start.stock[::-1]) if index not in (0, 5, 33)]


# The diagram.


def test_the_worked_key_of_the_diagram() -> None:
    """The docstring's own example, read from there: canfield, base J, pile KH QS."""
    rule_set = rules("canfield")
    position = Position((0,) * 4, (tuple(map(parse_card, ("KH", "QS"))), (), (), ()), (), (), (), parse_card("JC") >> 2)
    game, state = pack_game(position, rule_set)
    word = int(state[int(game.spec[FIRST_PILE])])
    written = re.search(r"Word = (0b\d+) << 13 \| (\d+) << 6 \| (\d+) = (\d+)\.", packed.__doc__)
    suits, length, code = int(written[1], 2), int(written[2]), int(written[3])
    assert word == int(written[4]) == suits << 13 | length << 6 | code
    assert code == card_code(parse_card("QS"), position.base, 13)


def test_the_words_of_the_diagram() -> None:
    """Foundations and counters field by field, with two decks: higher foundations of a suit lie lower."""
    rule_set = rules("rule-book", decks=2, piles=3, passes=9)
    position = Position((13, 2, 0, 0, 5, 5, 1, 0), ((), (), (4,)), (8, 9, 10), (1, 2), (3,), 0, 7)
    game, state = pack_game(position, rule_set)
    assert int(state[0]) == 13 | 2 << 4 | 0 << 16 | 5 << 32 | 5 << 36 | 1 << 48
    assert int(state[1]) == 3 | 2 << 8 | 7 << 16
    assert int(state[FIRST_STOCK]) == 0b111
    assert [int(word) for word in state[int(game.spec[FIRST_PILE]):]][:2] == [0, 0]
    assert list(game.stock) == [1, 2, 3] and list(game.reserve) == [8, 9, 10]
    assert len(state) == int(game.spec[WIDTH])


def test_stocks_over_64_cards_take_more_words() -> None:
    rule_set = rules("rule-book", decks=3, piles=7, reserve=0)
    start = lay_out(full_deck(3, 13), rule_set)
    game, state = pack_game(start, rule_set)
    assert int(game.spec[FIRST_PILE]) - FIRST_STOCK == 3
    assert int(stock_size(state, game.spec)) == rule_set.stock == 148
    assert int(state[FIRST_STOCK + 2]) == (1 << 148 - 128) - 1


@pytest.mark.parametrize("base", [0, 4, 12])
def test_codes_count_ranks_from_the_base(base: int) -> None:
    for card in range(52):
        code = card_code(card, base, 13)
        assert code_card(code, base, 13) == card
        assert code & 3 == card & 3
        assert (code >> 2 == 0) == (rank_of(card) == base)


def test_carrying_masks_are_those_of_the_rules() -> None:
    for rule_set in (rules(), rules("solvitaire"), rules("storehouse"), rules("rainbow", cover_base=False),
                     rules("canfield", ranks=5, reserve=3)):
        base = 2 if rule_set.base == "dealt" else 1
        game, _ = pack_game(Position((0,) * 4, ((),) * rule_set.piles, (), (), (), base), rule_set)
        for host in range(4 * rule_set.ranks):
            for card in range(4 * rule_set.ranks):
                codes = card_code(host, base, rule_set.ranks), card_code(card, base, rule_set.ranks)
                assert int(game.carries[codes[0]]) >> codes[1] & 1 == rule_set.carries(host, card, base)


# Pile words against lists of codes.


@st.composite
def runs(draw, build: str, longest: int) -> list[int]:
    """Codes of a pile, bottom first, going down by one rank, in suits that ``build`` allows."""
    rank, suit = draw(st.integers(0, 12)), draw(st.integers(0, 3))
    codes = [4 * rank + suit]
    for _ in range(draw(st.integers(0, longest - 1))):
        rank = (rank - 1) % 13
        suit = {"suit": suit, "any": draw(st.integers(0, 3)),
                "alternate": 1 - (suit & 1) + 2 * draw(st.integers(0, 1))}[build]
        codes.append(4 * rank + suit)
    return codes


def spec_for(build: str) -> np.ndarray:
    game, _ = pack_game(Position((0,) * 16, ((),) * 4, (), (), (), 0), rules(build=build, decks=4))
    assert int(game.spec[SUIT_BITS]) == BUILDS[build]
    return game.spec


def pile_word(codes: list[int], build: str) -> np.uint64:
    """The word of a pile with base A, where a code is the card."""
    rule_set = rules(build=build, decks=4, piles=1)
    game, _ = pack_game(Position((0,) * 16, ((),), (), (), (), 0), rule_set)
    return pack_position(Position((0,) * 16, (tuple(codes),), (), (), (), 0), game)[-1]


def cards_of(word: np.uint64, spec: np.ndarray) -> list[int]:
    """The codes of a pile word, bottom first, as the kernels read them."""
    return [int(card_under(word, I(depth), spec)) for depth in range(int(pile_length(word)))][::-1]


@pytest.mark.parametrize("build", BUILDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_pile_words_against_lists(build: str, data) -> None:
    spec = spec_for(build)
    codes = data.draw(runs(build, 25))
    word = pile_word(codes, build)
    assert cards_of(word, spec) == codes
    assert int(pile_top(word)) == codes[-1]
    count = data.draw(st.integers(1, len(codes)))
    assert cards_of(remove_unit(word, I(count), spec), spec) == codes[:-count]
    assert int(remove_unit(word, I(len(codes)), spec)) == 0
    host, unit = codes[:-count], codes[-count:]
    if host:  # the unit that was taken off goes back onto what it lay on, from a pile of its own or from the whole
        for source in (word, pile_word(unit, build)):
            assert join_unit(pile_word(host, build), source, I(count), spec) == word
    assert join_unit(U(0), word, I(count), spec) == pile_word(unit, build)


@pytest.mark.parametrize("build", BUILDS)
def test_single_card_piles(build: str) -> None:
    spec = spec_for(build)
    for code in range(52):
        assert single_card_pile(I(code), spec) == pile_word([code], build)


@pytest.mark.parametrize("build", BUILDS)
def test_the_longest_pile_fits_and_one_more_does_not(build: str) -> None:
    capacity = int(spec_for(build)[CAPACITY])
    suits = {"alternate": (0, 1), "any": (3, 2), "suit": (3, 3)}[build]
    codes = [4 * (-place % 13) + suits[place % 2] for place in range(capacity + 1)]
    assert cards_of(pile_word(codes[:-1], build), spec_for(build)) == codes[:-1]
    with pytest.raises(BadInput, match=f"^tableau 1 has {capacity + 1} cards; the search can write down {capacity}$"):
        pile_word(codes, build)


# Foundations.


@given(st.integers(1, 4), st.data())
@settings(max_examples=100, deadline=None)
def test_next_cards_and_cards_up_against_heights(decks: int, data) -> None:
    ranks = data.draw(st.integers(2, 13))
    heights = [sorted(data.draw(st.lists(st.integers(0, ranks), min_size=decks, max_size=decks)), reverse=True)
               for _ in range(4)]
    rule_set = rules(decks=decks, ranks=ranks, piles=1, reserve=0)
    flat = tuple(height for suit in heights for height in suit)
    game, state = pack_game(Position(flat, ((),), (), (), (), 0), rule_set)
    wanted = {4 * height + suit for suit in range(4) for height in heights[suit] if height < ranks}
    assert {code for code in range(64) if int(next_up(state[0], game.spec)) >> code & 1} == wanted
    assert int(cards_up(state[0])) == sum(flat)
