"""Move generation and application on packed states, and perft.

A move is one uint64::

    | lap (1) | stock index (8) | copy (2) | target (4) | source (4) | count (7) | code of the unit's head (6) |
      bit 31     23..30           21..22     17..20       13..16       6..12       0..5

Places 0..11 are piles, 12 the reserve, 13 the waste, 14 the foundations. `lap` is 1 when the card comes to the top of
the waste only after the next redeal; `copy` tells which foundation of a suit a returned card leaves. Moves are
generated in a fixed order, so that searches repeat node for node.
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, inlined, kernel, leading_zeros, lowest_bit, popcount
from solver.packed import (ANY_SPACE, BYTE, CAPACITY, DECKS, DRAW, FIRST_PILE, FIRST_STOCK, FREE_FILL, PASSES, PILES,
                           RANKS, RETURNS, STOCK_WORDS, UNIT, UNIT_PILE, UNIT_SUFFIX, WIDTH, card_under, cards_up,
                           has_redeal, join_unit, next_up, pile_length, pile_top, remove_unit, single_card_pile,
                           stock_size)

RESERVE, WASTE, FOUNDATION = I(12), I(13), I(14)
MOST_MOVES = 4096


@inlined
def encode_move(code, count, source, target):
    """A move word without stock index, lap and copy."""
    return U(code) | (U(count) << U(6)) | (U(source) << U(13)) | (U(target) << U(17))


@inlined
def move_code(move):
    """Code of the unit's head card."""
    return I(move & U(63))


@inlined
def move_count(move):
    """Cards that move."""
    return I((move >> U(6)) & U(127))


@inlined
def move_source(move):
    """Place that the unit leaves."""
    return I((move >> U(13)) & U(15))


@inlined
def move_target(move):
    """Place that the unit goes to."""
    return I((move >> U(17)) & U(15))


@inlined
def move_stock_index(move):
    """Index in the stock list of the card that a move from the waste plays."""
    return I((move >> U(23)) & BYTE)


@inlined
def may_redeal(state, spec):
    """May the waste be turned over once more?"""
    return has_redeal((state[1] >> U(16)) & BYTE, spec)


@inlined
def waste_tops(state, spec, tops):
    """Write every card that turning can bring to the top of the waste into ``tops``, as ``lap << 8 | stock index``.

    With w of n cards turned, draw d: tops of this pass are w, w + d, .. n, those of the next d, 2d, .. n. A card that
    both passes reach is played in this one (fewer turns, more passes left). Returns how many there are.
    """
    turned = I((state[1] >> U(8)) & BYTE)
    size = stock_size(state, spec)
    redeal = may_redeal(state, spec)
    draw = spec[DRAW]
    count, place, now, later = I(0), I(0), I(0), I(0)
    for word in range(spec[STOCK_WORDS]):
        left = state[FIRST_STOCK + word]
        while left:
            bit = lowest_bit(left)
            left &= left - ONE
            place += 1
            later += 1
            if place > turned:
                now += 1
            this_pass = place == turned or now == draw or (place == size and place > turned)
            next_pass = redeal and (later == draw or place == size)
            if now == draw:
                now = I(0)
            if later == draw:
                later = I(0)
            if this_pass or next_pass:
                tops[count] = U(I(64) * word + bit) | (ZERO if this_pass else U(256))
                count += 1
    return count


@inlined
def add_card_moves(state, game, code, cards, source, goes_up, to_space, moves, count, tail):
    """Append the moves of one unit (head ``code``, ``cards`` cards, from ``source``) to foundation, piles, spaces."""
    spec = game.spec
    if cards == 1 and (goes_up >> U(code)) & ONE:
        moves[count] = encode_move(code, cards, source, FOUNDATION) | tail
        count += 1
    for target in range(spec[PILES]):
        if target == source:
            continue
        word = state[spec[FIRST_PILE] + target]
        if word:
            fits = (game.carries[pile_top(word)] >> U(code)) & ONE
        else:
            fits = ONE if to_space else ZERO
        if fits:
            moves[count] = encode_move(code, cards, source, target) | tail
            count += 1
    return count


