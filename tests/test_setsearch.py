"""Moves of the set game against the plain game's: none missing, none that the plain game cannot follow."""

from collections import Counter

import numpy as np
import pytest
from playouts import random_positions, small_positions

from solver.bits import U
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP, UPPER_SHIFT, may_wind,
                             pack_card_sets)
from solver.decoding import decode
from solver.game import apply, legal_moves, won
from solver.moves import MOST_MOVES
from solver.packed import Game
from solver.position import Position
from solver.prunings import has_card_sets
from solver.rulesets import VARIANTS, Rules
from solver.setsearch import generate_set_moves, step_state

NAMES = [name for name, variant in VARIANTS.items() if has_card_sets(variant)]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def describe(words: np.ndarray, game: Game) -> tuple:
    """What a state says, in terms that do not depend on which game it is a state of."""
    stock = [int(code) for index, code in enumerate(game.stock) if int(words[STOCK]) >> index & 1]
    turned = sum(1 for index in range(int(words[STOCK] >> UPPER_SHIFT)) if int(words[STOCK]) >> index & 1)
    return tuple(int(word) for word in words[[UP, TABLEAU, BOTTOMS, HIGHER, PASS]]), tuple(stock), turned


def describe_position(position: Position, rule_set: Rules) -> tuple:
    game, words = pack_card_sets(position, rule_set)
    return describe(words, game)


def set_successors(position: Position, rule_set: Rules) -> dict[int, tuple]:
    """What the set game's moves lead to, by move word; no prunings, so no forced moves."""
    game, words = pack_card_sets(position, rule_set)
    moves, log = np.empty(MOST_MOVES, np.uint64), np.empty(256, np.uint64)
    order = (UP, STOCK, TABLEAU, BOTTOMS, HIGHER, PASS)
    count = generate_set_moves(*(words[index] for index in order), game, moves)
    found = {}
    for move in moves[:count].copy():
        state = words.copy()
        assert step_state(state, move, game, log) == 0
        found[int(move)] = describe(state, game)
    return found


def compare_moves(position: Position, rule_set: Rules) -> int:
    """Assert both inclusions; returns how many moves were compared."""
    found = set_successors(position, rule_set)
    start = describe_position(position, rule_set)
    plain = {describe_position(apply(position, rule_set, move), rule_set) for move in legal_moves(position, rule_set)}
    plain.discard(start)  # suffix rules: between twins nothing changes
    assert plain <= set(found.values()), (position, rule_set)
    if rule_set.unit != "suffix":
        assert plain == set(found.values()), (position, rule_set)
    game, root = pack_card_sets(position, rule_set)
    for move, described in found.items():
        followed = position
        for plain_move in decode(np.array([0, move], np.uint64), game, root, position, rule_set, True):
            followed = apply(followed, rule_set, plain_move)
        assert describe_position(followed, rule_set) == described
    return len(found)


def can_wind(position: Position, rule_set: Rules) -> bool:
    _, words = pack_card_sets(position, rule_set)
    deck = U((1 << 4 * rule_set.ranks) - 1)
    return rule_set.cover_base and bool(may_wind(words[TABLEAU], deck, rule_set.ranks % 2 == 1))


@pytest.mark.parametrize("name", NAMES)
def test_set_moves_in_random_games(name: str) -> None:
    compared = sum(compare_moves(position, VARIANTS[name])
                   for position in random_positions(VARIANTS[name], range(8), share=0.15)
                   if not won(position, VARIANTS[name]) and not can_wind(position, VARIANTS[name]))
    assert compared > 50


def test_set_moves_under_random_rules() -> None:
    compared = Counter()
    for position, rule_set in small_positions(range(150), build="alternate"):
        if not won(position, rule_set) and not can_wind(position, rule_set):
            compared[rule_set.unit] += compare_moves(position, rule_set)
    assert min(compared[unit] for unit in ("pile", "top-or-pile", "suffix")) > 100, compared


def test_a_state_partitions_the_deck() -> None:
    for name in NAMES:
        for position in random_positions(VARIANTS[name], range(2), share=0.2):
            game, words = pack_card_sets(position, VARIANTS[name])
            assert len(words) == STATE_WORDS
            up, tableau, left = int(words[UP] & CARDS), int(words[TABLEAU]), int(words[UP] >> UPPER_SHIFT)
            reserve = sum(1 << int(code) for code in game.reserve[:left])
            stock = sum(1 << int(code) for code in game.stock)
            assert up + tableau + reserve + stock == up | tableau | reserve | stock == (1 << 52) - 1
            assert int(words[BOTTOMS]) & ~tableau == 0
            assert int(words[HIGHER]) & ~(tableau & ~int(words[BOTTOMS])) == 0
