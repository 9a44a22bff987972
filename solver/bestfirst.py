"""Best-first search, here of the set game: to find a win early, before another search has to exhaust the space.

Open positions wait in queues of buckets: the latest position of a queue's best bucket is expanded next. Queues come in
two ways:

* one for each estimate of how far a position seems from a win, two of them. Every position waits in both, and they
  take turns, so that where one estimate is misled the other goes on;
* *by levels*, one for each number of cards still to go (cards not up and cards in the reserve), with one estimate.
  They take turns in a circle, so that positions are compared with those of their own level only, and a level that the
  estimates would come back to last is not forgotten.

All positions stay in memory, so this search serves for the first half million nodes or so; what it exhausts is decided
as exactly as in search.py, by the same argument. Estimates and how long to go on are in estimates.py.

A row is a state (of cardsets.py, its last word the pass alone), then its origin ``move << 32 | taken << 31 | parent
row``, then for each queue it waits in 32 bits: the next row of its bucket + 1. *Taken* rows were expanded already, by
way of the other queue.
"""

import numpy as np

from solver.bits import I, ONE, TRUE, U, ZERO, borrow, inlined, kernel, popcount
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP, UPPER_SHIFT,
                             waste_class)
from solver.deadends import is_stuck
from solver.estimates import NOT_UP, RESERVE_LEFT, STOCK_LEFT, WASTE_SIZE
from solver.estimates import PASS as AT_PASS
from solver.packed import DRAW, PASSES, PRUNINGS, RANKS, borrow_game
from solver.prunings import STUCK_RESERVE
from solver.relaxation import borrow_relaxed, is_relaxed_full
from solver.search import (ENTRIES, EXHAUSTED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, TRUNCATED, WON,
                           reason_to_stop)
from solver.setsearch import deck_of, generate_set_moves, is_doubtful, is_lost, set_key, settled_child
from solver.table import ADDED, SEEN, visit_key

BUCKETS, SET_BUCKETS = 4096, 1024
"""Buckets of a queue in the pile game and in the set game; estimates beyond them share the last one."""

LOW_HALF = U(0xFFFFFFFF)
TAKEN = ONE << U(31)
PARENT_MASK = int(TAKEN) - 1


@inlined
def next_row(heads, first, queue):
    """The row that a queue gives next, -1 when it is empty. first: int64[queues], no bucket before it holds a row."""
    buckets = heads.shape[1]
    while first[queue] < buckets and heads[queue, first[queue]] < 0:
        first[queue] += 1
    return I(heads[queue, first[queue]]) if first[queue] < buckets else I(-1)


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
    bucket = min(max(value, I(0)), I(heads.shape[1] - 1))
    rows[row, origin + 1] |= U(I(heads[queue, bucket]) + 1) << U(32 * (queue & 1))
    heads[queue, bucket] = row
    first[queue] = min(first[queue], bucket)


@inlined
def next_stage(heads, first, last):
    """The first queue after ``last``, in a circle, that holds a row; ``last`` itself where no other does."""
    queue = last
    for _ in range(len(heads)):
        queue = queue + 1 if queue + 1 < len(heads) else I(0)
        if next_row(heads, first, queue) >= 0:
            break
    return queue


@inlined
def estimate_set(weights, queue, left, to_go, stock_word, at_pass):
    """The weighted sum of features that queue ``queue`` goes by; smaller is better."""
    turned = popcount(stock_word & ((ONE << (stock_word >> UPPER_SHIFT)) - ONE))
    return (weights[queue, RESERVE_LEFT] * left + weights[queue, NOT_UP] * to_go + weights[queue, AT_PASS] * at_pass
            + weights[queue, STOCK_LEFT] * popcount(stock_word & CARDS) + weights[queue, WASTE_SIZE] * turned)


@kernel
def search_sets_first(rows, heads, table, status, weights, game, relaxed, moves):
    """Search the set game on until something has to be done outside, with the outcomes of search.search_slice.

    rows: uint64[any, STATE_WORDS + 2]; heads: int32[queues, SET_BUCKETS], the latest row of each bucket or -1; weights:
    int64[estimates, any], as many as queues or, by levels, one. On WON, the last row used is the won position; its
    origins lead back to row 0, the root.
    """
    rows, table, status, moves = borrow(rows), borrow(table), borrow(status), borrow(moves)
    heads, weights = borrow(heads), borrow(weights)
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    spec = game.spec
    deck, unlimited, cards = deck_of(spec), spec[PASSES] == 0, 4 * spec[RANKS]
    used, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    queues, by_levels = len(heads), len(heads) > len(weights)
    first = np.zeros(queues, np.int64)
    outcome = I(EXHAUSTED)
    while True:
        queue = next_stage(heads, first, status[LAST_QUEUE]) if by_levels else nodes % queues
        here = next_row(heads, first, queue)
        if here < 0:
            break  # each row waits in every queue until it is taken, so nothing is left
        stop = reason_to_stop(status, nodes, entries, table, used + len(moves) <= len(rows), is_relaxed_full(relaxed))
        if stop != GO_ON:
            outcome = stop
            break
        if not take_row(rows, heads, first, queue, STATE_WORDS):
            continue
        up_word, stock_word, tableau = rows[here, UP], rows[here, STOCK], rows[here, TABLEAU]
        bottoms, higher, at_pass = rows[here, BOTTOMS], rows[here, HIGHER], rows[here, PASS]
        residue, stamp = waste_class(stock_word, at_pass, spec[DRAW], unlimited)
        met = visit_key(table, set_key(up_word, tableau, bottoms, higher), residue, stamp, unlimited)
        if met == SEEN:
            continue
        entries += met == ADDED
        if spec[PRUNINGS] & STUCK_RESERVE and is_stuck(up_word, stock_word, tableau, bottoms, higher, at_pass, game,
                                                       relaxed.sets):
            continue
        nodes += 1
        status[LAST_QUEUE] = queue
        if is_doubtful(tableau, bottoms, spec):
            status[TRUNCATED] |= 1
        count = generate_set_moves(up_word, stock_word, tableau, bottoms, higher, at_pass, TRUE, game, moves)
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
            if is_lost(child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass, move, game,
                       relaxed):
                continue
            rows[used, STATE_WORDS + 1] = ZERO
            left, to_go = I(child_up >> UPPER_SHIFT), cards - popcount(child_up & CARDS)
            for each in range(len(weights)):
                value = estimate_set(weights, each, left, to_go, child_stock, I(child_pass))
                place = max(I(queues - 1) - left - to_go, I(0)) if by_levels else each
                put_row(rows, heads, first, used, I(STATE_WORDS), place, value)
            used += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = used, nodes, entries
    return outcome
