"""The front of the engine: solve one position under one rule set, with a verdict that is exact or "undecided"."""

import time
from dataclasses import dataclass

import numpy as np

from solver import relaxation, search
from solver.bits import U
from solver.cardsets import UP, pack_card_sets
from solver.decoding import Winding, decode
from solver.game import Move
from solver.moves import MOST_MOVES
from solver.packed import WIDTH, Game, pack_game
from solver.position import Position
from solver.prunings import CARD_SETS, DRAW_ONE, prunings_for, settle
from solver.relaxation import new_relaxed
from solver.rulesets import Rules
from solver.setsearch import search_sets, step_state
from solver.table import move_entries, new_table

WINNABLE, UNWINNABLE, UNDECIDED = "winnable", "unwinnable", "undecided"
DEFAULT_NODES = 3_000_000
DEFAULT_MEMORY = 512
SLICE = 100_000
RELAXED_NODES = 2_000
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
    engines = [_SetSearch, _PileSearch] if bits & CARD_SETS else [_PileSearch]
    verdict, solution, spent = UNDECIDED, None, 0
    for engine in engines:
        run = engine(position, rules, bits, nodes - spent, memory << 20)
        verdict = run.run()
        spent += run.nodes
        if verdict == WINNABLE:
            try:
                solution = decode(run.winning_path(), run.game, run.root, position, rules, run.set_game)
            except Winding:
                verdict, run.truncated = UNDECIDED, True
        if not (verdict == UNDECIDED and run.truncated):
            break
    return Result(position, rules, verdict, spent, time.perf_counter() - began, solution)


class _Search:
    """One search: the arrays that a kernel works on, enlarged as it asks for more. Subclasses name the kernel."""

    def __init__(self, game: Game, root: np.ndarray, nodes: int, memory: int):
        self.game, self.budget, self.memory = game, nodes, memory
        self.stack = np.empty((FIRST_ROWS, len(root) + self.extra_words), np.uint64)
        self.path = np.empty(FIRST_ROWS, np.uint64)
        self.table = new_table(FIRST_ENTRIES)
        self.status = np.zeros(search.STATUS_LENGTH, np.int64)
        self.status[search.STACK_TOP] = 1
        self.truncated = False

    @property
    def nodes(self) -> int:
        return int(self.status[search.NODES])

    def run(self) -> str:
        """Search to the end or the budget; the kernel's slices let Ctrl-C through."""
        if self.root_is_won:
            return WINNABLE
        while True:
            self.status[search.NODE_LIMIT] = min(self.budget, self.nodes + SLICE)
            outcome = self.run_slice()
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
            if outcome == search.RELAXED_FULL:
                self._enlarge_relaxed()

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


class _PileSearch(_Search):
    """A search of the pile game (packed.py): every rule set."""

    set_game = False
    extra_words = 2

    def __init__(self, position: Position, rules: Rules, prunings: int, nodes: int, memory: int):
        game, self.root = pack_game(position, rules, prunings)
        super().__init__(game, self.root, nodes, memory)
        width = int(game.spec[WIDTH])
        self.stack[0] = 0
        self.stack[0, :width] = self.root
        self.scratch = search.new_scratch()
        settle(self.stack[0], game, self.scratch[0])
        self.root_is_won = bool(search.is_won(self.stack[0], game.spec))

    def run_slice(self) -> int:
        return search.search_slice(self.stack, self.path, self.table, self.status, search.DEFAULT_ORDER, self.game,
                                   self.scratch)


class _SetSearch(_Search):
    """A search of the set game (cardsets.py): one deck in alternate colours."""

    set_game = True
    extra_words = 0

    def __init__(self, position: Position, rules: Rules, prunings: int, nodes: int, memory: int):
        game, self.root = pack_card_sets(position, rules, prunings)
        super().__init__(game, self.root, nodes, memory)
        self.stack[0] = self.root
        self.moves = np.empty(MOST_MOVES, np.uint64)
        self.relaxed = new_relaxed(game, bool(prunings & DRAW_ONE), RELAXED_NODES)
        step_state(self.stack[0], U(0), game, self.moves)
        self.root_is_won = int(self.stack[0, UP]) == (1 << 4 * rules.ranks) - 1

    def run_slice(self) -> int:
        return search_sets(self.stack, self.path, self.table, self.status, self.game, self.relaxed, self.moves)

    def _enlarge_relaxed(self) -> None:
        """Enlarge the relaxation's table fourfold; an eighth of the memory is its. Then ask it no more."""
        table, numbers = self.relaxed.table, self.relaxed.numbers
        if 4 * table.nbytes > self.memory // 8:
            numbers[relaxation.ACTIVE] = numbers[relaxation.ENTRIES] = 0
            return
        larger = new_table(4 * (len(table) // 2))
        numbers[relaxation.ENTRIES] = move_entries(table, larger)
        self.relaxed = self.relaxed._replace(table=larger)
