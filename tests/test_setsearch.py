"""Moves of the set game against the plain game's: none missing, none that the plain game cannot follow."""

from collections import Counter

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, finished, objection
from longruns import long_run_case
from playouts import random_positions, small_positions

from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP, UPPER_SHIFT,
                             pack_card_sets)
from solver.decoding import decode
from solver.game import apply, legal_moves, won
from solver.moves import MOST_MOVES, WASTE, move_source
from solver.packed import Game
from solver.position import Position
from solver.prunings import CARD_SETS, has_card_sets, prunings_for
from solver.rulesets import VARIANTS, Rules
from solver.setengines import BestFirst, SetSearch
from solver.setsearch import generate_set_moves, is_doubtful, step_state
from solver.solving import UNDECIDED, UNWINNABLE, WINNABLE, solve

NAMES = [name for name, variant in VARIANTS.items() if has_card_sets(variant)]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def describe(words: np.ndarray, game: Game) -> tuple:
    """What a state says, in terms that do not depend on which game it is a state of."""
    stock = [int(code) for index, code in enumerate(game.stock) if int(words[STOCK]) >> index & 1]
    turned = sum(1 for index in range(int(words[STOCK] >> UPPER_SHIFT)) if int(words[STOCK]) >> index & 1)
    return tuple(int(word) for word in words[[UP, TABLEAU, BOTTOMS, HIGHER, PASS]]), tuple(stock), turned


def describe_position(position: Position, rule_set: Rules, classes: bool) -> tuple:
    game, words = pack_card_sets(position, rule_set, classes=classes)
    return describe(words, game)


def set_successors(position: Position, rule_set: Rules, classes: bool) -> dict[int, tuple]:
    """What the set game's moves lead to, by move word; no prunings, so no forced moves.

    Without the waste the same moves must be left but its own, in the same order.
    """
    game, words = pack_card_sets(position, rule_set, classes=classes)
    moves, log = np.empty(MOST_MOVES, np.uint64), np.empty(256, np.uint64)
    state_words = [words[index] for index in (UP, STOCK, TABLEAU, BOTTOMS, HIGHER, PASS)]
    dry = moves[:generate_set_moves(*state_words, False, game, moves)].tolist()
    written = moves[:generate_set_moves(*state_words, True, game, moves)].copy()
    assert dry == [int(move) for move in written if move_source(move) != WASTE]
    found = {}
    for move in written:
        state = words.copy()
        assert step_state(state, move, game, log) == 0
        found[int(move)] = describe(state, game)
    return found


def compare_moves(position: Position, rule_set: Rules, classes: bool = True) -> int:
    """Assert both inclusions; returns how many moves were compared."""
    classes = classes and rule_set.unit == "suffix"
    found = set_successors(position, rule_set, classes)
    start = describe_position(position, rule_set, classes)
    plain = {describe_position(apply(position, rule_set, move), rule_set, classes)
             for move in legal_moves(position, rule_set)}
    if classes:
        plain.discard(start)  # between twins nothing changes
        assert plain <= set(found.values()), (position, rule_set)
    else:
        assert plain == set(found.values()), (position, rule_set)
    game, root = pack_card_sets(position, rule_set, classes=classes)
    for move, described in found.items():
        followed = position
        for plain_move in decode(np.array([0, move], np.uint64), game, root, position, rule_set, True):
            followed = apply(followed, rule_set, plain_move)
        assert describe_position(followed, rule_set, classes) == described
    return len(found)


def in_doubt(position: Position, rule_set: Rules) -> bool:
    game, words = pack_card_sets(position, rule_set)
    return bool(is_doubtful(words[TABLEAU], words[BOTTOMS], game.spec))


def holds_own_host(position: Position, rule_set: Rules) -> bool:
    """Is there a run that holds a card which could carry its first one?"""
    return any(rule_set.carries(card, first, position.base)
               for pile in position.tableau for depth, first in enumerate(pile) for card in pile[depth:])


