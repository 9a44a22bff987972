"""The front of the engine: solve one position under one rule set, with a verdict that is exact or "undecided"."""

import time
from dataclasses import dataclass

import numpy as np

from solver import search
from solver.classes import pack_classes
from solver.decoding import Winding, decode
from solver.game import Move
from solver.moves import MOST_MOVES
from solver.packed import WIDTH, Game, pack_game
from solver.position import Position
from solver.prunings import TWIN_CLASSES, prunings_for, settle
from solver.rulesets import Rules
from solver.table import move_entries, new_table

WINNABLE, UNWINNABLE, UNDECIDED = "winnable", "unwinnable", "undecided"
DEFAULT_NODES = 3_000_000
DEFAULT_MEMORY = 512
SLICE = 100_000
FIRST_ENTRIES = 1 << 13
FIRST_ROWS = 2 * MOST_MOVES


@dataclass(frozen=True)
class Result:
    """What a search found. verdict: ``"winnable"`` (then ``solution`` replays), ``"unwinnable"`` (the whole space
    was exhausted) or ``"undecided"`` (a budget ran out); nodes: positions expanded; seconds: wall time."""

    position: Position
    rules: Rules
    verdict: str
    nodes: int
    seconds: float
    solution: list[Move] | None


def solve(position: Position, rules: Rules, nodes: int = DEFAULT_NODES, memory: int = DEFAULT_MEMORY,
          prunings: int | None = None) -> Result:
    """Decide ``position`` under ``rules``.

    nodes: budget of positions expanded; memory: limit for table and stack together, in MB; prunings: bits of
    prunings.py, None for all that are proved for the rule set (0 switches all off). The same call gives the same
    verdict and node count on every machine.
    """
    began = time.perf_counter()
    bits = prunings_for(rules) if prunings is None else prunings
    packers = [pack_classes, pack_game] if bits & TWIN_CLASSES else [pack_game]
    verdict, solution, spent = UNDECIDED, None, 0
    for pack in packers:
        game, root = pack(position, rules, bits)
        run = _Search(game, root, nodes - spent, memory << 20)
        verdict = run.run()
        spent += run.nodes
        if verdict == WINNABLE:
            try:
                solution = decode(run.winning_path(), game, root, position, rules)
            except Winding:
                verdict, run.truncated = UNDECIDED, True
        if not (verdict == UNDECIDED and run.truncated):
            break
    return Result(position, rules, verdict, spent, time.perf_counter() - began, solution)


class _Search:
    """One search: the arrays that the kernel works on, enlarged as it asks for more."""

    def __init__(self, game: Game, root: np.ndarray, nodes: int, memory: int):
        self.game, self.budget, self.memory = game, nodes, memory
        width = int(game.spec[WIDTH])
        self.stack = np.empty((FIRST_ROWS, width + 2), np.uint64)
        self.path = np.empty(FIRST_ROWS, np.uint64)
        self.table = new_table(FIRST_ENTRIES)
        self.status = np.zeros(search.STATUS_LENGTH, np.int64)
        self.stack[0] = 0
        self.stack[0, :width] = root
        settle(self.stack[0], game, np.empty(256, np.uint64))
        self.root_is_won = bool(search.is_won(self.stack[0], game.spec))
        self.status[search.STACK_TOP] = 1
        self.truncated = False
        self.scratch = search.new_scratch()

    @property
    def nodes(self) -> int:
        return int(self.status[search.NODES])

    def run(self) -> str:
        """Search to the end or the budget; the kernel's slices let Ctrl-C through."""
        if self.root_is_won:
            return WINNABLE
        while True:
            self.status[search.NODE_LIMIT] = min(self.budget, self.nodes + SLICE)
            outcome = search.search_slice(self.stack, self.path, self.table, self.status, search.DEFAULT_ORDER,
                                          self.game, self.scratch)
            if outcome == search.WON:
                return WINNABLE
            if outcome == search.EXHAUSTED:
                self.truncated = bool(self.status[search.TRUNCATED])
                return UNDECIDED if self.truncated else UNWINNABLE
            if outcome == search.BUDGET_SPENT and self.nodes >= self.budget:
                return UNDECIDED
            if outcome == search.STACK_FULL and not self._enlarge_stack():
                return UNDECIDED
            if outcome == search.TABLE_FULL:
                self._enlarge_table()

    def winning_path(self) -> np.ndarray:
        """The moves of the win, forced ones left out; the first entry stands for the root."""
        return self.path[:0 if self.root_is_won else int(self.status[search.SOLUTION_LENGTH])]

    def _enlarge_stack(self) -> bool:
        """Double stack and path; a quarter of the memory is theirs. False when that is used up."""
        if 2 * (self.stack.nbytes + self.path.nbytes) > self.memory // 4:
            return False
        self.stack = np.concatenate([self.stack, np.empty_like(self.stack)])
        self.path = np.concatenate([self.path, np.empty_like(self.path)])
        return True

    def _enlarge_table(self) -> None:
        """Enlarge the table fourfold, or twofold; half the memory is its. Then let it replace entries instead."""
        for factor in (4, 2):
            if factor * self.table.nbytes <= self.memory // 2:
                larger = new_table(factor * (len(self.table) // 2))
                self.status[search.ENTRIES] = move_entries(self.table, larger)
                self.table = larger
                return
        self.status[search.ENTRIES] = -(1 << 62)