@inlined
def add_pile_moves(state, game, pile, goes_up, to_space, moves, count):
    """Append the moves of a pile's last card, its parts and the whole of it, as the rule set's unit allows."""
    spec = game.spec
    word = state[spec[FIRST_PILE] + pile]
    length = pile_length(word)
    top = pile_top(word)
    if (goes_up >> U(top)) & ONE:
        moves[count] = encode_move(I(top), I(1), I(pile), FOUNDATION)
        count += 1
    for cards in range(1, length + 1):
        if cards < length and (spec[UNIT] == UNIT_PILE or (cards > 1 and spec[UNIT] != UNIT_SUFFIX)):
            continue
        head = card_under(word, I(cards) - 1, spec)
        count = add_card_moves(state, game, head, I(cards), I(pile), ZERO, to_space and cards < length, moves, count,
                               ZERO)
    return count


@inlined
def add_returns(state, game, to_space, moves, count):
    """Append the moves of foundation tops back to the tableau."""
    spec = game.spec
    for suit in range(4):
        for copy in range(spec[DECKS]):
            height = I((state[0] >> U(16 * suit + 4 * copy)) & U(15))
            below = I((state[0] >> U(16 * suit + 4 * copy + 4)) & U(15)) if copy + 1 < spec[DECKS] else I(0)
            if height > below:  # equal foundations are one choice: the last of them gives its top
                code = 4 * (height - 1) + suit
                tail = U(copy) << U(21)
                count = add_card_moves(state, game, code, I(1), FOUNDATION, ZERO, to_space, moves, count, tail)
    return count


@kernel
def generate_moves(state, game, moves, tops):
    """Write every legal move of ``state`` (uint64[WIDTH]) into ``moves`` (uint64[MOST_MOVES]); returns how many.

    ``tops`` is scratch space, uint64[256].
    """
    spec = game.spec
    first = spec[FIRST_PILE]
    goes_up = next_up(state[0], spec)
    wanted = goes_up
    spaces = False
    for pile in range(spec[PILES]):
        word = state[first + pile]
        if word:
            wanted |= game.carries[pile_top(word)]
        else:
            spaces = True
    reserve_left = I(state[1] & BYTE)
    if spec[FREE_FILL] == 0 and reserve_left > 0:
        spaces = False
    to_space = spaces and spec[ANY_SPACE] != 0
    count = I(0)
    if reserve_left > 0:
        code = I(game.reserve[reserve_left - 1])
        count = add_card_moves(state, game, code, I(1), RESERVE, goes_up, to_space, moves, count, ZERO)
    for pile in range(spec[PILES]):
        if state[first + pile]:
            count = add_pile_moves(state, game, pile, goes_up, to_space, moves, count)
    for entry in range(waste_tops(state, spec, tops)):
        top = tops[entry]
        code = I(game.stock[I(top & BYTE)])
        if spaces or (wanted >> U(code)) & ONE:
            count = add_card_moves(state, game, code, I(1), WASTE, goes_up, spaces, moves, count, top << U(23))
    if spec[RETURNS]:
        count = add_returns(state, game, to_space, moves, count)
    return count


@inlined
def raise_foundation(foundations, code):
    """Foundations with ``code`` laid on the first one of its suit that takes it."""
    rank, suit = U(code >> 2), U(code & 3)
    shift = U(16) * suit
    while ((foundations >> shift) & U(15)) != rank:
        shift += U(4)
    return foundations + (ONE << shift)


@inlined
def apply_move(state, move, game, result):
    """Play ``move`` on ``state`` into ``result`` (both uint64[WIDTH]). False when a pile outgrows its word."""
    spec = game.spec
    first = spec[FIRST_PILE]
    for word in range(spec[WIDTH]):
        result[word] = state[word]
    code, count, source, target = move_code(move), move_count(move), move_source(move), move_target(move)
    unit = single_card_pile(code, spec)
    if source < RESERVE:
        unit = state[first + source]
        left = remove_unit(unit, count, spec)
        if left == ZERO and spec[FREE_FILL] == 0 and result[1] & BYTE:
            left = single_card_pile(I(game.reserve[I(result[1] & BYTE) - 1]), spec)
            result[1] -= ONE
        result[first + source] = left
    elif source == RESERVE:
        result[1] -= ONE
    elif source == WASTE:
        take_from_waste(result, move, game)
    else:
        result[0] -= ONE << (U(16 * (code & 3)) + U(4) * ((move >> U(21)) & U(3)))
    if target == FOUNDATION:
        result[0] = raise_foundation(result[0], code)
        return True
    host = result[first + target]
    if pile_length(host) + count > spec[CAPACITY]:
        return False
    result[first + target] = join_unit(host, unit, count, spec)
    return True


