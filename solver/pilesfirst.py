"""Best-first search of the pile game: the search of bestfirst.py over packed states, with estimates.py to go by.

A row is a state of packed.py, then the two words that bestfirst.py describes. Queues come in two ways:

* one for each estimate, one or two; every position waits in all of them;
* *by stages*, with one estimate and more queues: a queue for each stretch of the way through the stock, pass by pass.
  The queues take turns, so that positions are only compared with those of their own stretch. Where passes are limited
  no estimate can tell well what a card turned past costs, and search in one queue stays too early or runs too far.
"""

import numpy as np

from solver.bestfirst import next_row, next_stage, put_row, take_row
from solver.bits import FALSE, I, U, ZERO, borrow, kernel
from solver.estimates import FEATURES, PASS, estimate, find_features, stock_stage
from solver.moves import apply_move, generate_moves, is_won
from solver.packed import WIDTH, borrow_game
from solver.prunings import settle
from solver.search import (ENTRIES, EXHAUSTED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, TRUNCATED, WON, is_dead, is_kept,
                           is_lost, reason_to_stop)
from solver.table import ADDED, SEEN, visit

SALT = U(0xD1B54A32D192ED03)


@kernel
def search_piles_first(rows, heads, table, status, weights, knots, number, game, scratch):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    rows: uint64[any, WIDTH + 2]; heads: int32[queues, BUCKETS], the latest row of each bucket or -1; weights:
    int64[estimates, FEATURES]; knots: see estimates.count_knots; number: which try this is, for the noise; scratch:
    search.new_scratch. On WON, the last row used is the won position; its origins lead back to row 0, the root.
    """
    rows, table, status = borrow(rows), borrow(table), borrow(status)
    heads, weights, knots, game = borrow(heads), borrow(weights), borrow(knots), borrow_game(game)
    spec = game.spec
    width, queues, by_stages = spec[WIDTH], len(heads), len(heads) > len(weights)
    state, child, tops, log = borrow(scratch[0]), borrow(scratch[1]), borrow(scratch[2]), borrow(scratch[3])
    moves = borrow(scratch[4])
    used, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    features, first = np.zeros(FEATURES, np.int64), np.zeros(queues, np.int64)
    shape = np.any(weights[:, PASS + 1:])
    outcome = I(EXHAUSTED)
    while True:
        queue = next_stage(heads, first, status[LAST_QUEUE]) if by_stages else nodes % queues
        here = next_row(heads, first, queue)
        if here < 0:
            break
        stop = reason_to_stop(status, nodes, entries, table, used + len(moves) <= len(rows), FALSE)
        if stop != GO_ON:
            outcome = stop
            break
        if not take_row(rows, heads, first, queue, width):
            continue
        for word in range(width):
            state[word] = rows[here, word]
        met = visit(table, state, spec)
        if met == SEEN:
            continue
        nodes += 1
        status[LAST_QUEUE] = queue
        entries += met == ADDED
        if is_lost(state, game, nodes, status, scratch):
            continue
        count = generate_moves(state, game, moves, tops)
        for index in range(count):
            if not is_kept(moves[index], state, spec):
                continue
            if not apply_move(state, moves[index], game, child):
                status[TRUNCATED] |= 1
                continue
            settle(child, game, log)
            for word in range(width):
                rows[used, word] = child[word]
            rows[used, width] = (moves[index] << U(32)) | U(here)
            if is_won(child, spec):
                status[STACK_TOP], status[NODES], status[ENTRIES] = used + 1, nodes, entries
                return I(WON)
            if is_dead(child, game):
                continue
            find_features(child, game, knots, shape, SALT * U(number) + U(used), features)
            rows[used, width + 1] = ZERO
            if by_stages:
                stage = stock_stage(child, spec, queues)
                put_row(rows, heads, first, used, width, stage, estimate(weights, I(0), features))
            else:
                for each in range(queues):
                    put_row(rows, heads, first, used, width, each, estimate(weights, each, features))
            used += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = used, nodes, entries
    return outcome
