"""Beam search of the pile game: through the stock stage by stage, on with the best positions of each stage only.

A stage is a stretch of the way through the stock, over all passes: which of them a position is in depends on the next
card to be turned, so that no move leads back. Positions are expanded stage after stage, the best first, as many of
each stage as the search is wide. Estimates go by a playout of each position (playouts.py), which tells far better than
counts what a card turned past costs; so that a beam does not fill with hardly different positions, only a few with the
same foundations, reserve and waste are expanded. Where a playout wins, the search follows it before anything else.

A search that left out nothing decides as exactly as that of pilesfirst.py; any other ends as "truncated". Rows are as
there, but a position is entered in the table when it is met, not when it is expanded.
"""

import numpy as np

from solver.bestfirst import next_row, put_row, take_row
from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount
from solver.estimates import FEATURES, LEFT_OVER, estimate, find_features, lowest_height
from solver.moves import (FOUNDATION, RESERVE, WASTE, apply_move, generate_moves, is_won, move_code, move_count,
                          move_source, move_target)
from solver.packed import BYTE, FIRST_STOCK, FIRST_PILE, PASSES, STOCK_CARDS, STOCK_WORDS, WIDTH, borrow_game, card_under, next_up, pile_length
from solver.playouts import play_on
from solver.prunings import settle
from solver.search import (CUT, ENTRIES, EXHAUSTED, FOLLOWED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, STAGE_NODES,
                           TRUNCATED, WON, is_kept, reason_to_stop)
from solver.table import ADDED, SEEN, visit

SALT = U(0xD1B54A32D192ED03)
ALIKE_SLOTS = 1 << 16
SHAPE = False


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
def is_useful(move, state, goes_up, spec):
    source, target = move_source(move), move_target(move)
    if source >= RESERVE or target == FOUNDATION:
        return True
    word = state[spec[FIRST_PILE] + source]
    count = move_count(move)
    return count == pile_length(word) or (goes_up >> U(card_under(word, count, spec))) & ONE != ZERO


@kernel
def search_by_beam(rows, heads, table, status, weights, knots, number, wide, most_alike, alike, game, scratch, force, tops_only, flags):
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
        stop = reason_to_stop(status, nodes, entries, table, used + len(moves) <= len(rows), False)
        if stop != GO_ON:
            outcome = stop
            break
        here = status[FOLLOWED]
        following, to_follow = here > 0, I(0)
        if following:
            status[FOLLOWED], status[CUT] = 0, 1
            _, to_follow = play_on(rows[here], game, room)
        else:
            here = next_row(heads, first, stage)
            if here < 0 or status[STAGE_NODES] >= wide:
                status[CUT] |= here >= 0
                if stage + 1 == stages:
                    status[TRUNCATED] |= status[CUT]
                    break
                stage += 1
                status[STAGE_NODES] = 0
                continue
            take_row(rows, heads, first, stage, width)
            slot = alike_slot(rows[here])
            if alike[slot] >= most_alike:
                status[CUT] = 1
                continue
            alike[slot] += 1
            status[STAGE_NODES] += 1
        for word in range(width):
            state[word] = rows[here, word]
        nodes += 1
        count = generate_moves(state, game, moves, tops)
        goes_up = next_up(state[0], spec)
        forced = I(-1)
        if force < 20:
            low = lowest_height(state[0], spec) + force
            for index in range(count):
                if move_target(moves[index]) == FOUNDATION and move_source(moves[index]) != WASTE:
                    if move_code(moves[index]) >> 2 <= low:
                        forced = I(index)
                        break
        if forced < 0 and flags:
            for index in range(count):
                source, target = move_source(moves[index]), move_target(moves[index])
                if target == FOUNDATION or state[spec[FIRST_PILE] + target] == ZERO:
                    continue
                if flags & 1 and source < RESERVE and state[1] & BYTE and move_count(moves[index]) == pile_length(state[spec[FIRST_PILE] + source]):
                    forced = I(index)
                    break
                if flags & 2 and source == RESERVE:
                    forced = I(index)
                    break
                if flags & 8 and source < RESERVE and move_count(moves[index]) == pile_length(state[spec[FIRST_PILE] + source]):
                    forced = I(index)
                    break
        if flags & 4:
            keep = I(0)
            for index in range(count):
                source, target = move_source(moves[index]), move_target(moves[index])
                if index and source >= RESERVE and target != FOUNDATION and state[spec[FIRST_PILE] + target] != ZERO:
                    before = moves[keep - 1]
                    if move_source(before) == source and (before ^ moves[index]) >> U(23) == ZERO and move_target(before) != FOUNDATION and state[spec[FIRST_PILE] + move_target(before)] != ZERO:
                        if pile_length(state[spec[FIRST_PILE] + target]) < pile_length(state[spec[FIRST_PILE] + move_target(before)]):
                            moves[keep - 1] = moves[index]
                        continue
                moves[keep] = moves[index]
                keep += 1
            count = keep
        for index in range(count):
            if forced >= 0 and index != forced:
                continue
            if not is_kept(moves[index], state, spec):
                continue
            if tops_only and not is_useful(moves[index], state, goes_up, spec):
                status[CUT] = 1
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
            if alike[alike_slot(child)] >= most_alike:
                status[CUT] = 1
                continue
            met = visit(table, child, spec)
            if met == SEEN:
                continue
            entries += met == ADDED
            find_features(child, game, knots, SHAPE, SALT * U(number) + U(used), features)
            features[LEFT_OVER], _ = play_on(child, game, room)
            rows[used, width + 1] = ZERO
            used += 1
            if features[LEFT_OVER] == 0:
                status[FOLLOWED] = used - 1
                break
            ahead = max(stage_ahead(child, spec, I(stages)), stage)
            put_row(rows, heads, first, used - 1, width, ahead, estimate(weights, I(0), features))
    status[STACK_TOP], status[NODES], status[ENTRIES], status[LAST_QUEUE] = used, nodes, entries, stage
    return outcome
