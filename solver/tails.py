"""Tails: which stock cards may lie on the ends of a core, and from when on (see deferred.py).

The stock is turned again from the time at which the first end became one. Whatever comes to the top of the waste, when
what lies above it was laid or went up, may go to the tail of an end if it fits on the end or on a card of its tail.
Tails are generous: nothing is used up, so that a card may lie in several tails and uncover what lies under it in the
waste, too.
"""

from solver.bits import I, ONE, U, ZERO, inlined, leading_zeros, lowest_bit
from solver.cardsets import host_classes
from solver.cores import ends_of_core, host_of
from solver.packed import PASSES, RANKS
from solver.rows import CODE, NEVER, SINCE, TIME_BITS, TIME_MASK
from solver.stages import indices_of


@inlined
def find_ends(core, times, game, sets, room):
    """Write the ends into ``room``, with no tails yet; returns how many there are."""
    _, _, bottoms, higher = core
    room.ends[:] = -1
    cards, end = ends_of_core(core, game.spec), I(0)
    while cards:
        code = lowest_bit(cards)
        cards &= cards - ONE
        times >>= TIME_BITS
        room.ends[CODE + end], room.ends[SINCE + end] = code, I(times & TIME_MASK) if game.spec[PASSES] else I(0)
        room.tails[end], room.guests[end] = ZERO, sets.guests[code]
        room.piles[end] = ONE << U(code)
        while not (bottoms >> U(code)) & ONE:
            code = host_of(code, higher, game.spec[RANKS])
            room.piles[end] |= ONE << U(code)
        end += 1
    return end


@inlined
def add_end(end, code, left, sets, game, room):
    """Write one end more into ``room``, a card in a space, with all that can lie on it of the stock cards ``left``."""
    room.ends[CODE + end], room.ends[SINCE + end], room.piles[end] = code, 0, ONE << U(code)
    room.tails[end], room.guests[end], room.renewals[end, 0] = ZERO, sets.guests[code], 0
    lay_at_will(left, end + 1, sets, game, room)


@inlined
def parts_in_the_way(core, rising, spec):
    """The attached cards, as a set, that lie on one of ``rising``: where parts of piles may move, they may make way."""
    _, tableau, bottoms, higher = core
    attached, parts = tableau & ~bottoms, ZERO
    while attached:
        card = attached & (~attached + ONE)
        attached ^= card
        if rising >> U(host_of(lowest_bit(card), higher, spec[RANKS])) & ONE:
            parts |= card
    return parts


@inlined
def hosts_for(guests, codes, sets, spec):
    """Those of the stock cards ``codes``, by index, that one of ``guests`` (a set of cards) may lie on, or another of
    these: no others can be part of a chain under one."""
    last, found = U(4 * (spec[RANKS] - 1)), ZERO
    while guests:
        classes = host_classes(guests, last)
        guests = (classes | classes << U(2)) & codes & ~found
        found |= guests
    return indices_of(found, sets)


@inlined
def first_time(now, count, room):
    """The time at which the first end became one."""
    at = now
    for end in range(count):
        at = min(at, room.ends[SINCE + end])
    return at


@inlined
def next_opening(at, now, count, room):
    """The next time after ``at`` at which there is another end, or which is that of the core."""
    found = now if at < now else I(NEVER)
    for end in range(count):
        if room.ends[SINCE + end] > at:
            found = min(found, room.ends[SINCE + end])
    return found


@inlined
def taken_by_ends(at, count, room):
    """The stock cards that would be new in a tail at this time."""
    takes = ZERO
    for end in range(count):
        if room.ends[SINCE + end] <= at:
            takes |= room.guests[end] & ~room.tails[end]
    return takes


@inlined
def lay_what_comes_up(turned, gone, takes, count, at, sets, game, room):
    """Let what may be at the top of the waste ``turned`` into the tails that take it.

    gone: what may have left the waste already; watched cards that are laid do not join it. Returns the stock cards that
    may be at the top; and ``gone`` and what would be new in a tail, brought up to date.
    """
    seen = ZERO
    while True:
        # The last card that is not gone may be at the top, and what was above it.
        under = turned & ~gone
        reach = turned & ~((ONE << (U(63) - U(leading_zeros(under)))) - ONE) if under else turned
        fresh = reach & ~seen
        seen = reach
        if fresh & takes == ZERO:
            return seen, gone, takes
        gone |= lay_in_tails(fresh, count, at, sets, game, room) & ~room.watched
        takes = taken_by_ends(at, count, room)


@inlined
def lay_in_tails(cards, count, at, sets, game, room):
    """Let stock cards into all tails that take them, the last ones first; returns those that went into one.

    At the same time a card is not laid on one that was under it in the waste.
    """
    laid = ZERO
    for end in range(count):
        if room.ends[SINCE + end] > at:
            continue
        rest = cards & ~room.tails[end] & room.guests[end]
        while rest:
            index = I(63) - leading_zeros(rest)
            bit = ONE << U(index)
            room.tails[end] |= bit
            room.guests[end] |= sets.guests[game.stock[index]]
            laid |= bit
            rest = cards & ~room.tails[end] & room.guests[end] & (bit - ONE)
    return laid


@inlined
def lay_at_will(left, count, sets, game, room):
    """Let the stock cards ``left`` into all tails that take them, in any order."""
    while lay_in_tails(left, count, I(0), sets, game, room) != ZERO:
        pass
