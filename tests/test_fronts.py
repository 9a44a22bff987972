"""Deferred laying with a front: what it says is lost is lost by brute force, and longer fronts show more."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from playouts import small_positions
from smalldecks import random_case
from test_deferred import MEMORY, NODES, WHOLE_PILES, true_verdict
from test_setengines import COVERS_TOLD, FULL_RESERVE, PINNED

from solver.game import apply
from solver.position import Position
from solver.prunings import DEFERRED, prunings_for
from solver.rows import phase_word
from solver.rulesets import VARIANTS, Rules
from solver.setengines import Deferred
from solver.solving import UNDECIDED, UNWINNABLE, WINNABLE, solve
from solver.sources import deal

NO_LIMIT = WHOLE_PILES | {"passes": None}
PARTS = {"unit": "suffix", "cover_base": False, "passes": None}
GROUPS = {"three": FULL_RESERVE | NO_LIMIT | {"draw": 3}, "two": FULL_RESERVE | NO_LIMIT | {"draw": 2},
          "any": PINNED | NO_LIMIT | {"draw": 3}, "covers": COVERS_TOLD | NO_LIMIT | {"draw": 2},
          "few ranks": PINNED | NO_LIMIT | {"draw": 3, "ranks": 4},
          "parts": FULL_RESERVE | PARTS | {"draw": 3}, "any parts": PINNED | PARTS | {"draw": 2},
          "parts, few ranks": PINNED | PARTS | {"draw": 3, "ranks": 4}}
FRONTS = (1, 2, 3, 6, 12)


def says(position: Position, rule_set: Rules, front: int, phase: int | None = None, order: slice = slice(None)) -> str:
    """The verdict with a front of so many cards. Mistakes to plant: another phase at the start; order: another stock for
    the front to be the first cards of, while the rest keeps to the true one."""
    engine = Deferred(position, rule_set, prunings_for(rule_set), MEMORY, front=front)
    if phase is not None:
        engine.times = phase_word(phase)
    first = engine.game.stock[order][:front]
    engine.room = engine.room._replace(front=np.uint64(sum(1 << code for code in first.tolist())))
    return engine.run(NODES)


def count_fronts(cases: list[tuple[Position, Rules]], **mistakes: object) -> Counter:
    """Cases that brute force can decide, by (front, what is said, true verdict); where nothing is called lost without
    asking brute force."""
    counts: Counter = Counter()
    for position, rule_set in cases:
        if rule_set.piles > 4 or not position.reserve:
            continue
        said = {front: says(position, rule_set, front, **mistakes) for front in FRONTS}
        truth = true_verdict(position, rule_set) if UNWINNABLE in said.values() else None
        counts.update((front, verdict, truth) for front, verdict in said.items())
    return counts


def wrong(counts: Counter) -> int:
    return sum(count for (_, verdict, truth), count in counts.items() if (verdict, truth) == (UNWINNABLE, WINNABLE))


def small_deals(seeds: range, name: str) -> list[tuple[Position, Rules]]:
    return [random_case(seed, **GROUPS[name]) for seed in seeds]


@pytest.mark.parametrize("name", list(GROUPS))
def test_what_it_says_is_lost_is_lost(name: str) -> None:
    counts = count_fronts(small_deals(range(120), name))
    assert wrong(counts) == 0, counts
    lost = [counts[front, UNWINNABLE, UNWINNABLE] for front in FRONTS]
    assert lost == sorted(lost) and 15 < lost[0] < lost[-1], lost


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GROUPS))
def test_what_it_says_of_many_more_deals_is_lost(name: str) -> None:
    counts = count_fronts(small_deals(range(60_000, 61_600), name))
    assert wrong(counts) == 0, counts
    assert counts[2, UNWINNABLE, UNWINNABLE] > 200, counts


@pytest.mark.parametrize("name, seed, front", [("any", 30_079, 1), ("few ranks", 30_438, 1), ("three", 30_818, 2)])
def test_deals_that_a_wrong_version_called_lost(name: str, seed: int, front: int) -> None:
    """It did not see that the first card after the front may lie in a space, and uncover the front's last one."""
    position, rule_set = random_case(seed, **GROUPS[name])
    assert true_verdict(position, rule_set) == WINNABLE
    assert says(position, rule_set, front) == UNDECIDED


