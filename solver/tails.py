"""Tails: which stock cards may lie on the ends of a core, and from when on (see deferred.py).

The stock is turned again from the time at which the first end became one. Whatever comes to the top of the waste, when
what lies above it was laid, may go to the tail of an end if it fits on the end or on a card of its tail. Tails are
generous: nothing is used up, so that a card may lie in several tails and uncover what lies under it in the waste, too.
A *chain* is some of a tail's cards, one on the other from the end on, each laid after the one under it.
"""

from solver.bits import I, ONE, U, ZERO, inlined, leading_zeros, lowest_bit
from solver.cardsets import host_classes
from solver.cores import CODE, LOWEST, SINCE, TIME_BITS, TIME_MASK, ends_of_core, host_of, top_of_reserve
from solver.packed import PASSES, RANKS
from solver.stages import indices_of

NO_INDEX = 63
"""Stands for the index of an end where that of a stock card laid on it is asked for."""
# Rows of Room.chain, by step, the end first: the card's code; what may still be laid on it; the stock cards up to it;
# the event at which it was laid and its index.
CHAIN_CODE, CHAIN_GUESTS, CHAIN_TAKEN, CHAIN_LAID = range(4)


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
        room.ends[CODE + end], room.ends[SINCE + end] = code, I(times & TIME_MASK)
        room.tails[end], room.guests[end] = ZERO, sets.guests[code]
        while not (bottoms >> U(code)) & ONE:
            code = host_of(code, higher, game.spec[RANKS])
        room.ends[LOWEST + end] = code
        end += 1
    return end


@inlined
def movable_units(core, count, game, room):
    """What may be built on an end, as a set of cards: the reserve's top, and the first cards of the piles."""
    movable = top_of_reserve(core, game)
    for end in range(count):
        movable |= ONE << U(room.ends[LOWEST + end])
    return movable


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
def open_ends(at, now, count, room):
    """The stock cards that would be new in a tail at this time; and the next time at which there is another end, or
    which is that of the core."""
    takes, next_time = ZERO, now if at < now else I(TIME_MASK)
    for end in range(count):
        if room.ends[SINCE + end] <= at:
            takes |= room.guests[end] & ~room.tails[end]
        else:
            next_time = min(next_time, room.ends[SINCE + end])
    return takes, next_time


@inlined
def first_time(now, count, room):
    """The time at which the first end became one."""
    at = now
    for end in range(count):
        at = min(at, room.ends[SINCE + end])
    return at


@inlined
def lay_what_comes_up(turned, laid, takes, count, at, sets, game, room):
    """Let what may be at the top of the waste ``turned`` into the tails that take it. Returns the stock cards that may
    be at the top; and those in any tail, and what would be new in one, as given but brought up to date."""
    seen = ZERO
    while True:
        # The last card that was not laid may be at the top, and what lay above it.
        under = turned & ~laid
        reach = turned & ~((ONE << (U(63) - U(leading_zeros(under)))) - ONE) if under else turned
        fresh = reach & ~seen
        seen = reach
        if fresh & takes == ZERO:
            return seen, laid, takes
        laid |= lay_in_tails(fresh, count, at, sets, game, room)
        takes, _ = open_ends(at, at, count, room)


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
def first_event(end, events, room):
    """The first event from the time on at which an end became one."""
    event = I(0)
    while event < events and room.events[event] < room.ends[SINCE + end]:
        event += 1
    return event


@inlined
def next_laying(bit, event, index, events, game, room):
    """The first event from this one on at which a stock card can be laid on the one with this index, which is laid
    then; at the same time only if it was under that in the waste. ``events`` where there is none."""
    if lowest_bit(bit) >= index and game.spec[PASSES]:
        event += 1
    while event < events and room.tops[event] & bit == ZERO:
        event += 1
    return event


@inlined
def note_step(depth, host, taken, event, index, end, game, sets, room):
    """Enter a card of a chain, ``depth`` cards above the end."""
    room.chain[CHAIN_CODE, depth], room.chain[CHAIN_TAKEN, depth] = U(host), taken
    room.chain[CHAIN_GUESTS, depth] = room.tails[end] & sets.guests[host] & ~taken
    room.chain[CHAIN_LAID, depth] = U(event * (NO_INDEX + 1) + index)


@inlined
def with_chain(core, depth, room):
    """The tableau and the cards on higher twins with the chain of ``room`` on its end."""
    _, tableau, _, higher = core
    for step in range(1, depth + 1):
        card = ONE << room.chain[CHAIN_CODE, step]
        tableau |= card
        if room.chain[CHAIN_CODE, step - 1] & U(2):
            higher |= card
    return tableau, higher
