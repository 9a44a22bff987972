"""The front of the engine: solve one position under one rule set, with a verdict that is exact or "undecided"."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from solver import search
from solver.decoding import Winding, count_moves, decode
from solver.engines import UNDECIDED, UNWINNABLE, WINNABLE, Engine, Jams, PileSearch, PilesFirst
from solver.estimates import tries_for
from solver.game import Move
from solver.position import Position
from solver.prunings import CARD_SETS, JAMS, prunings_for
from solver.rulesets import Rules
from solver.setengines import set_engines

__all__ = ["DEFAULT_MEMORY", "DEFAULT_NODES", "UNDECIDED", "UNWINNABLE", "WINNABLE", "Result", "solve"]

DEFAULT_NODES = 3_000_000
DEFAULT_MEMORY = 512


@dataclass(frozen=True)
class Result:
    """What a search found. verdict: ``"winnable"`` (then ``solution`` replays), ``"unwinnable"`` (the whole space
    was exhausted) or ``"undecided"`` (a budget ran out); nodes: positions expanded; seconds: wall time; solution:
    None where there is none, or none was asked for; length: its number of moves, where that was asked for."""

    position: Position
    rules: Rules
    verdict: str
    nodes: int
    seconds: float
    solution: list[Move] | None
    length: int | None = None


def solve(position: Position, rules: Rules, nodes: int = DEFAULT_NODES, memory: int = DEFAULT_MEMORY,
          prunings: int | None = None, want_solution: bool = True, want_length: bool = False) -> Result:
    """Decide ``position`` under ``rules``.

    nodes: budget of positions expanded; memory: limit for all tables and open positions together, in MB; prunings:
    bits of prunings.py, None for all that are proved for the rule set (0 switches all off); want_solution: False saves
    the milliseconds that it takes to write a solution down; its length takes few of them (want_length). The same call
    gives the same verdict and node count on every machine. Raises BadInput for a position with a pile too long to be
    packed.
    """
    began = time.perf_counter()
    bits = prunings_for(rules) if prunings is None else prunings
    verdict, solution, length, spent = UNDECIDED, None, None, 0
    for engine in _engines(position, rules, bits, memory << 20):
        before = engine.nodes
        verdict = engine.run(min(before + nodes - spent, engine.limit))
        spent += engine.nodes - before
        # Where twins are doubtful, a path is a win only if it can be played: see cardsets.py.
        path_to_win = (engine.winning_path(), engine.game, engine.root) if verdict == WINNABLE else None
        if path_to_win and (want_solution or want_length or engine.status[search.TRUNCATED]):
            try:
                if want_solution:
                    solution = decode(*path_to_win, position, rules, engine.set_game)
                    length = len(solution)
                else:
                    length = count_moves(*path_to_win, position, engine.set_game)
            except Winding:
                verdict, engine.truncated = UNDECIDED, True
        if verdict != UNDECIDED or spent >= nodes and not engine.truncated:
            break
    return Result(position, rules, verdict, spent, time.perf_counter() - began, solution if want_solution else None,
                  length)


def _engines(position: Position, rules: Rules, prunings: int, memory: int) -> Iterator[Engine]:
    """The searches in the order in which they are tried; some come more than once, to go on where they were. The memory
    of each is free again before the next begins, or shared.

    Best-first finds wins early but keeps all it meets, depth-first needs hardly more than its table. Where the classes
    of twins left moves in doubt, the set game is searched again with twins told apart.
    """
    if prunings & JAMS:
        yield Jams(position, rules, prunings, memory)
    for plan in tries_for(rules):
        # Short tries are for wins: asking each position for jams takes as long as the search, and wins no more.
        yield PilesFirst(position, rules, prunings if plan.wide else prunings & ~JAMS, memory, plan)
    if not prunings & CARD_SETS:
        for kind in (PilesFirst, PileSearch):
            yield kind(position, rules, prunings, memory)
        return
    for classes in (True, False):
        in_doubt = False
        for engine in set_engines(position, rules, prunings, memory, classes):
            yield engine
            in_doubt = engine.truncated and engine.set_game
            del engine
            if in_doubt:
                break
        if not in_doubt:
            return
