"""Beam search of the pile game by choices: a position waits where the waste's top can be played, and it is, or is not.

As in beam.py positions are expanded stage after stage of the way through the stock, as many of each as the search is
wide. But between two choices all is done that a playout (playouts.py) would do without the stock: cards go up, the
reserve is laid, piles are joined. Then the stock is turned until its top can be played, and the children are the
position with the card played, in each way, and the position with the stock turned on. One of them is what the playout
does, so that it comes to the same end, and only the others are played out: one or two instead of eight. Nor is any
width spent on moves that nearly always are right. The best positions are those with the best prospect (prospects.py).

A row is a state, then the end of its playout, with bit LAPPED set where the waste was turned over after the last card
from it was played, then its origin and its queue as in bestfirst.py. The stock of a row is turned as far as it says,
while the move that a row names starts from where the last card was taken. A row that only turned on from another
therefore has the origin of that row. Rows of moves between two choices wait in no queue.

Much is left out, so that a beam finds wins and proves nothing: it ends as "truncated".
"""

import numpy as np

from solver.beam import alike_slot, next_of_beam, stage_ahead
from solver.bestfirst import TAKEN, put_row
from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount
from solver.moves import FOUNDATION, RESERVE, WASTE, apply_move, encode_move, is_won, may_redeal, move_source
from solver.packed import (ANY_SPACE, BYTE, DRAW, FIRST_PILE, FIRST_STOCK, FREE_FILL, PASSES, PILES, STOCK_WORDS, UNIT,
                           UNIT_PILE, WIDTH, borrow_game, card_under, next_up, pile_length, pile_top, stock_size)
from solver.prospects import end_field, find_end, prospect
from solver.prunings import settle
from solver.search import (ENTRIES, EXHAUSTED, FOLLOWED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, TRUNCATED, WON,
                           reason_to_stop)
from solver.table import ADDED, SEEN, position_key, visit_key

LAPPED = ONE << U(63)
LAP = ONE << U(31)  # of a move: see moves.py


@inlined
def shortest_pile(state, code, game):
    """The shortest pile that card ``code`` may be laid on, -1 where there is none, int64."""
    first, host, least = game.spec[FIRST_PILE], I(-1), I(1 << 30)
    for pile in range(game.spec[PILES]):
        word = state[first + pile]
        if word and (game.carries[pile_top(word)] >> U(code)) & ONE and pile_length(word) < least:
            host, least = I(pile), pile_length(word)
    return host


@inlined
def host_beside(state, code, pile, game):
    """The first other pile that card ``code`` of ``pile`` may be laid on, -1 where there is none, int64."""
    first = game.spec[FIRST_PILE]
    for host in range(game.spec[PILES]):
        word = state[first + host]
        if host != pile and word and (game.carries[pile_top(word)] >> U(code)) & ONE:
            return I(host)
    return I(-1)


@inlined
def first_space(state, spec):
    """The first space that a card may be laid in, -1 where there is none, int64."""
    if spec[FREE_FILL] or state[1] & BYTE == ZERO:
        for pile in range(spec[PILES]):
            if state[spec[FIRST_PILE] + pile] == ZERO:
                return I(pile)
    return I(-1)


@inlined
def move_before_choice(state, game):
    """What a playout does next without the stock, 0 where there is nothing."""
    spec = game.spec
    first, goes_up, left = spec[FIRST_PILE], next_up(state[0], spec), I(state[1] & BYTE)
    top = I(game.reserve[left - 1]) if left > 0 else I(0)
    if left > 0 and (goes_up >> U(top)) & ONE:
        return encode_move(top, I(1), RESERVE, FOUNDATION)
    for pile in range(spec[PILES]):
        word = state[first + pile]
        if word and (goes_up >> U(pile_top(word))) & ONE:
            return encode_move(pile_top(word), I(1), I(pile), FOUNDATION)
    host = shortest_pile(state, top, game) if left > 0 else I(-1)
    if host >= 0:
        return encode_move(top, I(1), RESERVE, host)
    for pile in range(spec[PILES]):
        word = state[first + pile]
        if word:
            head = card_under(word, pile_length(word) - 1, spec)
            host = host_beside(state, head, pile, game)
            if host >= 0:
                return encode_move(head, pile_length(word), I(pile), host)
    for pile in range(spec[PILES] if spec[UNIT] != UNIT_PILE else I(0)):
        word = state[first + pile]
        if word and clears_way(word, goes_up, spec):
            host = host_beside(state, pile_top(word), pile, game)
            if host >= 0:
                return encode_move(pile_top(word), I(1), I(pile), host)
    return ZERO


