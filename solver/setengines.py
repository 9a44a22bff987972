"""The searches of the set game as objects (see engines.py), and in which order they are tried."""

from collections.abc import Iterator

import numpy as np

from solver import bestfirst, relaxation, search, sweep
from solver.bits import U
from solver.cardsets import STATE_WORDS, UP, pack_card_sets
from solver.engines import FIRST_ENTRIES, UNDECIDED, UNWINNABLE, Engine, Queued, Stacked
from solver.estimates import Try, tries_of_sets
from solver.moves import MOST_MOVES
from solver.position import Position
from solver.prunings import DRAW_ONE
from solver.rulesets import Rules
from solver.setsearch import search_sets, step_state
from solver.table import new_table

RELAXED_NODES = 2_000
FRONTS = ((4, 4_000), (8, 8_000), (12, 16_000), (16, 24_000))
"""Fronts of the relaxation to try on the root, with the most relaxed nodes each may take."""
FRONT_ENTRIES = 1 << 17


def set_engines(position: Position, rules: Rules, prunings: int, memory: int, classes: bool) -> Iterator[Engine]:
    """The searches in the order in which they are tried. classes: see cardsets.pack_card_sets.

    First those that find wins early; then what shows that none is to be found; depth-first comes last, as it needs
    least memory.
    """
    for plan in tries_of_sets(rules):
        yield BestFirst(position, rules, prunings, memory, classes, plan)
    if sweep.has_levels(rules):
        if prunings & DRAW_ONE and rules.passes is None and rules.draw > 1:
            yield Fronts(position, rules, prunings, memory, classes)
        yield Sweep(position, rules, prunings, memory, classes)
    yield SetSearch(position, rules, prunings, memory, classes)


class SetEngine(Engine):
    """What the searches of the set game share: the packed root, and the relaxation. classes: see pack_card_sets."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool, row_words: int):
        game, root = pack_card_sets(position, rules, prunings, classes)
        super().__init__(game, root, row_words, memory)
        self.moves = np.empty(MOST_MOVES, np.uint64)
        self.relaxed = relaxation.new_relaxed(game, bool(prunings & DRAW_ONE), RELAXED_NODES)
        step_state(self.rows[0], U(0), game, self.moves)
        self.root_is_won = int(self.rows[0, UP]) == (1 << 4 * rules.ranks) - 1


class SetSearch(Stacked, SetEngine):
    """Depth-first on the set game."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS)

    def run_slice(self) -> int:
        return search_sets(self.rows, self.path, self.table, self.status, self.game, self.relaxed, self.moves)


class BestFirst(Queued, SetEngine):
    """Best-first on the set game. plan: what it goes by, None for the first of the rule set's tries."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True,
                 plan: Try | None = None):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS + 2)
        self.start_queues(plan or tries_of_sets(rules)[0])

    def run_slice(self) -> int:
        return bestfirst.search_sets_first(self.rows, self.heads, self.table, self.status, self.weights, self.game,
                                           self.relaxed, self.moves)


class Fronts(SetEngine):
    """No search of the game, but of relaxations of the root, from short fronts to longer ones (see relaxation.py)."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS)

    def run(self, budget: int) -> str:
        for front, nodes in FRONTS:
            nodes = min(nodes, budget - self.nodes)
            if nodes <= 0 or self.root_is_won:
                break
            relaxed = relaxation.new_relaxed(self.game, True, nodes, front, FRONT_ENTRIES)
            verdict = relaxation.relaxed_verdict(self.rows[0], self.game, relaxed)
            self.status[search.NODES] += relaxed.numbers[relaxation.NODES]
            if verdict == relaxation.DEAD:
                return UNWINNABLE
        return UNDECIDED


class Sweep(SetEngine):
    """Level by level on the set game."""

    open_share, table_share = 2, 8

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True):
        super().__init__(position, rules, prunings, memory, classes, sweep.ROW_WORDS)
        up_word, stock_word, tableau, bottoms, higher, at_pass = self.rows[0].copy()
        # Untouched pages cost nothing, so that all the rows there may ever be can be had at once.
        self.rows = np.empty((memory // self.open_share // (8 * sweep.ROW_WORDS), sweep.ROW_WORDS), np.uint64)
        self.rows[0] = stock_word, tableau, higher, bottoms, at_pass, sweep.NOTHING
        self.stages, self.index = np.empty((1 << 11, sweep.STAGE_WORDS), np.uint64), np.zeros(1 << 12, np.int64)
        self.levels = np.full(sweep.LEVELS, sweep.NOTHING, np.int64)
        self.second, self.hosts = new_table(FIRST_ENTRIES), sweep.hosts_of_stock(self.game)
        self.status = np.zeros(sweep.SWEEP_STATUS_LENGTH, np.int64)
        self.status[search.STACK_TOP] = sweep.BLOCK
        self.status[[sweep.FREE_ROW, sweep.OPEN_ROW]] = -1
        sweep.enter_root(up_word, bottoms, at_pass, self.game, self.relaxed, self.stages, self.index, self.levels,
                         self.status)

    def run_slice(self) -> int:
        outcome = sweep.search_levels(self.rows, self.stages, self.index, self.levels, self.table, self.second,
                                      self.hosts, self.status, self.game, self.relaxed, self.moves)
        if outcome == sweep.STAGES_FULL:
            self.stages = np.concatenate([self.stages, np.empty_like(self.stages)])
            self.index = np.zeros(2 * len(self.index), np.int64)
            sweep.fill_index(self.stages, self.index, self.status[sweep.STAGES])
        return outcome

    def enlarge_rows(self) -> bool:
        return False

    def enlarge_table(self) -> None:
        """Double the tables of a stage."""
        self.table, self.second = (np.concatenate([old, np.zeros_like(old)]) for old in (self.table, self.second))

    def winning_path(self) -> np.ndarray:
        """As for the other searches, following the origins back from the won row."""
        words = []
        row = 0 if self.root_is_won else int(self.status[search.SOLUTION_LENGTH])
        while row:
            words.append(int(self.rows[row, sweep.ROW_ORIGIN]) >> 32)
            row = int(self.rows[row, sweep.ROW_LINKS]) >> 32
        return np.array([0, *words[::-1]], np.uint64)
