"""Cores: positions of the set game without the stock cards that merely lie on the tableau.

A stock card that was laid is *idle* until something else than an idle card is built on it; the idle cards on a card
that is not are its *tail*. Take the tails off a position, back into the stock: what is left is its *core*. Hundreds of
positions share one, and deferred.py searches cores instead. Rows (uint64[ROW_WORDS])::

    0  cards up | reserve left << 52                     as in cardsets.py, of the core
    1  tableau   2  bottoms   3  higher
    4  times:  63          59        48 47        36 35        24 23        12 11         0
               | dominated | end 3      | end 2      | end 1      | end 0      | now        |
    5  links:  row + 1 of the last other row of this core | row + 1 of the next row of this level << 32

An *end* is a last card of the core's piles, in the order of their codes; its time is since when it has been one. Times
count the cards of the stock list passed so far, over all passes, with one more for each redeal.

Of rows of one core, one with no time later than in the other dominates it (proof in deferred.py).
"""

from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, free_hosts, is_rigid_dead, is_rigid_safe, next_cards
from solver.packed import COVER, RANKS
from solver.search import ENTRIES, STACK_TOP, TRUNCATED
from solver.setsearch import deck_of

UP, TABLEAU, BOTTOMS, HIGHER, TIMES, LINKS = range(6)
ROW_WORDS = 6
MOST_ENDS, MOST_EVENTS = 4, 4096
TIME_BITS, TIME_MASK = U(12), U(0xFFF)
DOMINATED = ONE << U(63)
HALF, LOW_HALF = U(32), U(0xFFFFFFFF)
SALT = U(0x9E3779B97F4A7C15)
CORE_LEVELS = 160
NOTHING = -1

# Parts of Room.ends, by their first index: for each end its code, its time, and the bottom of its pile.
CODE, SINCE, LOWEST = 0, 4, 8


class Cores(NamedTuple):
    """The rows of a search: uint64[any, ROW_WORDS]; index: int32[power of two], by hash the latest row + 1 of a core, 0
    for none; heads: int64[CORE_LEVELS], the latest row of each level to be expanded, or NOTHING."""

    rows: np.ndarray
    index: np.ndarray
    heads: np.ndarray


class Room(NamedTuple):
    """Working space of one expansion. ends: int64[12], see above; by end, as sets of stock cards by index (uint64[4]):
    tails, what may lie on it; guests, what fits on it or on these; chain: uint64[4, 64]; events: int64[MOST_EVENTS],
    the times at which something else comes to the top of the waste; tops: uint64[MOST_EVENTS], which stock cards may be
    there then."""

    ends: np.ndarray
    tails: np.ndarray
    guests: np.ndarray
    chain: np.ndarray
    events: np.ndarray
    tops: np.ndarray


def new_room() -> Room:
    """Working space."""
    return Room(np.zeros(3 * MOST_ENDS, np.int64), np.zeros(MOST_ENDS, np.uint64), np.zeros(MOST_ENDS, np.uint64),
                np.zeros((4, 64), np.uint64), np.empty(MOST_EVENTS, np.int64), np.empty(MOST_EVENTS, np.uint64))


@inlined
def borrow_cores(memory):
    """As :func:`packed.borrow_game`."""
    return Cores(borrow(memory.rows), borrow(memory.index), borrow(memory.heads))


@inlined
def borrow_room(room):
    """As :func:`packed.borrow_game`."""
    return Room(borrow(room.ends), borrow(room.tails), borrow(room.guests), borrow(room.chain), borrow(room.events),
                borrow(room.tops))


@inlined
def host_of(code, higher, ranks):
    """Code of the card that an attached card lies on."""
    rank = (code >> 2) + 1
    if rank == ranks:
        rank = I(0)
    return 4 * rank + (1 - (code & 1)) + 2 * I((higher >> U(code)) & ONE)


@inlined
def level_of_core(core):
    """A number that grows with everything that changes a core: a card up counts three, one laid two, a bottom one."""
    up_word, tableau, bottoms, _ = core
    return 3 * popcount(up_word & CARDS) + popcount(tableau) + popcount(tableau & ~bottoms)


@inlined
def ends_of_core(core, spec):
    """The set of the last cards of a core's piles."""
    _, tableau, bottoms, higher = core
    low, high = free_hosts(tableau, bottoms, higher, U(4 * (spec[RANKS] - 1)), I(0))
    return low | high << U(2)


@inlined
def top_of_reserve(core, game):
    """The reserve's top as a set of one; the empty set where there is none."""
    return ONE << U(game.reserve[I(core[0] >> UPPER_SHIFT) - 1]) if core[0] >> UPPER_SHIFT else ZERO