@pytest.mark.parametrize("name, least", [("three", 50), ("two", 50), ("any", 4), ("covers", 5), ("few ranks", 6),
                                         ("parts", 50), ("any parts", 5), ("parts, few ranks", 5)])
def test_what_it_says_of_positions_in_play(name: str, least: int) -> None:
    """In the middle of a pass, so with a phase; most are near their end, and of few ranks most can be won."""
    cases = list(small_positions(range(7000, 7200), **GROUPS[name]))[4::11]
    counts = count_fronts(cases)
    assert wrong(counts) == 0, counts
    assert counts[2, UNWINNABLE, UNWINNABLE] > least, counts


@pytest.mark.parametrize("name", ["canfield", "solvitaire-strict", "solvitaire"])
def test_no_position_of_a_win_is_lost(name: str) -> None:
    rule_set, asked = VARIANTS[name], 0
    for seed in range(20):
        position = deal(seed, rule_set)
        result = solve(position, rule_set, nodes=5000, prunings=prunings_for(rule_set) & ~DEFERRED)
        for number, move in enumerate(result.solution or ()):
            if number % 4 == 0:
                assert says(position, rule_set, 8) == UNDECIDED, (seed, position)
                asked += 1
            position = apply(position, rule_set, move)
    assert asked > 150


@pytest.mark.parametrize("name, seed, front, others", [("canfield", 10_138, 4, 60_000), ("canfield", 10_472, 8, 60_000),
                                                       ("solvitaire-strict", 10_156, 4, 20_000),
                                                       ("solvitaire", 11_293, 4, 150_000)])
def test_it_proves_what_takes_other_searches_long(name: str, seed: int, front: int, others: int) -> None:
    """Even where the reserve can be emptied (10472)."""
    rule_set = VARIANTS[name]
    position = deal(seed, rule_set)
    assert says(position, rule_set, front) == UNWINNABLE
    assert solve(position, rule_set, nodes=others, prunings=prunings_for(rule_set) & ~DEFERRED).verdict == UNDECIDED


@pytest.mark.parametrize("name", ["three", "parts"])
def test_the_whole_stock_as_front_is_nearly_the_game_itself(name: str) -> None:
    """All drawing is true then, and hardly a lost deal is not called so."""
    counts: Counter = Counter()
    for position, rule_set in small_deals(range(200, 300), name):
        truth = true_verdict(position, rule_set)
        if truth and rule_set.piles <= 4:
            counts[says(position, rule_set, rule_set.stock), truth] += 1
    assert counts[UNWINNABLE, WINNABLE] == 0, counts
    assert counts[UNWINNABLE, UNWINNABLE] > 20 * counts[UNDECIDED, UNWINNABLE], counts


# Planted mistakes.


def test_it_errs_where_the_front_is_not_what_the_stock_begins_with() -> None:
    assert wrong(count_fronts(small_deals(range(100), "three"), order=slice(None, None, -1))) > 0


def test_it_errs_where_the_waste_is_not_where_it_is_said_to_be() -> None:
    """With one card in the waste, all passes show the third card first; with none that is so, too, so that only
    positions in play tell."""
    cases = [(position, rule_set) for position, rule_set in small_positions(range(7000, 7300), **GROUPS["any"])
             if len(position.waste) % 3 and position.reserve]
    assert wrong(count_fronts(cases[::7], phase=0)) > 0


def test_a_position_without_waste_has_no_phase() -> None:
    rule_set = VARIANTS["canfield"]
    position = deal(1, rule_set)
    for turned, phase in ((0, 0), (1, 1), (3, 0), (5, 5), (8, 8), (10, 0)):
        moved = replace(position, waste=position.stock[:turned], stock=position.stock[turned:])
        engine = Deferred(moved, rule_set, prunings_for(rule_set), MEMORY, front=8)
        assert engine.times == phase_word(phase), turned
