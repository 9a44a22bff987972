"""Beam search of the pile game: through the stock stage by stage, on with the best positions of each stage only.

A stage is a stretch of the way through the stock, over all passes: which of them a position is in depends on the next
card to be turned, so that no move leads back. Positions are expanded stage after stage, the best first, as many of
each stage as the search is wide. Estimates go by a playout of each position (playouts.py), which tells far better than
counts what a card turned past costs; so that a beam does not fill with hardly different positions, only a few with the
same foundations, reserve and waste are expanded. Where a playout wins, the search follows it before anything else.

With several decks choices.py comes first. Much is left out on purpose, moves too, so that a beam finds wins and proves
nothing: it ends as "truncated". Rows are as in pilesfirst.py, but a position is entered in the table when it is met,
not when it is expanded.
"""

import numpy as np

from solver.bestfirst import next_row, put_row, take_row
from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount
from solver.estimates import FEATURES, LEFT_OVER, estimate, find_features, lowest_height
from solver.moves import (FOUNDATION, RESERVE, WASTE, apply_move, generate_moves, is_won, move_code, move_count,
                          move_source, move_target)
from solver.packed import (BYTE, FIRST_PILE, FIRST_STOCK, PASSES, STOCK_CARDS, STOCK_WORDS, WIDTH, borrow_game,
                           card_under, next_up, pile_length)
from solver.playouts import play_on
from solver.prunings import settle
from solver.search import (ENTRIES, EXHAUSTED, FOLLOWED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, STAGE_NODES,
                           TRUNCATED, WON, is_dead, is_kept, reason_to_stop)
from solver.table import ADDED, SEEN, visit

SALT = U(0xD1B54A32D192ED03)
ALIKE_SLOTS = 1 << 16
LOW = 4
"""Cards of piles and reserve go up at once while no higher than so far above the lowest foundation."""


@inlined
def next_stock_card(state, spec):
    """Index of the next card to be turned in the stock list, its length where there is none, int64."""
    turned, seen = I((state[1] >> U(8)) & BYTE), I(0)
    for word in range(spec[STOCK_WORDS]):
        left = state[FIRST_STOCK + word]
        here = popcount(left)
        if seen + here <= turned:
            seen += here
            continue
        while seen < turned:
            left &= left - ONE
            seen += 1
        return I(64) * word + lowest_bit(left)
    return spec[STOCK_CARDS]