@inlined
def send_up(card, core, game):
    """The core after an end or the reserve's top (a set of one) went up."""
    up_word, tableau, bottoms, higher = core
    up_word |= card
    if tableau & card == ZERO:
        return up_word - (ONE << UPPER_SHIFT), tableau, bottoms, higher
    tableau &= ~card
    higher &= ~card
    if bottoms & card:
        bottoms &= ~card
        if up_word >> UPPER_SHIFT:
            up_word -= ONE << UPPER_SHIFT
            filled = ONE << U(game.reserve[I(up_word >> UPPER_SHIFT)])
            tableau |= filled
            bottoms |= filled
    return up_word, tableau, bottoms, higher


@inlined
def settled_core(core, game):
    """The core after every end and top of the reserve on which nothing can be laid any more went up."""
    spec = game.spec
    last, deck = U(4 * (spec[RANKS] - 1)), deck_of(spec)
    again = True
    while again:
        again = False
        up_word, tableau, bottoms, higher = core
        rising = next_cards(up_word & CARDS, deck) & (ends_of_core(core, spec) | top_of_reserve(core, game))
        while rising and not again:
            card = rising & (~rising + ONE)
            rising ^= card
            if is_rigid_safe(card, up_word & CARDS, tableau, bottoms, higher, last, spec[COVER], deck):
                core = send_up(card, core, game)
                again = True
    return core


@inlined
def put_core(core, at, room, memory, status, game):
    """Enter a core that is met at time ``at``; True when it is won. Ends not in ``room`` are new."""
    spec = game.spec
    core = settled_core(core, game)
    up_word, tableau, bottoms, higher = core
    if up_word & CARDS == deck_of(spec):
        return True
    if is_rigid_dead(up_word & CARDS, tableau, bottoms, higher, U(4 * (spec[RANKS] - 1)), deck_of(spec)):
        return False
    ends, times, shift = ends_of_core(core, spec), U(at), TIME_BITS
    while ends:
        code, since = lowest_bit(ends), I(at)
        ends &= ends - ONE
        for end in range(MOST_ENDS):
            if room.ends[CODE + end] == code:
                since = room.ends[SINCE + end]
        times |= U(since) << shift
        shift += TIME_BITS
    enter_core(core, times, memory, status)
    return False


@inlined
def is_no_later(first, second):
    """Is every time of the first word at most that of the second?"""
    for _ in range(1 + MOST_ENDS):
        if (first & TIME_MASK) > (second & TIME_MASK):
            return False
        first >>= TIME_BITS
        second >>= TIME_BITS
    return True


@inlined
def find_core(core, memory):
    """The slot of the index for a core: that of its rows, or a free one."""
    up_word, tableau, bottoms, higher = core
    rows, mask = memory.rows, U(len(memory.index) - 1)
    slot = mix(mix(mix(mix(up_word + SALT) + tableau) + bottoms) + higher) & mask
    while memory.index[slot]:
        row = I(memory.index[slot]) - 1
        if (rows[row, UP] == up_word and rows[row, TABLEAU] == tableau and rows[row, BOTTOMS] == bottoms
                and rows[row, HIGHER] == higher):
            break
        slot = (slot + ONE) & mask
    return slot


@inlined
def enter_core(core, times, memory, status):
    """Write a row for the core unless another dominates it; where there is no room left, say that it is missing."""
    rows, slot = memory.rows, find_core(core, memory)
    row = I(memory.index[slot]) - 1
    while row >= 0:
        if is_no_later(rows[row, TIMES], times):
            return
        if is_no_later(times, rows[row, TIMES]):
            rows[row, TIMES] |= DOMINATED
        row = I(rows[row, LINKS] & LOW_HALF) - 1
    if status[STACK_TOP] == len(rows):
        status[TRUNCATED] |= 1
        return
    status[ENTRIES] += memory.index[slot] == 0
    row = status[STACK_TOP]
    status[STACK_TOP] += 1
    level = level_of_core(core)
    rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER] = core
    rows[row, TIMES] = times
    rows[row, LINKS] = U(memory.index[slot]) | U(memory.heads[level] + 1) << HALF
    memory.index[slot] = row + 1
    memory.heads[level] = row


@kernel
def enter_root(core, times, memory, status):
    """Write the first row."""
    enter_core(core, U(times), borrow_cores(memory), borrow(status))


@kernel
def fill_index(memory, count):
    """Enter the first ``count`` rows into an empty index."""
    memory = borrow_cores(memory)
    rows = memory.rows
    for row in range(count):
        memory.index[find_core((rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER]),
                               memory)] = row + 1