@inlined
def take_from_waste(result, move, game):
    """Turn until the card of ``move`` is on top, take it: the waste then holds the cards before it."""
    spec = game.spec
    index = move_stock_index(move)
    word = index >> 6
    below = popcount(result[FIRST_STOCK + word] & ((ONE << U(index & 63)) - ONE))
    for earlier in range(word):
        below += popcount(result[FIRST_STOCK + earlier])
    result[FIRST_STOCK + word] &= ~(ONE << U(index & 63))
    result[1] = (result[1] & ~(BYTE << U(8))) | (U(below) << U(8))
    if spec[PASSES]:
        result[1] += (move >> U(31)) << U(16)
    if spec[DECKS] > 1:
        move_copies_forward(result, index, game)


@inlined
def move_copies_forward(state, gap, game):
    """Keep the stock set the one furthest forward of those with the same row of cards, after card ``gap`` left it.

    In that set each card stands at its first copy after the card before it. So only cards behind the gap can move
    forward, one after the other, and the first that stays where it is holds all others in place.
    """
    before = last_before(state, gap)
    index = next_after(state, gap, game.spec)
    while index >= 0:
        place = index
        while game.earlier[place] > before:
            place = game.earlier[place]
        if place == index:
            return
        state[FIRST_STOCK + (index >> 6)] &= ~(ONE << U(index & 63))
        state[FIRST_STOCK + (place >> 6)] |= ONE << U(place & 63)
        before = place
        index = next_after(state, index, game.spec)


@inlined
def last_before(state, index):
    """Index of the last card of the stock set before ``index``, -1 where there is none."""
    word = index >> 6
    here = state[FIRST_STOCK + word] & ((ONE << U(index & 63)) - ONE)
    while here == ZERO:
        word -= 1
        if word < 0:
            return I(-1)
        here = state[FIRST_STOCK + word]
    return 64 * word + 63 - leading_zeros(here)


@inlined
def next_after(state, index, spec):
    """Index of the first card of the stock set after ``index``, -1 where there is none."""
    word = index >> 6
    here = state[FIRST_STOCK + word] & ~((ONE << U(index & 63)) | ((ONE << U(index & 63)) - ONE))
    while here == ZERO:
        word += 1
        if word >= spec[STOCK_WORDS]:
            return I(-1)
        here = state[FIRST_STOCK + word]
    return 64 * word + lowest_bit(here)


@inlined
def is_won(state, spec):
    """All cards are on the foundations."""
    return cards_up(state[0]) == 4 * spec[DECKS] * spec[RANKS]


@kernel
def count_leaves(root, game, depth):
    """Perft: sequences of exactly ``depth`` legal moves from ``root``; a won position has none. -1 when a pile
    outgrew its word."""
    spec = game.spec
    states = np.zeros((depth + 1, spec[WIDTH]), np.uint64)
    moves = np.zeros((depth + 1, MOST_MOVES), np.uint64)
    number = np.zeros(depth + 1, np.int64)
    tops = np.empty(256, np.uint64)
    states[0, :] = root
    level, leaves = I(0), I(0)
    if depth == 0:
        return I(1)
    number[0] = generate_moves(states[0], game, moves[0], tops)
    while level >= 0:
        if number[level] == 0 or is_won(states[level], spec):
            level -= 1
            continue
        number[level] -= 1
        if not apply_move(states[level], moves[level, number[level]], game, states[level + 1]):
            return I(-1)
        if level + 1 == depth:
            leaves += 1
        else:
            level += 1
            number[level] = generate_moves(states[level], game, moves[level], tops)
    return leaves
