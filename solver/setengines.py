"""The searches of the set game as objects (see engines.py), and in which order they are tried."""

from collections.abc import Iterator

import numpy as np

from solver import bestfirst, deferred, relaxation, rows, search, stages, sweep
from solver.bits import U
from solver.cardsets import BOTTOMS, HIGHER, STATE_WORDS, TABLEAU, UP, pack_card_sets
from solver.engines import FIRST_ENTRIES, UNDECIDED, UNWINNABLE, WINNABLE, Engine, PilesFirst, Queued, Stacked
from solver.estimates import Try, late_beams_for, tries_of_sets
from solver.moves import MOST_MOVES
from solver.position import Position
from solver.prunings import DEFERRED, DRAW_ONE
from solver.rulesets import Rules
from solver.setsearch import search_sets, step_state
from solver.table import new_table

RELAXED_NODES = 2_000
FRONTS = ((4, 4_000), (8, 8_000), (12, 8_000))
"""Fronts of the relaxation to try on the root, with the most relaxed nodes each may take. Where base cards can be
covered only the first ever helped."""
FRONT_ENTRIES = 1 << 17
FIRST_CORES = 1 << 14
FIRST_STAGES, FIRST_STAGE_ROWS = 1 << 11, 1 << 12


def set_engines(position: Position, rules: Rules, prunings: int, memory: int, classes: bool) -> Iterator[Engine]:
    """The searches in the order in which they are tried. classes: see cardsets.pack_card_sets.

    First those that find wins early, and the fronts, which take little; then what shows that there is none; depth-first
    comes last, as it needs least memory.
    """
    layings = deferred_tries(rules) if prunings & DEFERRED else ()
    share = memory // 2 if len(layings) > 1 else memory
    arguments, laying = (position, rules, prunings), None
    for number, plan in enumerate((*tries_of_sets(rules), *late_beams_for(rules))):
        yield PilesFirst(*arguments, share, plan) if plan.wide else BestFirst(*arguments, share, classes, plan)
        if number == 0 and prunings & DRAW_ONE and rules.passes is None and rules.draw > 1:
            yield Fronts(*arguments, memory, classes, FRONTS[:1] if rules.cover_base else FRONTS)
        if number < len(layings):
            front, limit = layings[number]
            if laying is None or laying.front != front:
                laying = Deferred(*arguments, share, classes, front)
            laying.limit = limit
            yield laying
            if number + 1 == len(layings):
                laying = None
    if sweep.has_levels(rules):
        yield Sweep(*arguments, memory, classes)
    yield SetSearch(*arguments, memory, classes)


def deferred_tries(rules: Rules) -> tuple[tuple[int, int], ...]:
    """Deferred laying after the first try, after the second and so on: with which front, and how many nodes it gets in
    all, when with the same front it goes on where it was. Those that wait share the memory."""
    if rules.passes is None and rules.draw > 1:
        return (8, 2_000), (8, 15_000), (4, 60_000 if rules.cover_base else 15_000)
    return ((0, 24_000), (0, 80_000), (0, 600_000)) if rules.passes not in (None, 1) else ((0, 80_000),)


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

    first_share = 8
    buckets = bestfirst.SET_BUCKETS

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True,
                 plan: Try | None = None):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS + 2)
        self.start_queues(plan or tries_of_sets(rules)[0])

    def run_slice(self) -> int:
        return bestfirst.search_sets_first(self.rows, self.heads, self.table, self.status, self.weights, self.game,
                                           self.relaxed, self.moves)