@inlined
def clears_way(word, goes_up, spec):
    """Does a pile's last card lie on one that goes up?"""
    return pile_length(word) > 1 and (goes_up >> U(card_under(word, I(1), spec))) & ONE != ZERO


@inlined
def find_top(state, place, size, playable, game):
    """Turn on from card ``place`` (from 1) of the stock to the first top in ``playable``: its place and index in the
    stock list, -1 for both where there is none before the end of the pass."""
    spec = game.spec
    seen = I(0)
    for word in range(spec[STOCK_WORDS]):
        left = state[FIRST_STOCK + word]
        if seen + popcount(left) < place:
            seen += popcount(left)
            continue
        while left:
            seen += 1
            if seen == place:
                index = I(64) * word + lowest_bit(left)
                if (playable >> U(game.stock[index])) & ONE:
                    return place, index
                if place == size:
                    return I(-1), I(-1)
                place = min(place + spec[DRAW], size)
            left &= left - ONE
    return I(-1), I(-1)


@inlined
def turn_to_choice(state, place, lapped, game):
    """Turn the stock, from card ``place`` (from 1) on, until its top can be played; (was there a top, lapped).

    The waste is turned over once at most, and not where ``lapped`` says that it was: it would show the same tops.
    """
    spec = game.spec
    size = stock_size(state, spec)
    playable = next_up(state[0], spec)
    for pile in range(spec[FIRST_PILE], spec[FIRST_PILE] + spec[PILES]):
        if state[pile]:
            playable |= game.carries[pile_top(state[pile])]
    if first_space(state, spec) >= 0:
        playable = ~ZERO
    found, _ = find_top(state, place, size, playable, game) if place <= size else (I(-1), I(-1))
    if found < 0 and not lapped and size > 0 and may_redeal(state, spec):
        lapped = True
        state[1] += ONE << U(16)
        found, _ = find_top(state, min(spec[DRAW], size), size, playable, game)
    if found >= 0:
        state[1] = (state[1] & ~(BYTE << U(8))) | (U(found) << U(8))
    return found >= 0, lapped


@inlined
def write_choices(state, game, moves):
    """Write the moves that a choice is between, 0 for turning on, the playout's own first; returns how many."""
    spec = game.spec
    first, goes_up, place = spec[FIRST_PILE], next_up(state[0], spec), I((state[1] >> U(8)) & BYTE)
    _, index = find_top(state, place, I(-1), ~ZERO, game)
    code, tail = I(game.stock[index]), U(index) << U(23)
    count = I(0)
    if (goes_up >> U(code)) & ONE:
        moves[count] = encode_move(code, I(1), WASTE, FOUNDATION) | tail
        count += 1
    host, space = shortest_pile(state, code, game), first_space(state, spec)
    if host >= 0:
        moves[count] = encode_move(code, I(1), WASTE, host) | tail
        count += 1
    if count == 0 and not (space >= 0 and I((state[1] >> U(16)) & BYTE) == spec[PASSES]):
        moves[count] = ZERO
        count += 1
    if space >= 0:
        moves[count] = encode_move(code, I(1), WASTE, space) | tail
        count += 1
        for pile in range(spec[PILES] if spec[ANY_SPACE] and spec[UNIT] != UNIT_PILE else I(0)):
            word = state[first + pile]
            if word and clears_way(word, goes_up, spec):
                moves[count] = encode_move(pile_top(word), I(1), I(pile), space)
                count += 1
    if moves[0] != ZERO:
        moves[count] = ZERO
        count += 1
    return count


