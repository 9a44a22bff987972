"""Equal cards of several decks: whatever copy lies where, a position is one position, packed and in the table."""

import random
from collections import defaultdict

import numpy as np
import pytest
from playouts import play_out
from smalldecks import random_case

from solver.dealing import lay_out
from solver.moves import MOST_MOVES, apply_move, generate_moves, is_won
from solver.packed import FIRST_PILE, FIRST_STOCK, STOCK_CARDS, Game, pack_game, unpack_state
from solver.position import Position
from solver.rulesets import rules
from solver.sources import deal
from solver.table import position_key

# Words wrap round, in kernels silently; interpreted, numpy warns of it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def stock_set(state: np.ndarray, game: Game) -> list[int]:
    """Indices of the cards that are left on stock and waste."""
    return [index for index in range(int(game.spec[STOCK_CARDS]))
            if int(state[FIRST_STOCK + index // 64]) >> index % 64 & 1]


def furthest_forward(cards: list[int], stock: list[int]) -> list[int]:
    """Where a row of cards first stands in the stock list, card after card."""
    places, start = [], 0
    for card in cards:
        start = stock.index(card, start) + 1
        places.append(start - 1)
    return places


def random_states(game: Game, root: np.ndarray, games: int) -> list[np.ndarray]:
    """States of random games, mostly of plays from the waste."""
    rng, states = random.Random(games), []
    moves, tops = np.zeros(MOST_MOVES, np.uint64), np.zeros(256, np.uint64)
    for _ in range(games):
        state = root.copy()
        while not is_won(state, game.spec):
            count = int(generate_moves(state, game, moves, tops))
            if not count:
                break
            child = np.zeros_like(state)
            apply_move(state, moves[rng.randrange(count)], game, child)
            states.append(child)
            state = child
            if rng.random() < 0.02:
                break
    return states


@pytest.mark.parametrize("decks", [2, 3])
def test_a_stock_set_stands_as_far_forward_as_it_can(decks: int) -> None:
    moved = 0
    for seed in range(60):
        position, rule_set = random_case(seed, decks=decks, build="any", passes=None, foundation_return=False)
        game, root = pack_game(position, rule_set)
        for state in random_states(game, root, 6):
            left = stock_set(state, game)
            stock = game.stock.tolist()
            assert left == furthest_forward([stock[index] for index in left], stock)
        moved += len(set(game.stock.tolist())) < len(game.stock)
    assert moved > 30


@pytest.mark.parametrize("name", ["double", "quadruple"])
def test_the_same_in_stocks_of_several_words(name: str) -> None:
    rule_set = rules(name, build="any", draw=1)
    for seed in range(4):
        game, root = pack_game(deal(seed, rule_set), rule_set)
        for state in random_states(game, root, 8):
            left, stock = stock_set(state, game), game.stock.tolist()
            assert left == furthest_forward([stock[index] for index in left], stock)


def plain_key(position: Position) -> Position:
    """The position with its piles in order, and what the table's key leaves out made the same everywhere."""
    talon = position.waste + position.stock[::-1]
    return Position(position.foundations, tuple(sorted(position.tableau)), position.reserve, (), talon, position.base)


@pytest.mark.parametrize("decks", [1, 2, 3])
def test_one_key_for_every_position_that_looks_the_same(decks: int) -> None:
    """Two ways to a position, whichever copies were played: equal keys exactly where the tables of cards are equal."""
    keys: dict[Position, set[int]] = defaultdict(set)
    met = 0
    for seed in range(40):
        position, rule_set = random_case(seed, decks=decks)
        game, root = pack_game(position, rule_set)
        keys.clear()
        for state in random_states(game, root, 40):
            keys[plain_key(unpack_state(state, game, position.base))].add(int(position_key(state, game.spec)))
            met += 1
        assert all(len(found) == 1 for found in keys.values()), (seed, rule_set)
        assert len(set.union(set(), *keys.values())) == len(keys)
    assert met > 1000


def test_equal_cards_side_by_side_in_the_stock() -> None:
    """Of two equal neighbours either may be played; the state is the same."""
    rule_set = rules("double", ranks=2, decks=2, piles=1, reserve=0, build="any", draw=1)
    order = [0, 4, 1, 1, 5, 5, 0, 2, 2, 3, 3, 4, 6, 6, 7, 7]
    position = lay_out(order, rule_set)
    game, root = pack_game(position, rule_set)
    moves, tops = np.zeros(MOST_MOVES, np.uint64), np.zeros(256, np.uint64)
    children = set()
    for move in moves[:generate_moves(root, game, moves, tops)]:
        if int(move) & 63 == 1:
            child = np.zeros_like(root)
            apply_move(root, move, game, child)
            children.add(tuple(int(word) for word in child[FIRST_STOCK:game.spec[FIRST_PILE]]))
    assert len(children) == 1


def test_random_games_keep_their_order_of_cards() -> None:
    """The cards that unpack from a state are those that the plain game has left, in its order."""
    rule_set = rules("american-toad")
    for position in play_out(deal(5, rule_set), rule_set, random.Random(5), 120):
        game, state = pack_game(position, rule_set)
        assert unpack_state(state, game, position.base) == position
