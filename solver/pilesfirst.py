"""Best-first search of the pile game: the search of bestfirst.py over packed states, with estimates.py to go by.

A row is a state of packed.py, then the two words that bestfirst.py describes. There are as many queues, one or two, as
there are estimates.
"""

import numpy as np

from solver.bestfirst import BUCKETS, next_row, put_row, take_row
from solver.bits import I, ONE, U, ZERO, borrow, kernel
from solver.estimates import FEATURES, PASS, estimate, find_features
from solver.moves import apply_move, generate_moves, is_won
from solver.packed import WIDTH, borrow_game
from solver.prunings import settle
from solver.search import (BUDGET_SPENT, ENTRIES, EXHAUSTED, NODE_LIMIT, NODES, STACK_FULL, STACK_TOP, TABLE_FULL,
                           TRUNCATED, WON, is_dead, is_kept)
from solver.table import ADDED, SEEN, visit

SALT = U(0xD1B54A32D192ED03)


@kernel
def search_piles_first(rows, heads, table, status, weights, knots, number, game, scratch):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    rows: uint64[any, WIDTH + 2]; heads: int64[queues, BUCKETS], the latest row of each bucket or -1; weights:
    int64[queues, FEATURES]; knots: see estimates.count_knots; number: which try this is, for the noise; scratch:
    search.new_scratch. On WON, the last row used is the won position; its origins lead back to row 0, the root.
    """
    rows, table, status = borrow(rows), borrow(table), borrow(status)
    heads, weights, knots, game = borrow(heads), borrow(weights), borrow(knots), borrow_game(game)
    spec = game.spec
    width, queues = spec[WIDTH], len(weights)
    state, child, tops, log = borrow(scratch[0]), borrow(scratch[1]), borrow(scratch[2]), borrow(scratch[3])
    moves = borrow(scratch[4])
    used, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    features, first = np.zeros(FEATURES, np.int64), np.zeros(queues, np.int64)
    shape = np.any(weights[:, PASS + 1:])
    outcome = I(EXHAUSTED)
    while True:
        queue = nodes % queues
        here = next_row(heads, first, queue)
        if here < 0:
            break
        if nodes >= status[NODE_LIMIT]:
            outcome = I(BUDGET_SPENT)
            break
        if entries * 2 > len(table) >> 1:
            outcome = I(TABLE_FULL)
            break
        if used + len(moves) > len(rows):
            outcome = I(STACK_FULL)
            break
        if not take_row(rows, heads, first, queue, width):
            continue
        for word in range(width):
            state[word] = rows[here, word]
        met = visit(table, state, spec)
        if met == SEEN:
            continue
        nodes += 1
        entries += met == ADDED
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
            for each in range(queues):
                put_row(rows, heads, first, used, width, each, estimate(weights, each, features))
            used += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = used, nodes, entries
    return outcome