@pytest.mark.parametrize("name", NAMES)
def test_set_moves_in_random_games(name: str) -> None:
    compared = Counter()
    for position in random_positions(VARIANTS[name], range(8), share=0.15):
        if not won(position, VARIANTS[name]):
            compared[False] += compare_moves(position, VARIANTS[name], classes=False)
            compared[True] += 0 if in_doubt(position, VARIANTS[name]) else compare_moves(position, VARIANTS[name])
    assert min(compared.values()) > 50


def test_set_moves_under_random_rules() -> None:
    compared = Counter()
    for position, rule_set in small_positions(range(150), build="alternate"):
        if not won(position, rule_set) and not in_doubt(position, rule_set):
            compared[rule_set.unit] += compare_moves(position, rule_set)
    assert min(compared[unit] for unit in ("pile", "top-or-pile", "suffix")) > 100, compared


@pytest.mark.parametrize("unit", ["pile", "top-or-pile", "suffix"])
def test_set_moves_of_runs_that_wind_round(unit: str) -> None:
    """With twins told apart no move is missing and none too many, even of runs that hold their own host."""
    compared = Counter()
    for seed in range(400):
        position, rule_set = long_run_case(seed, unit=unit)
        compared[holds_own_host(position, rule_set)] += compare_moves(position, rule_set, classes=False)
    assert min(compared[False], compared[True]) > 200, compared


def test_moves_of_classes_are_those_of_piles_unless_in_doubt() -> None:
    """Also where a run holds its own host, as long as each of its classes has one card on the tableau."""
    compared = Counter()
    for seed in range(1500):
        position, rule_set = long_run_case(seed, unit="suffix")
        if in_doubt(position, rule_set):
            compared["in doubt"] += 1
        else:
            compared[holds_own_host(position, rule_set)] += compare_moves(position, rule_set)
    assert compared["in doubt"] > 50 and compared[False] > 200 and compared[True] > 5, compared


# The two searches, with classes and with twins told apart, one by one.


@pytest.mark.parametrize("kind", [BestFirst, SetSearch])
@pytest.mark.parametrize("classes", [True, False], ids=["classes", "twins"])
@pytest.mark.parametrize("ranks, pruned", [(2, True), (3, True), (3, False), (4, True)])
def test_each_search_against_brute_force_on_long_runs(kind: type, classes: bool, ranks: int, pruned: bool) -> None:
    """What a search proves is so, and what it finds can be played unless classes left it in doubt."""
    found = Counter()
    for seed in range(250):
        position, rule_set = long_run_case(seed, unit="suffix", ranks=ranks)
        verdict = decide(position, rule_set, LIMIT)
        if verdict is not None:
            prunings = prunings_for(rule_set) if pruned else CARD_SETS
            engine = kind(position, rule_set, prunings, 64 << 20, classes)
            result = finished(engine, position, rule_set)
            if result.verdict == UNDECIDED:
                assert engine.truncated and classes, seed
            else:
                assert objection(result, position, rule_set, verdict) is None, (seed, rule_set)
            found[result.verdict] += 1
            found["own host"] += holds_own_host(position, rule_set)
    assert found["own host"] > 50 and found[WINNABLE] > 20, found
    assert found[UNWINNABLE] > (20 if ranks > 2 and not classes else 0), found
    assert (found[UNDECIDED] > 0) == classes, found


def test_solve_decides_long_runs_as_brute_force_does() -> None:
    found = Counter()
    for seed in range(1000, 1600):
        position, rule_set = long_run_case(seed)
        verdict = decide(position, rule_set, LIMIT)
        if verdict is not None:
            result = solve(position, rule_set, nodes=200_000, memory=64)
            assert objection(result, position, rule_set, verdict) is None, (seed, rule_set)
            found[verdict] += 1
    assert min(found.values()) > 100, found


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
