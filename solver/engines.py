"""Searches as objects: the arrays that a kernel works on, enlarged as it asks for more, within a memory limit.

Here what all searches share, and those of the pile game (every rule set); setengines.py has those of the set game.
solving.py decides which run, and for how long.
"""

from functools import lru_cache

import numpy as np

from solver import beam, bestfirst, choices, prospects, relaxation, search
from solver.estimates import UNLIMITED_NODES, Try, count_knots, estimates_for, weights_of
from solver.jams import is_jammed
from solver.moves import MOST_MOVES
from solver.packed import WIDTH, Game, pack_game
from solver.pilesfirst import search_piles_first
from solver.position import Position
from solver.prunings import settle
from solver.rulesets import Rules
from solver.table import move_entries, new_table

WINNABLE, UNWINNABLE, UNDECIDED = "winnable", "unwinnable", "undecided"
SLICE = 20_000
FIRST_ENTRIES = 1 << 12
FIRST_ROWS = 2 * MOST_MOVES


class Engine:
    """One search. Subclasses name the kernel, and how much of the memory its open positions may take.

    nodes: positions expanded so far; truncated: the space was searched to its end, but not every position could be
    written down, so that the end proves nothing; is_full: the open positions outgrew their share of the memory.
    """

    set_game = True
    limit = UNLIMITED_NODES  # nodes, whatever the caller's budget
    open_share, table_share = 4, 2  # of the memory, as divisors
    first_share = 1  # of FIRST_ROWS, as a factor

    def __init__(self, game: Game, root: np.ndarray, row_words: int, memory: int):
        self.game, self.root, self.memory = game, root, memory
        self.rows = np.empty((self.first_share * FIRST_ROWS, row_words), np.uint64)
        self.rows[0] = 0
        self.rows[0, :len(root)] = root
        self.table = new_table(FIRST_ENTRIES)
        self.status = np.zeros(search.STATUS_LENGTH, np.int64)
        self.status[search.STACK_TOP] = 1
        self.truncated = self.is_full = self.root_is_won = False

    @property
    def nodes(self) -> int:
        return int(self.status[search.NODES])

    def run(self, budget: int) -> str:
        """Search to the end or until ``budget`` nodes are expanded; short slices let Ctrl-C through."""
        if self.root_is_won:
            return WINNABLE
        while True:
            self.status[search.NODE_LIMIT] = min(budget, self.nodes + SLICE)
            outcome = self.run_slice()
            if outcome == search.WON:
                return WINNABLE
            if outcome == search.EXHAUSTED:
                self.truncated = bool(self.status[search.TRUNCATED])
                return UNDECIDED if self.truncated else UNWINNABLE
            if outcome == search.BUDGET_SPENT and self.nodes >= budget:
                return UNDECIDED
            if (outcome == search.STACK_FULL and not self.enlarge_rows()
                    or outcome == search.TABLE_FULL and not self.enlarge_table()):
                self.is_full = True
                return UNDECIDED
            if outcome == search.RELAXED_FULL:
                self.enlarge_relaxed()

    def run_slice(self) -> int:
        """Run the kernel once; its outcome."""
        raise NotImplementedError

    def enlarge_rows(self) -> bool:
        """Double the room for open positions. False when their share of the memory is used up."""
        if 3 * self.rows.nbytes > self.memory // self.open_share:  # old and new together
            return False
        self.rows = np.concatenate([self.rows, np.empty_like(self.rows)])
        return True

    def enlarge_table(self) -> bool:
        """Enlarge the table fourfold, or twofold; once its share is used up let it replace entries instead. False where
        the search cannot go on."""
        for factor in (4, 2):
            if factor * self.table.nbytes <= self.memory // self.table_share:
                larger = new_table(factor * (len(self.table) // 2))
                self.status[search.ENTRIES] = move_entries(self.table, larger)
                self.table = larger
                return True
        self.status[search.ENTRIES] = -(1 << 62)
        return True

    def enlarge_relaxed(self) -> None:
        """Enlarge the relaxation's table fourfold; an eighth of the memory is its. Then ask it no more."""
        table, numbers = self.relaxed.table, self.relaxed.numbers
        if 4 * table.nbytes > self.memory // 8:
            numbers[relaxation.ACTIVE] = numbers[relaxation.ENTRIES] = 0
            return
        larger = new_table(4 * (len(table) // 2))
        numbers[relaxation.ENTRIES] = move_entries(table, larger)
        self.relaxed = self.relaxed._replace(table=larger)


class Stacked(Engine):
    """What the depth-first searches share: a stack of open positions, and the path to the one in hand."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.path = np.empty(FIRST_ROWS, np.uint64)

    def enlarge_rows(self) -> bool:
        if not super().enlarge_rows():
            return False
        self.path = np.concatenate([self.path, np.empty_like(self.path)])
        return True

    def winning_path(self) -> np.ndarray:
        """The moves of the win, forced ones left out; the first entry stands for the root."""
        return self.path[:0 if self.root_is_won else int(self.status[search.SOLUTION_LENGTH])]


class Queued(Engine):
    """What the best-first searches share: they keep every position, so most of the memory is for them."""

    open_share, table_share = 2, 4
    buckets = bestfirst.BUCKETS

    def start_queues(self, plan: Try) -> None:
        """Put the root, and nothing else, into the first queue, or into each where there is one for each estimate."""
        self.weights = weights_of(*plan.estimates)
        self.heads = np.full((plan.stages or len(self.weights), self.buckets), -1, np.int32)
        self.heads[:1 if plan.stages else None, 0] = 0
        self.limit = plan.nodes

    def winning_path(self) -> np.ndarray:
        """As for the other searches, following the origins back from the won position."""
        words, origins = [], self.rows[:, -2]
        row = 0 if self.root_is_won else int(self.status[search.STACK_TOP]) - 1
        while row:
            origin = origins.item(row)
            words.append(origin >> 32)
            row = origin & bestfirst.PARENT_MASK
        return np.array([0, *words[::-1]], np.uint64)


@lru_cache(maxsize=8)
def _packed(position: Position, rules: Rules, prunings: int) -> tuple[Game, np.ndarray]:
    """As pack_game, once for many tries of a deal; nobody writes into what it gives."""
    return pack_game(position, rules, prunings)


class PileEngine(Engine):
    """What the two searches of the pile game (packed.py) share."""

    set_game = False

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, row_words: int = 2):
        game, root = _packed(position, rules, prunings)
        super().__init__(game, root, int(game.spec[WIDTH]) + row_words, memory)
        self.scratch = search.new_scratch()
        settle(self.rows[0], game, self.scratch[0])
        self.root_is_won = bool(search.is_won(self.rows[0], game.spec))


class Jams(PileEngine):
    """No search, but the question whether the root is lost at first sight (see jams.py); it counts as a node."""

    def run(self, budget: int) -> str:
        if self.root_is_won or budget <= self.nodes:
            return UNDECIDED
        self.status[search.NODES] += 1
        return UNWINNABLE if is_jammed(self.rows[0], self.game, self.scratch[6]) else UNDECIDED


class PileSearch(Stacked, PileEngine):
    """Depth-first on the pile game."""

    def run_slice(self) -> int:
        return search.search_slice(self.rows, self.path, self.table, self.status, search.DEFAULT_ORDER, self.game,
                                   self.scratch)


class PilesFirst(Queued, PileEngine):
    """Best-first on the pile game. plan: what it goes by, None for the estimates of the rule set and no limit."""

    first_share = 4  # tries start so often that doubling would take a tenth of the time; unused rows cost nothing

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, plan: Try | None = None):
        plan = plan or Try(estimates_for(rules), UNLIMITED_NODES)
        super().__init__(position, rules, prunings, memory, 3 if plan.by_choices else 2)
        self.start_queues(plan)
        self.knots, self.plan = count_knots(self.game.reserve), plan
        if plan.wide:
            self.alike = np.zeros(beam.ALIKE_SLOTS, np.uint8)

    def run_slice(self) -> int:
        if self.plan.by_choices:
            return choices.search_by_choices(self.rows, self.heads, self.table, self.status, prospects.WEIGHTS,
                                             self.plan.wide, self.plan.alike, self.alike, self.game, self.scratch)
        arrays = self.rows, self.heads, self.table, self.status, self.weights, self.knots, self.plan.number
        if self.plan.wide:
            return beam.search_by_beam(*arrays, self.plan.wide, self.plan.alike, self.alike, self.game, self.scratch)
        return search_piles_first(*arrays, self.game, self.scratch)
