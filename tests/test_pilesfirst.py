"""Best-first search of the pile game: all kinds of tries against brute force, in slices, and with little room."""

from collections import Counter

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, Tally, check, judge_seeds, objection
from smalldecks import random_case

from solver import engines, solving
from solver.estimates import NOISE, STAGED, Try, estimates_for
from solver.game import stuck
from solver.pilesfirst import next_stage
from solver.position import Position
from solver.rulesets import Rules, rules
from solver.solving import Result, solve
from solver.sources import deal


def short_tries(rule_set: Rules) -> list[Try]:
    """Searches far too short for most deals, of every kind."""
    estimates = estimates_for(rule_set)
    noisy = (estimates[0] | {NOISE: 50},)
    return [Try(estimates, 5), Try(noisy, 20, number=1), Try(noisy, 20, number=2), Try(noisy, 30, 7, 3),
            Try((STAGED,), 40, 3), Try((STAGED,), 40, 64)]


@pytest.mark.parametrize("decks, cases", [(2, 300), (3, 150)])
def test_many_short_tries_before_the_long_search(decks: int, cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "tries_for", short_tries)
    tally: Tally = judge_seeds(range(5000, 5000 + cases), {"decks": decks})
    check(tally, cases, open_share=0.02, skipped_share=0.1)


@pytest.mark.parametrize("stages", [0, 2, 5, 64])
def test_one_search_alone_decides_as_brute_force_does(stages: int) -> None:
    found = Counter()
    for seed in range(100):
        position, rule_set = random_case(seed, decks=2)
        verdict = decide(position, rule_set, LIMIT)
        plan = Try(estimates_for(rule_set)[:1], 20_000, stages)
        engine = engines.PilesFirst(position, rule_set, 0, 256 << 20, plan)
        answer = engine.run(plan.nodes)
        if verdict is not None and answer != "undecided":
            assert answer == verdict, (seed, rule_set)
        found[answer] += 1
    assert min(found["winnable"], found["unwinnable"]) > 10 and found["undecided"] < 20, found


def outcome(result: Result) -> tuple:
    return result.verdict, result.nodes, result.solution


@pytest.mark.parametrize("name", ["american-toad", "demon"])
def test_slices_and_first_sizes_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule_set = rules(name)
    deals = [deal(seed, rule_set) for seed in range(4)]
    whole = [outcome(solve(position, rule_set, nodes=5000)) for position in deals]
    monkeypatch.setattr(engines, "SLICE", 37)
    monkeypatch.setattr(engines, "FIRST_ROWS", 16)
    assert [outcome(solve(position, rule_set, nodes=5000)) for position in deals] == whole


def test_stages_take_turns() -> None:
    heads = np.full((4, 4096), -1, np.int32)
    heads[1, 7], heads[3, 0] = 0, 1
    first = np.zeros(4, np.int64)
    assert [int(next_stage(heads, first, last)) for last in range(4)] == [1, 3, 3, 1]
    heads[1, 7] = -1
    assert int(next_stage(heads, first, 3)) == 3


@pytest.mark.parametrize("name", ["double", "triple", "quadruple", "demon", "pysolfc-double", "american-toad"])
def test_solutions_of_whole_decks_replay(name: str) -> None:
    rule_set, won = rules(name), 0
    for seed in range(20, 26):
        position: Position = deal(seed, rule_set)
        result = solve(position, rule_set, nodes=40_000)
        if result.verdict == "winnable":
            assert objection(result, position, rule_set, "winnable") is None
            won += 1
    assert won >= 4


@pytest.mark.parametrize("variant, seed", [("demon", 297), ("double", 27060), ("double", 31810), ("double", 61044),
                                           ("double", 62138), ("double", 66991)])
def test_dead_openings_of_two_decks(variant: str, seed: int) -> None:
    """The lost deals of demon's first 20,000 and double's first 100,000 that are proven; mostly no card can be played."""
    rule_set = rules(variant)
    position = deal(seed, rule_set)
    assert stuck(position, rule_set) or seed in (27060, 62138)
    assert solve(position, rule_set).verdict == "unwinnable" == decide(position, rule_set, LIMIT)
