"""The solver before the judge: verdicts and solutions of small deals compared with brute force, case by case."""

import json
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from bruteforce import decide
from smalldecks import random_case

from solver.decoding import Winding, decode
from solver.position import Position
from solver.rulesets import Rules
from solver.search import TRUNCATED
from solver.setengines import SetEngine
from solver.solution import replay, solution_from_json, solution_to_json
from solver.solving import UNDECIDED, WINNABLE, Result, solve

LIMIT = 3000  # positions that brute force looks at before it gives a case up
NODES = 20_000  # the solver's budget: what it leaves open is counted, never called wrong
SKIPPED, OPEN = "skipped", "open"

Solver = Callable[[Position, Rules], Result]


class Tally(NamedTuple):
    """counts: cases by verdict where both agree, ``"skipped"`` by brute force, left ``"open"`` by the solver;
    complaints: one line for every case that went wrong."""

    counts: Counter
    complaints: list[str]


def default_solver(position: Position, rules: Rules) -> Result:
    """The solver as it is, on a small budget."""
    return solve(position, rules, nodes=NODES, memory=64)


def objection(result: Result, position: Position, rules: Rules, verdict: str) -> str | None:
    """What is wrong with a decided result where brute force says ``verdict``, None where nothing is."""
    if result.verdict != verdict:
        return f"{result.verdict}, but brute force says {verdict}"
    if (result.solution is None) != (verdict == "unwinnable"):
        return f"{verdict} with solution {result.solution}"
    if result.solution is None:
        return None
    read_back = solution_from_json(json.loads(json.dumps(solution_to_json(result.solution))))
    for moves in (result.solution, read_back):
        replayed = replay(position, rules, moves)
        if not replayed.won:
            return f"solution does not replay: {replayed.message}"
    return None


def finished(engine: SetEngine, position: Position, rules: Rules, nodes: int = 200_000) -> Result:
    """What solving.solve makes of one engine's end: a path that piles cannot follow leaves it in doubt."""
    verdict, solution = engine.run(nodes), None
    if verdict == WINNABLE:
        try:
            solution = decode(engine.winning_path(), engine.game, engine.root, position, rules, True)
        except Winding:
            assert engine.status[TRUNCATED]
            verdict, engine.truncated = UNDECIDED, True
    return Result(position, rules, verdict, engine.nodes, 0.0, solution)


def judge(position: Position, rules: Rules, tally: Tally, label: str = "", solver: Solver = default_solver) -> None:
    """Enter one case into ``tally``; ``label`` stands in front of a complaint."""
    verdict = decide(position, rules, LIMIT)
    if verdict is None:
        tally.counts[SKIPPED] += 1
        return
    result = solver(position, rules)
    if result.verdict == "undecided":
        tally.counts[OPEN] += 1
        return
    complaint = objection(result, position, rules, verdict)
    if complaint is None:
        tally.counts[verdict] += 1
    else:
        tally.complaints.append(f"{label}: {complaint}: {rules}")


def judge_seeds(seeds: range, pinned: dict | None = None, solver: Solver = default_solver) -> Tally:
    """The cases of smalldecks.py for ``seeds``, with some rule fields pinned."""
    tally = Tally(Counter(), [])
    for seed in seeds:
        judge(*random_case(seed, **(pinned or {})), tally, f"seed {seed} {pinned or ''}", solver)
    return tally


def check(tally: Tally, cases: int, open_share: float = 0.003, skipped_share: float = 0.06) -> None:
    """Nothing wrong, hardly any case left out, and both verdicts well represented."""
    assert tally.complaints == []
    assert tally.counts.total() == cases
    assert tally.counts[OPEN] <= max(1, open_share * cases), tally.counts
    assert tally.counts[SKIPPED] <= max(1, skipped_share * cases), tally.counts
    assert min(tally.counts["winnable"], tally.counts["unwinnable"]) > cases / 20, tally.counts