@inlined
def add_child(rows, here, move, used, at_root, game, log):
    """Write the position after a choice into row ``used``, and what follows of itself into the rows after it.

    Returns the last row written, -1 where a pile outgrew its word; from which card (from 1) of the stock on tops can be
    played there; and whether the waste was turned over since one was.
    """
    spec = game.spec
    width, row = spec[WIDTH], used
    lapped = rows[here, width] & LAPPED != ZERO
    size, turned = stock_size(rows[here], spec), I((rows[here, 1] >> U(8)) & BYTE)
    if move == ZERO:
        for word in range(width):
            rows[row, word] = rows[here, word]
        rows[row, width + 1] = rows[here, width + 1] & ~TAKEN
        if not at_root:
            turned = min(turned + spec[DRAW], size) if turned < size else size + 1
    else:
        if not apply_move(rows[here], move, game, rows[row]):
            return I(-1), I(0), lapped
        if move_source(move) == WASTE:
            turned -= 1
            size -= 1
            if lapped:
                move |= LAP
            lapped = False
        settle(rows[row], game, log)
        rows[row, width + 1] = (move << U(32)) | parent_of(rows, here, width + 1)
    move = move_before_choice(rows[row], game) if move != ZERO or at_root else ZERO
    while move != ZERO:
        row += 1
        if not apply_move(rows[row - 1], move, game, rows[row]):
            return I(-1), I(0), lapped
        settle(rows[row], game, log)
        rows[row, width + 1] = (move << U(32)) | parent_of(rows, row - 1, width + 1)
        move = move_before_choice(rows[row], game)
    return row, turned if turned > 0 else min(spec[DRAW], size), lapped


@inlined
def visit_turned(table, state, spec):
    """As table.visit, but waste and pass are part of the position: one turned on is worse than it was, yet its own."""
    key = mix(position_key(state, spec) ^ (state[1] >> U(8))) | ONE
    return visit_key(table, key, I(0), U(256), FALSE)


@inlined
def parent_of(rows, row, origin):
    """The row that a child of ``row`` names: the root for one that only turned on from it."""
    return U(row) if rows[row, origin] & ~TAKEN else ZERO


@kernel
def search_by_choices(rows, heads, table, status, weights, wide, most_alike, alike, game, scratch):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    rows: uint64[any, WIDTH + 3]; weights: prospects.WEIGHTS; the rest as for beam.search_by_beam.
    """
    rows, table, status, alike = borrow(rows), borrow(table), borrow(status), borrow(alike)
    heads, weights, game = borrow(heads), borrow(weights), borrow_game(game)
    spec = game.spec
    width, stages = spec[WIDTH], len(heads)
    origin = width + 1
    log, moves, room = borrow(scratch[3]), borrow(scratch[4]), borrow(scratch[5])
    used, nodes, entries, stage = status[STACK_TOP], status[NODES], status[ENTRIES], status[LAST_QUEUE]
    first = np.zeros(stages, np.int64)
    outcome = I(EXHAUSTED)
    while True:
        stop = reason_to_stop(status, nodes, entries, table, used + len(moves) <= len(rows), FALSE)
        if stop != GO_ON:
            outcome = stop
            break
        here, at_root = status[FOLLOWED], nodes == 0
        following = here > 0
        if following:
            status[FOLLOWED] = 0
        else:
            here, stage = next_of_beam(rows, heads, first, stage, origin, wide, most_alike, alike, status)
            if here < 0:
                break
        nodes += 1
        moves[0] = ZERO
        count = I(1) if at_root or following else I(0)
        if not at_root:
            choices = write_choices(rows[here], game, moves)
            count = count if following else choices
        for number in range(count):
            last, place, lapped = add_child(rows, here, moves[number], used, at_root, game, log)
            if last < 0:
                status[TRUNCATED] |= 1
                continue
            if is_won(rows[last], spec):
                status[STACK_TOP], status[NODES], status[ENTRIES] = last + 1, nodes, entries
                return I(WON)
            found, lapped = turn_to_choice(rows[last], place, lapped, game)
            if not found:
                continue
            end = rows[here, width]
            if not following:
                if alike[alike_slot(rows[last])] >= most_alike:
                    continue
                met = visit_turned(table, rows[last], spec)
                if met == SEEN:
                    continue
                entries += met == ADDED
                if number > 0 or at_root:
                    end = find_end(rows[last], game, room)
            rows[last, width] = end | LAPPED if lapped else end & ~LAPPED
            rows[last, origin + 1] = ZERO
            used = last + 1
            if end_field(end, 0) == 0 and status[FOLLOWED] == 0:
                status[FOLLOWED] = last
            if not following:
                ahead = max(stage_ahead(rows[last], spec, I(stages)), stage)
                put_row(rows, heads, first, last, origin, ahead, prospect(rows[last], end, weights, spec))
    status[STACK_TOP], status[NODES], status[ENTRIES], status[LAST_QUEUE] = used, nodes, entries, stage
    return outcome
