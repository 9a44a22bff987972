"""The front of the engine: solve one position under one rule set, with a verdict that is exact or "undecided"."""

import time
from dataclasses import dataclass

import numpy as np

from solver import search
from solver.bits import U
from solver.cards import SUIT_NAMES
from solver.game import Move, apply
from solver.moves import (FOUNDATION, MOST_MOVES, RESERVE, WASTE, apply_move, move_code, move_count, move_source,
                          move_stock_index, move_target)
from solver.packed import FIRST_PILE, FIRST_STOCK, WIDTH, Game, code_card, pack_game
from solver.position import Position
from solver.prunings import prunings_for, settle
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
    game, root = pack_game(position, rules, prunings_for(rules) if prunings is None else prunings)
    run = _Search(game, root, nodes, memory << 20)
    verdict = run.run()
    solution = decode(run.winning_path(), game, root, position, rules) if verdict == WINNABLE else None
    return Result(position, rules, verdict, run.nodes, time.perf_counter() - began, solution)


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
                                          self.game)
            if outcome == search.WON:
                return WINNABLE
            if outcome == search.EXHAUSTED:
                return UNDECIDED if self.status[search.TRUNCATED] else UNWINNABLE
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


def decode(path: np.ndarray, game: Game, root: np.ndarray, position: Position, rules: Rules) -> list[Move]:
    """The reference game's moves for a kernel path: forced moves put back in, turns counted, each applied for real.

    Raises IllegalMove if the kernel and the reference game ever disagree.
    """
    forced = np.empty(256, np.uint64)
    state, child = root.copy(), root.copy()
    solution: list[Move] = []
    for step in range(max(1, len(path))):
        words = []
        if step:
            apply_move(state, path[step], game, child)
            words.append(int(path[step]))
        words += [int(word) for word in forced[:settle(child, game, forced)]]
        for word in words:
            solution.append(plain_move(word, state, game, position, rules))
            position = apply(position, rules, solution[-1])
        state[:] = child
    return solution


def plain_move(word: int, state: np.ndarray, game: Game, position: Position, rules: Rules) -> Move:
    """The reference game's form of a move word, played from ``position``, which ``state`` packs."""
    move = U(word)
    code, count, source = int(move_code(move)), int(move_count(move)), int(move_source(move))
    suit = SUIT_NAMES[code & 3]
    turns, fill = 0, None
    if source == WASTE:
        turns = turns_to(_cards_before(int(move_stock_index(move)), state, game) + 1, position, rules)
    if source < RESERVE and count == len(position.tableau[source]) and rules.fill == "auto" and position.reserve:
        fill = position.reserve[-1]
    card = code_card(code, position.base, rules.ranks)
    return Move(turns, card, count, _place_name(source, suit), _place_name(int(move_target(move)), suit), fill)


def _place_name(place: int, suit: str) -> str:
    """The plain game's name of a kernel place."""
    named = {RESERVE: "reserve", WASTE: "waste", FOUNDATION: f"foundation {suit}"}
    return named.get(place) or f"tableau {place + 1}"


def _cards_before(index: int, state: np.ndarray, game: Game) -> int:
    """How many cards of stock and waste come before the one at ``index`` of the stock list."""
    words = [int(word) for word in state[FIRST_STOCK:game.spec[FIRST_PILE]]]
    remaining = sum(word << 64 * number for number, word in enumerate(words))
    return (remaining & (1 << index) - 1).bit_count()


def turns_to(place: int, position: Position, rules: Rules) -> int:
    """The fewest turns that bring the ``place``-th card (from 1) of waste and stock to the top of the waste."""
    turned, size, draw = len(position.waste), len(position.waste) + len(position.stock), rules.draw
    if place == turned:
        return 0
    if place > turned and ((place - turned) % draw == 0 or place == size):
        return -(-(place - turned) // draw)
    return -(-(size - turned) // draw) - (-place // draw)
