"""Solving a list of deals under one rule set with the clock running, and what the figures come to."""

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from solver.cards import BadInput
from solver.position import Position
from solver.prunings import CARD_SETS, prunings_for
from solver.rulesets import Rules
from solver.setengines import set_engines
from solver.solution import replay
from solver.solving import DEFAULT_MEMORY, UNDECIDED, UNWINNABLE, WINNABLE, solve
from solver.sources import deal, read_deals

VERDICTS = (WINNABLE, UNWINNABLE, UNDECIDED)
WARMING_DEALS = 3
WARMING_NODES = 500

Deals = list[tuple[str, Position]]


@dataclass(frozen=True)
class Timed:
    """One deal. seconds: CPU time of the thread that solved it; objection: what is wrong with the answer, or None."""

    name: str
    verdict: str
    nodes: int
    seconds: float
    objection: str | None = None


@dataclass(frozen=True)
class Run:
    """All deals under one rule set; wall_seconds: from the first to the last, however many threads there were."""

    rules: Rules
    timed: list[Timed]
    wall_seconds: float
    counts: Counter = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", Counter(timed.verdict for timed in self.timed))

    @property
    def nodes(self) -> int:
        return sum(timed.nodes for timed in self.timed)

    @property
    def seconds(self) -> list[float]:
        return [timed.seconds for timed in self.timed]

    @property
    def objections(self) -> list[str]:
        return [f"{self.rules.name}, deal {timed.name}: {timed.objection}" for timed in self.timed if timed.objection]

    def as_dict(self) -> dict:
        """Everything, ready for JSON; times in seconds."""
        seconds = self.seconds
        return {
            "variant": self.rules.name, "rules": self.rules.as_dict(), "deals": len(self.timed),
            **{verdict: self.counts[verdict] for verdict in VERDICTS}, "nodes": self.nodes,
            "nodes_per_second": round(self.nodes / max(sum(seconds), 1e-9)), "mean_seconds": statistics.mean(seconds),
            "median_seconds": statistics.median(seconds), "worst_seconds": max(seconds),
            "wall_seconds": self.wall_seconds, "objections": self.objections,
            "each": [{"deal": timed.name, "verdict": timed.verdict, "nodes": timed.nodes, "seconds": timed.seconds}
                     for timed in self.timed],
        }


def seeded_deals(first: int, last: int, rules: Rules) -> Deals:
    """Our own deals ``first`` to ``last``, both included."""
    return [(str(seed), deal(seed, rules)) for seed in range(first, last + 1)]


def deals_of_file(path: Path, rules: Rules) -> Deals:
    """The deals of a file in any of the forms that ``canfield-solve verify`` reads. Raises BadInput."""
    try:
        deals = list(read_deals(path.read_text(encoding="utf-8"), rules))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    if not deals:
        raise BadInput(f"{path}: no deals")
    return deals


def known_verdicts(path: Path, variant: str) -> dict[str, str]:
    """Known verdicts of a file of deals by name: from ``verdicts-X.tsv`` beside ``deals-X.txt``, where it is there and
    has a column of that variant."""
    beside = path.with_name(path.name.replace("deals", "verdicts")).with_suffix(".tsv")
    if beside == path or not beside.is_file():
        return {}
    heading, *rows = [line.split("\t") for line in beside.read_text(encoding="utf-8").splitlines()]
    if variant not in heading:
        return {}
    column = heading.index(variant)
    return {row[0]: row[column] for row in rows if row[column] in (WINNABLE, UNWINNABLE)}


def warm_up(deals: Deals, rules: Rules) -> None:
    """Load or compile every kernel that these deals may need: with all prunings, and on the bare pile game."""
    for _, position in deals[:WARMING_DEALS]:
        for prunings in (None, 0):
            solve(position, rules, nodes=WARMING_NODES, prunings=prunings)
        if prunings_for(rules) & CARD_SETS:
            for engine in set_engines(position, rules, prunings_for(rules), DEFAULT_MEMORY << 20, True):
                engine.run(WARMING_NODES)


def measure(deals: Deals, rules: Rules, nodes: int, memory: int, jobs: int = 1, replayed: bool = False,
            known: dict[str, str] | None = None, tick: Callable[[], None] = lambda: None) -> Run:
    """Solve every deal within ``nodes`` and ``memory`` MB, ``jobs`` at a time; ``tick`` is called after each.

    replayed: write every solution down and replay it (the writing is part of the time, the replay is not);
    known: verdicts by name that must not be contradicted.
    """
    def solve_one(named: tuple[str, Position]) -> Timed:
        name, position = named
        began = time.thread_time()
        result = solve(position, rules, nodes=nodes, memory=memory, want_solution=replayed)
        seconds = time.thread_time() - began
        objection = _objection(result.verdict, (known or {}).get(name))
        if replayed and result.solution is not None and not objection:
            played = replay(position, rules, result.solution)
            objection = None if played.won else f"the solution does not replay: {played.message}"
        tick()
        return Timed(name, result.verdict, result.nodes, seconds, objection)

    began = time.perf_counter()
    if jobs == 1:
        timed = [solve_one(named) for named in deals]
    else:
        with ThreadPoolExecutor(jobs) as pool:
            timed = list(pool.map(solve_one, deals))
    return Run(rules, timed, time.perf_counter() - began)


def _objection(verdict: str, known: str | None) -> str | None:
    if known is None or verdict in (known, UNDECIDED):
        return None
    return f"{verdict}, known to be {known}"


def share(part: int, whole: Sequence | int) -> float:
    """Percentage."""
    size = whole if isinstance(whole, int) else len(whole)
    return 100 * part / max(size, 1)
