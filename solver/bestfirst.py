"""Best-first search, here of the set game: to find a win early, before a depth-first search has to exhaust the space.

Open positions wait in two queues of buckets, each with its own estimate of how far they seem from a win. The queues
take turns: the latest position of the best bucket is expanded next, so that where one estimate is misled the other
goes on. All positions stay in memory, so this search serves for the first half million nodes or so; what it exhausts is
decided as exactly as in search.py, by the same argument.

A row is a state (of cardsets.py, its last word the pass alone), then its origin ``move << 32 | taken
<< 31 | parent row``, then for each queue 32 bits: the next row of its bucket + 1. *Taken* rows were expanded already, by
way of the other queue.
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, popcount
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP, UPPER_SHIFT,
                             waste_class)
from solver.packed import DRAW, PASSES, RANKS, borrow_game
from solver.relaxation import ENTRIES as RELAXED_ENTRIES
from solver.relaxation import borrow_relaxed
from solver.rulesets import Rules
from solver.search import (BUDGET_SPENT, ENTRIES, EXHAUSTED, NODE_LIMIT, NODES, RELAXED_FULL, STACK_FULL,
                           STACK_TOP, TABLE_FULL, TRUNCATED, WON)
from solver.setsearch import deck_of, generate_set_moves, is_doubtful, is_lost, set_key, settled_child
from solver.table import ADDED, SEEN, visit_key

BUCKETS = 4096
QUEUES = 2
LOW_HALF = U(0xFFFFFFFF)
TAKEN = ONE << U(31)
PARENT_MASK = int(TAKEN) - 1

# Weights of the estimate, found by trying: a card left in the reserve, a card not up, a card left in the stock, a
# card in the waste, a pass begun. Keeping cards in the stock that need not lie on the tableau pays where the stock
# comes round without limit; where passes are few, what is turned past counts instead.
UNLIMITED_WEIGHTS = ((40, 5, -4, 0, 0), (10, 5, -6, 0, 0))
LIMITED_WEIGHTS = ((10, 5, 0, 2, 40), (10, 5, -4, 1, 30))


def weights_for(rules: Rules) -> np.ndarray:
    """The weights of the estimates for a rule set, int64[QUEUES, 5]."""
    return np.array(UNLIMITED_WEIGHTS if rules.passes is None else LIMITED_WEIGHTS, np.int64)


@inlined
def next_row(heads, first, queue):
    """The row that a queue gives next, -1 when it is empty. first: int64[QUEUES], no bucket before it holds a row."""
    while first[queue] < BUCKETS and heads[queue, first[queue]] < 0:
        first[queue] += 1
    return heads[queue, first[queue]] if first[queue] < BUCKETS else I(-1)


@inlined
def take_row(rows, heads, first, queue, origin):
    """Take the next row out of a queue; False when it was taken before. origin: the index of the row's origin word."""
    here = heads[queue, first[queue]]
    heads[queue, first[queue]] = I((rows[here, origin + 1] >> U(32 * (queue & 1))) & LOW_HALF) - 1
    if rows[here, origin] & TAKEN:
        return False
    rows[here, origin] |= TAKEN
    return True


@inlined
def put_row(rows, heads, first, row, origin, queue, value):
    """Put a row into one queue, by the value of its estimate; the row's second word must start as 0. A row may wait in
    one even and one odd queue."""
    bucket = min(max(value, I(0)), I(BUCKETS - 1))
    rows[row, origin + 1] |= U(heads[queue, bucket] + 1) << U(32 * (queue & 1))
    heads[queue, bucket] = row
    first[queue] = min(first[queue], bucket)


@inlined
def queue_row(rows, heads, first, row, origin, weights, left, to_go, stock, turned, at_pass):
    """Put a row into every queue, by its estimates: weighted sums of cards left in the reserve, cards not up, cards in
    the stock, cards in the waste, and the pass; smaller is better."""
    rows[row, origin + 1] = ZERO
    for queue in range(QUEUES):
        value = (weights[queue, 0] * left + weights[queue, 1] * to_go + weights[queue, 2] * stock
                 + weights[queue, 3] * turned + weights[queue, 4] * at_pass)
        put_row(rows, heads, first, row, origin, queue, value)


@kernel
def search_sets_first(rows, heads, table, status, weights, game, relaxed, moves):
    """Search the set game on until something has to be done outside, with the outcomes of search.search_slice.

    rows: uint64[any, STATE_WORDS + 2]; heads: int64[QUEUES, BUCKETS], the latest row of each bucket or -1. On WON, the
    last row used is the won position; its origins lead back to row 0, the root.
    """
    rows, table, status, moves = borrow(rows), borrow(table), borrow(status), borrow(moves)
    heads, weights = borrow(heads), borrow(weights)
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    spec = game.spec
    deck, unlimited, cards = deck_of(spec), spec[PASSES] == 0, 4 * spec[RANKS]
    used, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    first = np.zeros(QUEUES, np.int64)
    outcome = I(EXHAUSTED)
    while True:
        queue = nodes % QUEUES
        here = next_row(heads, first, queue)
        if here < 0:
            break  # each row waits in every queue until it is taken, so nothing is left
        if nodes >= status[NODE_LIMIT]:
            outcome = I(BUDGET_SPENT)
            break
        if entries * 2 > len(table) >> 1:
            outcome = I(TABLE_FULL)
            break
        if relaxed.numbers[RELAXED_ENTRIES] * 2 > len(relaxed.table) >> 1:
            outcome = I(RELAXED_FULL)
            break
        if used + len(moves) > len(rows):
            outcome = I(STACK_FULL)
            break
        if not take_row(rows, heads, first, queue, STATE_WORDS):
            continue
        up_word, stock_word, tableau = rows[here, UP], rows[here, STOCK], rows[here, TABLEAU]
        bottoms, higher, at_pass = rows[here, BOTTOMS], rows[here, HIGHER], rows[here, PASS]
        residue, stamp = waste_class(stock_word, at_pass, spec[DRAW], unlimited)
        met = visit_key(table, set_key(up_word, tableau, bottoms, higher), residue, stamp, unlimited)
        if met == SEEN:
            continue
        nodes += 1
        entries += met == ADDED
        if is_doubtful(tableau, bottoms, spec):
            status[TRUNCATED] |= 1
        count = generate_set_moves(up_word, stock_word, tableau, bottoms, higher, at_pass, game, moves)
        for index in range(count):
            move = moves[index]
            child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass = settled_child(
                up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
            rows[used, UP], rows[used, STOCK], rows[used, TABLEAU] = child_up, child_stock, child_tableau
            rows[used, BOTTOMS], rows[used, HIGHER], rows[used, PASS] = child_bottoms, child_higher, child_pass
            rows[used, STATE_WORDS] = (move << U(32)) | U(here)
            if child_up == deck:
                status[STACK_TOP], status[NODES], status[ENTRIES] = used + 1, nodes, entries
                return I(WON)
            if is_lost(child_up, child_tableau, child_bottoms, child_higher, move, game, relaxed):
                continue
            turned = popcount(child_stock & ((ONE << (child_stock >> UPPER_SHIFT)) - ONE))
            queue_row(rows, heads, first, used, I(STATE_WORDS), weights, I(child_up >> UPPER_SHIFT),
                      cards - popcount(child_up & CARDS), popcount(child_stock & CARDS), turned, I(child_pass))
            used += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = used, nodes, entries
    return outcome