@inlined
def stage_ahead(state, spec, stages):
    """Which of ``stages`` equal steps of the way through the stock, over all passes, a state is in, int64."""
    way = spec[STOCK_CARDS] + 1
    done = (I((state[1] >> U(16)) & BYTE) - 1) * way + next_stock_card(state, spec)
    return min(done * stages // (max(spec[PASSES], I(1)) * way), I(stages - 1))


@inlined
def alike_slot(state):
    """Where positions with these foundations, reserve and waste are counted; strangers may share it."""
    return I(mix(mix(state[0] + SALT) + state[1]) & U(ALIKE_SLOTS - 1))


@inlined
def first_forced(moves, count, state, spec):
    """The first move that sends a low card of a pile or of the reserve up, -1 where there is none."""
    low = lowest_height(state[0], spec) + LOW
    for index in range(count):
        move = moves[index]
        if move_target(move) == FOUNDATION and move_source(move) != WASTE and move_code(move) >> 2 <= low:
            return I(index)
    return I(-1)


@inlined
def leave_out_hosts(moves, count, state, spec):
    """Of the moves that lay one card of reserve or waste on a pile keep the one to the shortest; returns how many.

    Twins carry the same cards, so that little depends on the choice. The moves of a card come one after the other.
    """
    first = spec[FIRST_PILE]
    kept = I(0)
    for index in range(count):
        move = moves[index]
        target = move_target(move)
        if kept and move_source(move) >= RESERVE and target != FOUNDATION and state[first + target]:
            before = moves[kept - 1]
            other = move_target(before)
            same = move_source(before) == move_source(move) and (before ^ move) >> U(23) == ZERO
            if same and other != FOUNDATION and state[first + other]:
                if pile_length(state[first + target]) < pile_length(state[first + other]):
                    moves[kept - 1] = move
                continue
        moves[kept] = move
        kept += 1
    return kept


@inlined
def is_useful(move, state, goes_up, spec):
    """Does a move of part of a pile clear the way for a card that goes up? Other moves are useful.

    Where the part is laid on a twin of the card it leaves, nothing else changes.
    """
    source = move_source(move)
    if source >= RESERVE or move_target(move) == FOUNDATION:
        return True
    word = state[spec[FIRST_PILE] + source]
    count = move_count(move)
    return count == pile_length(word) or (goes_up >> U(card_under(word, count, spec))) & ONE != ZERO


@inlined
def next_of_beam(rows, heads, first, stage, origin, wide, most_alike, alike, status):
    """The next row to expand, and its stage: on to the next stage once as many were as the beam is wide, past rows that
    too many were like. -1 at the end. origin: the word of a row that bestfirst.take_row asks for."""
    while True:
        here = next_row(heads, first, stage)
        if here < 0 or status[STAGE_NODES] >= wide:
            if stage + 1 == len(heads):
                status[TRUNCATED] |= 1
                return I(-1), stage
            stage += 1
            status[STAGE_NODES] = 0
            continue
        take_row(rows, heads, first, stage, origin)
        slot = alike_slot(rows[here])
        if alike[slot] < most_alike:
            alike[slot] += 1
            status[STAGE_NODES] += 1
            return here, stage


@kernel
def search_by_beam(rows, heads, table, status, weights, knots, number, wide, most_alike, alike, game, scratch):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    As pilesfirst.search_piles_first by stages; wide: positions expanded of each stage; most_alike: how many of those
    that alike (uint8[ALIKE_SLOTS], zeros at first) counts together.
    """
    rows, table, status, alike = borrow(rows), borrow(table), borrow(status), borrow(alike)
    heads, weights, knots, game = borrow(heads), borrow(weights), borrow(knots), borrow_game(game)
    spec = game.spec
    width, stages = spec[WIDTH], len(heads)
    state, child, tops, log = borrow(scratch[0]), borrow(scratch[1]), borrow(scratch[2]), borrow(scratch[3])
    moves, room = borrow(scratch[4]), borrow(scratch[5])
    used, nodes, entries, stage = status[STACK_TOP], status[NODES], status[ENTRIES], status[LAST_QUEUE]
    features, first = np.zeros(FEATURES, np.int64), np.zeros(stages, np.int64)
    outcome = I(EXHAUSTED)
    while True:
        stop = reason_to_stop(status, nodes, entries, table, used + len(moves) <= len(rows), FALSE)
        if stop != GO_ON:
            outcome = stop
            break
        here = status[FOLLOWED]
        following, to_follow = here > 0, I(0)
        if following:
            status[FOLLOWED] = 0
            _, to_follow = play_on(rows[here], game, room)
        else:
            here, stage = next_of_beam(rows, heads, first, stage, width, wide, most_alike, alike, status)
            if here < 0:
                break
        for word in range(width):
            state[word] = rows[here, word]
        nodes += 1
        count = generate_moves(state, game, moves, tops)
        forced = I(-1)
        goes_up = next_up(state[0], spec)
        if not following:
            count = leave_out_hosts(moves, count, state, spec)
            forced = first_forced(moves, count, state, spec)
        for index in range(count):
            if forced >= 0 and index != forced or not is_kept(moves[index], state, spec):
                continue
            if not following and not is_useful(moves[index], state, goes_up, spec):
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
            if following:
                left_over, length = play_on(child, game, room)
                if left_over == 0 and length < to_follow:
                    status[FOLLOWED] = used
                    used += 1
                    break
                continue
            if alike[alike_slot(child)] >= most_alike or is_dead(child, game):
                continue
            met = visit(table, child, spec)
            if met == SEEN:
                continue
            entries += met == ADDED
            find_features(child, game, knots, False, SALT * U(number) + U(used), features)
            features[LEFT_OVER], _ = play_on(child, game, room)
            rows[used, width + 1] = ZERO
            used += 1
            if features[LEFT_OVER] == 0 and status[FOLLOWED] == 0:
                status[FOLLOWED] = used - 1
            ahead = max(stage_ahead(child, spec, I(stages)), stage)
            put_row(rows, heads, first, used - 1, width, ahead, estimate(weights, I(0), features))
    status[STACK_TOP], status[NODES], status[ENTRIES], status[LAST_QUEUE] = used, nodes, entries, stage
    return outcome