class Fronts(SetEngine):
    """No search of the game, but of relaxations of the root, from short fronts to longer ones (see relaxation.py)."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True,
                 fronts: tuple[tuple[int, int], ...] | None = None):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS)
        self.fronts = FRONTS if fronts is None else fronts

    def run(self, budget: int) -> str:
        for front, nodes in self.fronts:
            nodes = min(nodes, budget - self.nodes)
            if nodes <= 0 or self.root_is_won:
                break
            relaxed = relaxation.new_relaxed(self.game, True, nodes, front, FRONT_ENTRIES)
            verdict = relaxation.relaxed_verdict(self.rows[0], self.game, relaxed)
            self.status[search.NODES] += relaxed.numbers[relaxation.NODES]
            if verdict == relaxation.DEAD:
                return UNWINNABLE
        return UNDECIDED


class Deferred(SetEngine):
    """No search of the game, but of the relaxation of deferred.py. front: cards of the front (fronts.py), 0 where
    passes are limited."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True,
                 front: int = 0):
        super().__init__(position, rules, prunings, memory, False, STATE_WORDS)  # cores tell twins apart
        self.sets, self.front = stages.stock_sets(self.game), front
        self.room = rows.new_room(sum(1 << code for code in self.game.stock[:front].tolist()))
        turned = len(position.waste)
        at = (position.pass_number - 1) * (len(self.game.stock) + 1) + turned
        self.times = sum(at << int(rows.TIME_BITS) * place for place in range(1 + rows.MOST_ENDS))
        if rules.passes is None:
            self.times = rows.phase_word(turned if turned % rules.draw and turned <= front else 0)
        self.forget()
        self.is_over = not int(self.rows[0, UP]) >> 52  # without a reserve nothing to ask

    def run(self, budget: int) -> str:
        while not self.is_over:
            if self.status[search.STACK_TOP] == 0:
                root = self.rows[0]
                core = root[UP], root[TABLEAU], root[BOTTOMS], root[HIGHER]
                rows.enter_root(core, self.times, self.cores, self.status)
            verdict = super().run(budget)
            if verdict == WINNABLE:  # by the relaxation, which proves nothing
                self.watch(self.room.blame[0] & ~self.room.watched)
                continue
            self.is_over, self.truncated = self.truncated, False
            return verdict
        return UNDECIDED

    def watch(self, suspects: np.uint64) -> None:
        """Begin again with these cards watched, too; where there are none it is over."""
        self.room = self.room._replace(watched=self.room.watched | suspects)
        self.forget()
        self.is_over = not suspects

    def forget(self) -> None:
        """Empty the memory."""
        self.cores = rows.Cores(rows.new_rows(FIRST_CORES), np.zeros(8 * FIRST_CORES, np.int32),
                                 np.full(rows.CORE_LEVELS, rows.NOTHING))
        self.status[[search.STACK_TOP, search.ENTRIES]] = 0

    def run_slice(self) -> int:
        return deferred.search_cores(self.cores, self.status, self.game, self.sets, self.relaxed.sets, self.room)

    def enlarge_rows(self) -> bool:
        if 3 * self.cores.rows.nbytes > self.memory // 2:
            return False
        larger = rows.new_rows(2 * len(self.cores.rows))
        larger[:len(self.cores.rows)] = self.cores.rows
        self.cores = self.cores._replace(rows=larger)
        return True

    def enlarge_table(self) -> bool:
        self.cores = self.cores._replace(index=np.zeros(4 * len(self.cores.index), np.int32))
        rows.fill_index(self.cores, int(self.status[search.STACK_TOP]))
        return True


class Sweep(SetEngine):
    """Stage by stage on the set game. Of the memory, three eighths are for what waits for later stages, a quarter is
    for origins, a quarter for the stage in hand, half of that its tables."""

    def __init__(self, position: Position, rules: Rules, prunings: int, memory: int, classes: bool = True):
        super().__init__(position, rules, prunings, memory, classes, STATE_WORDS)
        # Untouched pages cost nothing, so that all there may ever be can be had at once.
        self.stages = stages.Stages(
            rows=np.empty((FIRST_STAGE_ROWS, stages.ROW_WORDS), np.uint64),
            arrivals=np.empty((memory * 3 // 8 // (8 * stages.ARRIVED_WORDS), stages.ARRIVED_WORDS), np.uint64),
            origins=np.zeros(memory // 4 // 8, np.uint64),
            stages=np.empty((FIRST_STAGES, stages.STAGE_WORDS), np.uint64), index=np.zeros(2 * FIRST_STAGES, np.int64),
            levels=np.full(stages.LEVELS, stages.NOTHING, np.int64),
            layers=np.full(stages.LAYERS, stages.NOTHING, np.int64),
            first=new_table(FIRST_ENTRIES), second=new_table(FIRST_ENTRIES))
        self.sets = stages.stock_sets(self.game)
        self.status = np.zeros(stages.SWEEP_STATUS_LENGTH, np.int64)
        self.status[stages.FREE_BLOCK], self.status[stages.ORIGINS], self.status[stages.LAYER] = stages.NOTHING, 1, -1
        stages.enter_root(self.rows[0], self.game, self.relaxed, self.stages, self.status)

    def run_slice(self) -> int:
        outcome = sweep.search_levels(self.stages, self.sets, self.status, self.game, self.relaxed, self.moves)
        if outcome == sweep.ROWS_FULL and not self.enlarge_stage("rows"):
            return search.STACK_FULL
        if outcome == sweep.STAGES_FULL:
            larger = np.concatenate([self.stages.stages, np.empty_like(self.stages.stages)])
            index = np.zeros(2 * len(self.stages.index), np.int64)
            stages.fill_index(larger, index, self.status[stages.STAGES])
            self.stages = self.stages._replace(stages=larger, index=index)
        return outcome

    def enlarge_stage(self, *names: str) -> bool:
        """Double these arrays for the stage in hand. False where that would be more than their share."""
        arrays = {name: getattr(self.stages, name) for name in names}
        if 2 * sum(array.nbytes for array in arrays.values()) > self.memory // 8:
            return False
        larger = {name: np.concatenate([array, np.zeros_like(array)]) for name, array in arrays.items()}
        self.stages = self.stages._replace(**larger)
        return True

    def enlarge_rows(self) -> bool:
        return False

    def enlarge_table(self) -> bool:
        return self.enlarge_stage("first", "second")

    def winning_path(self) -> np.ndarray:
        """As for the other searches, following the origins back from the won position."""
        words = []
        number = 0 if self.root_is_won else int(self.status[search.SOLUTION_LENGTH])
        while number:
            origin = int(self.stages.origins[number])
            words.append(origin >> 32)
            number = origin & 0xFFFFFFFF
        return np.array(words[::-1], np.uint64)
