"""Best-first search of the set game: to find a win early, before a depth-first search has to exhaust the space.

Open positions wait in two queues of buckets, each with its own estimate of how far they seem from a win. The queues
take turns: the latest position of the best bucket is expanded next, so that where one estimate is misled the other
goes on. All positions stay in memory, so this search serves for the first half million nodes or so; what it exhausts is
decided as exactly as in search.py, by the same argument.

A row is a state of cardsets.py (its last word the pass alone), then ``move << 32 | parent``, then for each queue 32
bits: the next row of its bucket + 1.
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, popcount
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP, UPPER_SHIFT,
                             waste_class)
from solver.packed import DRAW, PASSES, borrow_game
from solver.relaxation import ENTRIES as RELAXED_ENTRIES
from solver.relaxation import borrow_relaxed
from solver.rulesets import Rules
from solver.search import (BUDGET_SPENT, ENTRIES, EXHAUSTED, NODE_LIMIT, NODES, RELAXED_FULL, STACK_FULL,
                           STACK_TOP, TABLE_FULL, TRUNCATED, WON)
from solver.setsearch import deck_of, generate_set_moves, is_doubtful, is_lost, set_key, settled_child
from solver.table import ADDED, SEEN, visit_key

BUCKETS = 1024
QUEUES = 2
ORIGIN, LINKS = STATE_WORDS, STATE_WORDS + 1
ROW_WORDS = STATE_WORDS + 2
LOW_HALF = U(0xFFFFFFFF)
TAKEN = U(256)  # in the pass word: expanded already, by way of another queue

# Weights of the estimate, found by trying: a card left in the reserve, a card not up, a card left in the stock, a
# card in the waste, a pass begun. Keeping cards in the stock that need not lie on the tableau pays where the stock
# comes round without limit; where passes are few, what is turned past counts instead.
UNLIMITED_WEIGHTS = ((40, 5, -4, 0, 0), (10, 5, -6, 0, 0))
LIMITED_WEIGHTS = ((10, 5, 0, 2, 40), (10, 5, -4, 1, 30))


def weights_for(rules: Rules) -> np.ndarray:
    """The weights of the estimates for a rule set, int64[QUEUES, 5]."""
    return np.array(UNLIMITED_WEIGHTS if rules.passes is None else LIMITED_WEIGHTS, np.int64)


@inlined
def estimate(up_word, stock_word, at_pass, weights, queue):
    """How far a position seems from a win, 0 to BUCKETS - 1; smaller is better."""
    turned = popcount(stock_word & ((ONE << (stock_word >> UPPER_SHIFT)) - ONE))
    value = (weights[queue, 0] * I(up_word >> UPPER_SHIFT) + weights[queue, 1] * (52 - popcount(up_word & CARDS))
             + weights[queue, 2] * popcount(stock_word & CARDS) + weights[queue, 3] * turned
             + weights[queue, 4] * I(at_pass))
    return min(max(value, I(0)), I(BUCKETS - 1))


@kernel
def search_best_first(rows, heads, table, status, weights, game, relaxed, moves):
    """Search on until something has to be done outside, with the outcomes of :func:`search.search_slice`.

    rows: uint64[any, ROW_WORDS]; heads: int64[QUEUES, BUCKETS], the latest row of each bucket or -1. On WON, the last
    row used is the won position; its origins lead back to row 0, the root.
    """
    rows, table, status, moves = borrow(rows), borrow(table), borrow(status), borrow(moves)
    heads, weights = borrow(heads), borrow(weights)
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    spec = game.spec
    deck, unlimited = deck_of(spec), spec[PASSES] == 0
    used, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    first = np.zeros(QUEUES, np.int64)  # no bucket before it holds a row
    outcome = I(EXHAUSTED)
    while True:
        queue = nodes % QUEUES
        while first[queue] < BUCKETS and heads[queue, first[queue]] < 0:
            first[queue] += 1
        if first[queue] == BUCKETS:
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
        bucket = first[queue]
        here = heads[queue, bucket]
        heads[queue, bucket] = I((rows[here, LINKS] >> U(32 * queue)) & LOW_HALF) - 1
        if rows[here, PASS] & TAKEN:
            continue
        up_word, stock_word, tableau = rows[here, UP], rows[here, STOCK], rows[here, TABLEAU]
        bottoms, higher, at_pass = rows[here, BOTTOMS], rows[here, HIGHER], rows[here, PASS]
        rows[here, PASS] |= TAKEN
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
            rows[used, ORIGIN] = (move << U(32)) | U(here)
            if child_up == deck:
                status[STACK_TOP], status[NODES], status[ENTRIES] = used + 1, nodes, entries
                return I(WON)
            if is_lost(child_up, child_tableau, child_bottoms, child_higher, move, game, relaxed):
                continue
            rows[used, LINKS] = ZERO
            for which in range(QUEUES):
                goal = estimate(child_up, child_stock, child_pass, weights, which)
                rows[used, LINKS] |= U(heads[which, goal] + 1) << U(32 * which)
                heads[which, goal] = used
                first[which] = min(first[which], goal)
            used += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = used, nodes, entries
    return outcome
