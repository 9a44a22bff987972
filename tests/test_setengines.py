"""Each engine of the set game before the judge by itself: in solve() the first of them decides nearly all small deals,
so that a mistake of the others would not show there."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, SKIPPED, Tally, finished, objection
from longruns import long_run_case
from smalldecks import random_case

from solver import relaxation, setengines, stages
from solver.engines import PilesFirst
from solver.estimates import SET_LEVELS, UNLIMITED_NODES, Try, late_beams_for, tries_of_sets
from solver.packed import Game
from solver.position import Position
from solver.prunings import CARD_SETS, DEFERRED, DRAW_ONE, NAMES, RIGID_PILES, SAFE_WASTE, prunings_for
from solver.relaxation import Relaxed
from solver.rulesets import Rules, rules
from solver.setengines import BestFirst, Deferred, Fronts, SetEngine, SetSearch, Sweep, set_engines
from solver.solving import UNDECIDED
from solver.sources import deal

PINNED = {"build": "alternate", "fill": "auto", "foundation_return": False}  # where every engine may run
COVERS_TOLD = PINNED | {"unit": "pile", "cover_base": True}
FULL_RESERVE = PINNED | {"ranks": 6, "piles": 3, "reserve": 10, "passes": 1}  # stock cards have to carry others
BY_LEVELS = Try(({},), UNLIMITED_NODES, SET_LEVELS)
SMALL_FRONTS = ((1, 500), (2, 500), (3, 500), (5, 1000), (60, 5000))
MEMORY, NODES = 64 << 20, 200_000
EVERY_PRUNING = -1
SLOW_CASES, SLOW_START = 6_000, 2_000_000
PLANTED_CASES = 150  # as many as are judged with nothing planted
ENGINES = {"fronts", "deferred", "sweep", "by levels", "depth-first"}
PROVE_ONLY = {"fronts", "deferred"}
new_relaxed, relaxed_verdict = relaxation.new_relaxed, relaxation.relaxed_verdict
stock_sets, winning_path = stages.stock_sets, Sweep.winning_path


@pytest.fixture(autouse=True)
def small_fronts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fronts that leave a part of a small deck's stock to the front, and a part loose."""
    monkeypatch.setattr(setengines, "FRONTS", SMALL_FRONTS)


def engines_for(position: Position, rule_set: Rules, prunings: int) -> Iterator[tuple[str, SetEngine]]:
    """Every engine, under suffix rules twice, with its name."""
    for classes in (True, False) if rule_set.unit == "suffix" else (True,):
        arguments = position, rule_set, prunings, MEMORY, classes
        if prunings & DRAW_ONE:
            yield "fronts", Fronts(*arguments)
        if prunings & DEFERRED:
            yield "deferred", Deferred(*arguments)
        yield "sweep", Sweep(*arguments)
        yield "by levels", BestFirst(*arguments, BY_LEVELS)
        yield "depth-first", SetSearch(*arguments)


@cache
def true_verdict(position: Position, rule_set: Rules) -> str | None:
    """By brute force; the planted mistakes ask again."""
    return decide(position, rule_set, LIMIT)


def judge_engines(position: Position, rule_set: Rules, tally: Tally, label: str, keep: int = EVERY_PRUNING,
                  more: int = 0) -> None:
    """Enter what every engine says of one case into ``tally``, by engine and verdict.

    keep, more: prunings kept of those in force, and others put in. Only PROVE_ONLY may leave a case open, searches whose
    classes of twins were in doubt, and those that need more nodes or memory.
    """
    verdict = true_verdict(position, rule_set)
    if verdict is None:
        tally.counts[SKIPPED] += 1
        return
    tally.counts[verdict] += 1
    for name, engine in engines_for(position, rule_set, prunings_for(rule_set) & keep | more | CARD_SETS):
        result = finished(engine, position, rule_set, NODES)
        tally.counts[name, result.verdict] += 1
        complaint = None
        if result.verdict != UNDECIDED:
            complaint = objection(result, position, rule_set, verdict)
        elif name not in PROVE_ONLY and not (engine.truncated or engine.is_full or engine.nodes >= NODES):
            complaint = "undecided without a doubt"
        if complaint:
            tally.complaints.append(f"{label}: {name}: {complaint}: {rule_set}")


