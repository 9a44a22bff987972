"""The solver against brute force on thousands of random small deals over random rule sets, and the judge itself."""

import multiprocessing
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest
from judging import Tally, check, judge_seeds

from solver.position import Position
from solver.prunings import RIGID_PILES, SAFE_FOUNDATION, prunings_for
from solver.rulesets import Rules
from solver.solving import Result, solve

SLOW_CASES, SLOW_CHUNK, SLOW_START = 50_000, 1000, 1_000_000


def test_two_thousand_small_deals() -> None:
    check(judge_seeds(range(2000)), 2000)


@pytest.mark.parametrize("decks, cases", [(2, 300), (3, 150)])
def test_small_deals_of_several_decks(decks: int, cases: int) -> None:
    check(judge_seeds(range(cases), {"decks": decks}), cases, open_share=0.02)


@pytest.mark.slow
def test_fifty_thousand_small_deals() -> None:
    """Other seeds than above; every tenth chunk with two decks."""
    chunks = [range(start, start + SLOW_CHUNK)
              for start in range(SLOW_START, SLOW_START + SLOW_CASES, SLOW_CHUNK)]
    pinned = [{"decks": 2} if number % 10 == 9 else {} for number in range(len(chunks))]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        tallies = list(pool.map(judge_seeds, chunks, pinned))
    counts = sum((tally.counts for tally in tallies), Counter())
    complaints = [line for tally in tallies for line in tally.complaints]
    check(Tally(counts, complaints), SLOW_CASES)


# Planted mistakes: a judge that lets one of them pass is no judge.


def with_flipped_cover(position: Position, rules: Rules) -> Result:
    return solve(position, replace(rules, cover_base=not rules.cover_base))


def with_one_pass_more(position: Position, rules: Rules) -> Result:
    return solve(position, replace(rules, passes=2))


def calling_piles_rigid(position: Position, rules: Rules) -> Result:
    return solve(position, rules, prunings=RIGID_PILES)


def sending_up_what_may_return(position: Position, rules: Rules) -> Result:
    return solve(position, rules, prunings=prunings_for(rules) | SAFE_FOUNDATION)


def hiding_the_last_move(position: Position, rules: Rules) -> Result:
    result = solve(position, rules)
    return replace(result, solution=result.solution and result.solution[:-1])


@pytest.mark.parametrize("solver, pinned, complaint", [
    (with_flipped_cover, {}, "but brute force says"),
    (with_one_pass_more, {"passes": 1}, "winnable, but brute force says unwinnable"),
    (calling_piles_rigid, {"unit": "suffix", "cover_base": True}, "unwinnable, but brute force says winnable"),
    (sending_up_what_may_return, {"foundation_return": True}, "unwinnable, but brute force says winnable"),
    (hiding_the_last_move, {}, "solution does not replay: not won"),
])
def test_the_judge_finds_a_planted_mistake(solver: Callable, pinned: dict, complaint: str) -> None:
    for start in range(0, 2000, 50):
        if any(complaint in line for line in judge_seeds(range(start, start + 50), pinned, solver).complaints):
            return
    pytest.fail("2000 cases and nobody noticed")