def judge_all(seeds: range, pinned: dict, keep: int = EVERY_PRUNING, more: int = 0,
              draw_case: Callable = random_case) -> Tally:
    """The cases of ``seeds``. keep, more: as above."""
    tally = Tally(Counter(), [])
    for seed in seeds:
        judge_engines(*draw_case(seed, **pinned), tally, f"seed {seed} {pinned}", keep, more)
    return tally


def check_engines(tally: Tally, cases: int, fronts: bool = True) -> None:
    """Nothing wrong, few cases skipped, and each engine has shown what it is for."""
    assert tally.complaints == []
    assert tally.counts["winnable"] + tally.counts["unwinnable"] + tally.counts[SKIPPED] == cases
    assert tally.counts[SKIPPED] <= cases / 10, tally.counts
    for name in ("sweep", "by levels", "depth-first"):
        assert min(tally.counts[name, verdict] for verdict in ("winnable", "unwinnable")) > cases / 8, tally.counts
        assert tally.counts[name, UNDECIDED] <= cases / 20, tally.counts
    if fronts:
        assert min(tally.counts["fronts", verdict] for verdict in (UNDECIDED, "unwinnable")) > cases / 8, tally.counts


@pytest.mark.parametrize("pinned, cases", [(PINNED, 200), (COVERS_TOLD, 150), (PINNED | {"draw": 3, "ranks": 4}, 100),
                                           (FULL_RESERVE, 150), (PINNED | {"draw": 1, "ranks": 4}, 150)],
                         ids=["any", "covers", "draw three", "reserve", "draw one"])
def test_engines_one_by_one_on_small_deals(pinned: dict, cases: int) -> None:
    check_engines(judge_all(range(cases), pinned), cases)


def test_engines_one_by_one_with_some_prunings_only() -> None:
    """Any of the prunings may be missing, the relaxation too."""
    rng = np.random.default_rng(3)
    tally = Tally(Counter(), [])
    for seed in range(40_000, 40_200):
        keep = sum(bit for bit in NAMES.values() if rng.random() < 0.5)
        judge_engines(*random_case(seed, **PINNED, ranks=4), tally, f"seed {seed}, prunings {keep}", keep)
    check_engines(tally, 200, fronts=False)


@pytest.mark.parametrize("unit", ["pile", "top-or-pile", "suffix"])
def test_engines_one_by_one_on_long_runs(unit: str) -> None:
    """Base cards are covered in nearly all of these positions, and runs wind round."""
    pinned = {"unit": unit, "fill": "auto", "foundation_return": False}
    tally = judge_all(range(3000, 3080), pinned, draw_case=long_run_case)
    assert tally.complaints == []
    assert min(tally.counts["sweep", verdict] for verdict in ("winnable", "unwinnable")) > 10, tally.counts


@pytest.mark.parametrize("seed, pinned", [(7795, {}), (8045, {}), (7104, {"draw": 1}), (7175, {"draw": 1})])
def test_a_card_that_goes_up_from_under_a_laid_one(seed: int, pinned: dict) -> None:
    """Wins in which what lies on a card moves to its twin, which was laid for it: they need the exception that sweep.py
    makes for twins, and hardly any other small deal does."""
    tally = judge_all(range(seed, seed + 1), FULL_RESERVE | {"unit": "suffix", "cover_base": False} | pinned)
    assert tally.complaints == [] and tally.counts["sweep", "winnable"] == 2, tally.counts


@pytest.mark.parametrize("kind", [BestFirst, Deferred])
def test_a_search_that_stopped_goes_on_where_it_was(kind: type) -> None:
    """With the same end after as many nodes as in one go, however it is cut up."""
    rule_set, ends = rules("canfield-draw1"), Counter()
    for seed in (7, 13, 43, 84, 172):
        position = deal(seed, rule_set)
        in_one_go, in_turns = (kind(position, rule_set, prunings_for(rule_set), MEMORY) for _ in range(2))
        verdict, later = in_one_go.run(6000), UNDECIDED
        for budget in (0, 200, 200, 700, 2000, 6000):
            if later == UNDECIDED:
                later = in_turns.run(budget)
        assert (later, in_turns.nodes) == (verdict, in_one_go.nodes)
        ends[verdict] += 1
    assert len(ends) > 1, ends


@pytest.mark.parametrize("passes, turns", [(1, 1), (3, 3), (None, 1)])
def test_turns_go_on_and_leave_no_try_out(passes: int | None, turns: int) -> None:
    """Deferred laying comes again where passes are few, each time for more nodes; all tries come once, up to theirs."""
    rule_set = rules("canfield-draw1", passes=passes)
    order = [(engine, engine.limit) for engine in set_engines(deal(1, rule_set), rule_set, prunings_for(rule_set),
                                                              MEMORY, True)]
    laying = [(engine, limit) for engine, limit in order if isinstance(engine, Deferred)]
    limits = [limit for _, limit in laying]
    assert len({id(engine) for engine, _ in laying}) == 1 and limits == sorted(set(limits)) and len(limits) == turns
    plans = (*tries_of_sets(rule_set), *late_beams_for(rule_set))
    tries = [limit for engine, limit in order if isinstance(engine, (BestFirst, PilesFirst))]
    assert tries == [plan.nodes for plan in plans]


@pytest.mark.slow
def test_engines_one_by_one_on_thousands_of_small_deals() -> None:
    seeds = range(SLOW_START, SLOW_START + SLOW_CASES // 4)
    for pinned in (PINNED, COVERS_TOLD, FULL_RESERVE, FULL_RESERVE | COVERS_TOLD):
        check_engines(judge_all(seeds, pinned), len(seeds))


# Planted mistakes: a judge that lets one of them pass is no judge.


def with_a_card_that_cannot_bridge(game: Game, *arguments: object) -> Relaxed:
    """The relaxation without the last card of the stock among the loose ones."""
    relaxed = new_relaxed(game, *arguments)
    if relaxed.numbers[relaxation.FRONT_CARDS] < len(game.stock):
        relaxed.sets[0] &= ~np.uint64(1 << int(game.stock[-1]))
    return relaxed


def with_a_front_that_is_not_the_first_cards(state: np.ndarray, game: Game, relaxed: Relaxed) -> int:
    """The relaxation with the stock's last card before the others."""
    return relaxed_verdict(state, game._replace(stock=np.roll(game.stock, 1)), relaxed)


def with_hosts_forgotten(game: Game) -> stages.StockSets:
    """The sweep as if no stock card could be laid on cards of two of the ranks."""
    sets = stock_sets(game)
    sets.guests[8:16] = 0
    return sets


WRONGLY_LOST = "unwinnable, but brute force says winnable"


@pytest.mark.parametrize("module, name, planted, engines", [
    (relaxation, "new_relaxed", with_a_card_that_cannot_bridge, {"fronts", "sweep", "by levels", "depth-first"}),
    (relaxation, "relaxed_verdict", with_a_front_that_is_not_the_first_cards, {"fronts"}),
    (stages, "stock_sets", with_hosts_forgotten, {"sweep"}),
])
def test_the_judge_finds_a_planted_mistake(module: ModuleType, name: str, planted: Callable, engines: set,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    """In the engines that are made of it, and nowhere else."""
    monkeypatch.setattr(module, name, planted)
    complaints = judge_all(range(PLANTED_CASES), FULL_RESERVE).complaints
    assert {name for name in ENGINES for line in complaints if f": {name}: {WRONGLY_LOST}" in line} == engines
    assert all(WRONGLY_LOST in line for line in complaints)


@pytest.mark.parametrize("pruning, pinned", [(RIGID_PILES, {"unit": "suffix", "cover_base": True}),
                                             (SAFE_WASTE, {"draw": 3, "ranks": 5})], ids=["rigid-piles", "safe-waste"])
def test_the_judge_finds_a_pruning_where_it_does_not_hold(pruning: int, pinned: dict) -> None:
    complaints = judge_all(range(100), PINNED | pinned, more=pruning).complaints
    for name in ENGINES - PROVE_ONLY:
        assert any(f": {name}: {WRONGLY_LOST}" in line for line in complaints), name


def test_the_judge_finds_a_win_that_cannot_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep's path without its last move."""
    monkeypatch.setattr(Sweep, "winning_path", lambda engine: winning_path(engine)[:-1])
    complaints = judge_all(range(60), COVERS_TOLD).complaints
    assert len(complaints) > 10 and all(": sweep: solution does not replay" in line for line in complaints)
