"""The rows of deferred laying: cores with their times, which of them dominate which, and the memory that holds them.

Rows (uint64[ROW_WORDS])::

    0  cards up that do not float | reserve left << 52   as in cardsets.py, of the core
    1  tableau   2  bottoms   3  higher
    4  times:  63          59        48 47        36 35        24 23        12 11         0
               | dominated | end 3      | end 2      | end 1      | end 0      | now        |
    5  afloat: by suit, four bits each, how many cards may float on it
    6  links:  row + 1 of the last other row of this core | row + 1 of the next row of this level << 32
    7  suspects: stock cards, by index, that are taken to have uncovered others on the way here

Ends come in the order of their codes; the time of one is since when it has been one, or
NEVER where it says nothing, because no stock card is left that could be laid on the end. Times count the cards of the
stock list passed so far, over all passes, with one more for each redeal. Without a limit on passes there are no times,
but a phase (fronts.py)::

    4  phase:  63          24 23               12 11     0
               | dominated |  | 4095 - phase   | phase  |         both 4095 where it is 0

Of rows of one core, one with no time later and no fewer cards afloat than in the other dominates it (proof in
deferred.py).
"""

from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount, prefetch
from solver.cardsets import CARDS, is_rigid_dead
from solver.cores import (AFLOAT_BITS, SUIT, SUIT_COUNT, afloat_on, ends_of_core, level_of_core, loose_cards,
                          settled_core)
from solver.packed import PASSES, RANKS, UNIT, UNIT_PILE
from solver.search import ENTRIES, STACK_TOP, TRUNCATED
from solver.setsearch import deck_of

UP, TABLEAU, BOTTOMS, HIGHER, TIMES, FLOATING, LINKS, SUSPECTS = range(8)
ROW_WORDS = 8
MOST_ENDS, MOST_EVENTS = 4, 4096
TIME_BITS, TIME_MASK = U(12), U(0xFFF)
NEVER = TIME_MASK
DOMINATED = ONE << U(63)
HALF, LOW_HALF = U(32), U(0xFFFFFFFF)
EVENT_BITS, EVENT_MASK = U(16), U(0xFFFF)
SALT = U(0x9E3779B97F4A7C15)
CORE_LEVELS = 160
NOTHING = -1
MOST_NOTED = 4096
"""More cores than are noted of one row; where not, the end of the search proves nothing."""
NO_END = I(255)

# Parts of Room.ends, by their first index: for each end its code, and its time.
CODE, SINCE = 0, 4


class Cores(NamedTuple):
    """The rows of a search: uint64[any, ROW_WORDS]; index: int32[power of two], by hash the latest row + 1 of a core, 0
    for none; heads: int64[CORE_LEVELS], the latest row of each level to be expanded, or NOTHING."""

    rows: np.ndarray
    index: np.ndarray
    heads: np.ndarray


class Room(NamedTuple):
    """Working space of one expansion.

    ends: int64[8], see above. piles: uint64[4], by end the cards of its pile. By end, as sets of stock cards by index
    (uint64[4]): tails, what may lie on it; guests, what fits on it or on these; in_tails, what floats of the tail.
    renewals: int64[4, 64], by end how many events let more of it float, and which. chain: uint64[5, 64], see chains.py.
    events: int64[MOST_EVENTS], the times at which something changes; by event (uint64[MOST_EVENTS]): tops, which stock
    cards may be at the top of the waste; laid, which of those turned were laid instead; counts and suspects, words
    FLOATING and SUSPECTS of a row. rises: int64[64], by stock card the event from which on it might go up from a tail.
    children: uint64[MOST_NOTED, ROW_WORDS], the cores noted, as rows, but for TIMES with the number of the event, the
    end that counts as new << 16 and the phase << 32; noted: int64[2], how many, and whether there were more. blame:
    uint64[1], the suspects of a win. watched: the stock cards, by index, that uncover nothing unless they are bound.
    front: the cards of the front, by code, and phase: int64[1], that of the cores noted (see fronts.py).
    """

    ends: np.ndarray
    piles: np.ndarray
    tails: np.ndarray
    guests: np.ndarray
    in_tails: np.ndarray
    renewals: np.ndarray
    chain: np.ndarray
    events: np.ndarray
    tops: np.ndarray
    laid: np.ndarray
    counts: np.ndarray
    suspects: np.ndarray
    rises: np.ndarray
    children: np.ndarray
    noted: np.ndarray
    blame: np.ndarray
    watched: np.uint64
    front: np.uint64
    phase: np.ndarray


def new_room(front: int = 0) -> Room:
    """Working space. front: its cards, by code."""
    by_end = [np.zeros(MOST_ENDS, np.uint64) for _ in range(4)]
    by_event = [np.empty(MOST_EVENTS, np.uint64) for _ in range(4)]
    return Room(np.zeros(2 * MOST_ENDS, np.int64), *by_end, np.zeros((MOST_ENDS, 64), np.int64),
                np.zeros((5, 64), np.uint64), np.empty(MOST_EVENTS, np.int64), *by_event, np.zeros(64, np.int64),
                np.empty((MOST_NOTED, ROW_WORDS), np.uint64), np.zeros(2, np.int64), np.zeros(1, np.uint64),
                ZERO, U(front), np.zeros(1, np.int64))


def new_rows(count: int) -> np.ndarray:
    """Rows, each in a cache line of its own."""
    words = np.empty((count + 1) * ROW_WORDS, np.uint64)
    first = -words.ctypes.data % 64 // 8
    return words[first:first + count * ROW_WORDS].reshape(count, ROW_WORDS)


@inlined
def borrow_cores(memory):
    """As :func:`packed.borrow_game`."""
    return Cores(borrow(memory.rows), borrow(memory.index), borrow(memory.heads))


@inlined
def borrow_room(room):
    """As :func:`packed.borrow_game`."""
    return Room(borrow(room.ends), borrow(room.piles), borrow(room.tails), borrow(room.guests), borrow(room.in_tails),
                borrow(room.renewals), borrow(room.chain), borrow(room.events), borrow(room.tops), borrow(room.laid),
                borrow(room.counts), borrow(room.suspects), borrow(room.rises), borrow(room.children),
                borrow(room.noted), borrow(room.blame), room.watched, room.front, borrow(room.phase))


@inlined
def counts_after(up_word, before, counts, left):
    """Word FLOATING of a core, when it was ``counts`` in one with up word ``before``. left: the stock cards neither
    counted up nor in the core."""
    word = ZERO
    for suit in range(SUIT_COUNT):
        of_suit, afloat = SUIT << U(suit), I(0)
        if (up_word ^ before) & CARDS & of_suit == ZERO:
            most = popcount(afloat_on(suit, before, counts))
            card = ONE << U(4 * popcount(before & CARDS & of_suit) + suit)
            while afloat < most and card & left:
                card <<= U(4)
                afloat += 1
        word |= U(afloat) << AFLOAT_BITS * U(suit)
    return word


@inlined
def phase_word(phase):
    """The word for a phase. Its two fields are at most those of another where it is the same, or the other's is 0."""
    return U(phase) | (NEVER - U(phase)) << TIME_BITS if phase else NEVER | NEVER << TIME_BITS


@inlined
def phase_of(times):
    """The phase in such a word."""
    return I(0) if times & TIME_MASK == NEVER else I(times & TIME_MASK)


@inlined
def times_after(core, at, fresh, left, game, room):
    """The word for the times of a core made at time ``at``. Ends not in ``room`` are new, and so is ``fresh``."""
    ends, times, shift = ends_of_core(core, game.spec), U(at), TIME_BITS
    while ends:
        code, since = lowest_bit(ends), U(at)
        ends &= ends - ONE
        for end in range(MOST_ENDS):
            if room.ends[CODE + end] == code and code != fresh:
                since = U(room.ends[SINCE + end])
        if game.carries[code] & left == ZERO:
            since = NEVER
        times |= since << shift
        shift += TIME_BITS
    return times


@inlined
def has_no_greater(first, second, count, bits):
    """Is each of the lowest ``count`` fields of the first word, of so many bits, at most that of the second?"""
    mask = (ONE << bits) - ONE
    for _ in range(count):
        if (first & mask) > (second & mask):
            return False
        first >>= bits
        second >>= bits
    return True


@inlined
def dominates(times, counts, other_times, other_counts):
    """Is no time later, and are no fewer cards afloat on any suit?"""
    return (has_no_greater(times, other_times, I(1 + MOST_ENDS), TIME_BITS)
            and has_no_greater(other_counts, counts, I(SUIT_COUNT), AFLOAT_BITS))


@inlined
def home_of(core, memory):
    """The slot of the index from which on a core is looked for."""
    up_word, tableau, bottoms, higher = core
    return mix(mix(mix(mix(up_word + SALT) + tableau) + bottoms) + higher) & U(len(memory.index) - 1)


@inlined
def find_core(core, slot, memory):
    """The slot of the index for a core, from its home on: that of its rows, or a free one."""
    up_word, tableau, bottoms, higher = core
    rows, mask = memory.rows, U(len(memory.index) - 1)
    while memory.index[slot]:
        row = I(memory.index[slot]) - 1
        if (rows[row, UP] == up_word and rows[row, TABLEAU] == tableau and rows[row, BOTTOMS] == bottoms
                and rows[row, HIGHER] == higher):
            break
        slot = (slot + ONE) & mask
    return slot


@inlined
def enter_core(core, times, counts, suspects, slot, loose, memory, status):
    """Write a row for the core with this slot of the index, unless another dominates it. There must be room for it."""
    rows = memory.rows
    row = I(memory.index[slot]) - 1
    while row >= 0:
        if dominates(rows[row, TIMES], rows[row, FLOATING], times, counts):
            return
        if dominates(times, counts, rows[row, TIMES], rows[row, FLOATING]):
            rows[row, TIMES] |= DOMINATED
        row = I(rows[row, LINKS] & LOW_HALF) - 1
    status[ENTRIES] += memory.index[slot] == 0
    row = status[STACK_TOP]
    status[STACK_TOP] += 1
    level = level_of_core(core, loose)
    rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER] = core
    rows[row, TIMES], rows[row, FLOATING], rows[row, SUSPECTS] = times, counts, suspects
    rows[row, LINKS] = U(memory.index[slot]) | U(memory.heads[level] + 1) << HALF
    memory.index[slot] = row + 1
    memory.heads[level] = row


@inlined
def note_core(core, event, suspects, fresh, room):
    """Note a core that a change at an event leads to. suspects: others than those of the event; fresh: code of an end
    that counts as new, or NO_END."""
    child = room.noted[0]
    if child == len(room.children):
        room.noted[1] = 1
        return
    up_word, tableau, bottoms, higher = core
    details = U(event) | U(fresh) << EVENT_BITS | U(room.phase[0]) << HALF
    room.children[child] = up_word, tableau, bottoms, higher, details, ZERO, ZERO, suspects
    room.noted[0] += 1


@inlined
def enter_noted(before, memory, status, game, sets, room):
    """Enter the cores noted in ``room``, and forget them; True when one is won. before: the up word they come from.

    What the index says of them is asked for first, then their rows, as most of the time would go by waiting for memory
    otherwise.
    """
    spec, children, loose = game.spec, room.children, loose_cards(sets, game, room)
    rigid, last, deck = spec[UNIT] == UNIT_PILE, U(4 * (spec[RANKS] - 1)), deck_of(spec)
    count = room.noted[0]
    status[TRUNCATED] |= room.noted[1]
    room.noted[:] = 0
    for child in range(count):
        if complete_child(child, before, loose, memory, game, sets, room):
            room.blame[0] = children[child, SUSPECTS]
            return True
    for child in range(count):
        latest = I(memory.index[children[child, LINKS]])
        if latest:
            prefetch(memory.rows, (latest - 1) * ROW_WORDS)
    for child in range(count):
        core = children[child, UP], children[child, TABLEAU], children[child, BOTTOMS], children[child, HIGHER]
        slot = find_core(core, children[child, LINKS], memory)
        is_new = memory.index[slot] == 0
        if is_new and rigid and is_rigid_dead(core[0] & CARDS, core[1], core[2], core[3], last, deck):
            continue
        times, counts = children[child, TIMES], children[child, FLOATING]
        enter_core(core, times, counts, children[child, SUSPECTS], slot, loose, memory, status)
    return False


@inlined
def complete_child(child, before, loose, memory, game, sets, room):
    """Make a noted core a row, but with its home in the index for LINKS; True when it is won."""
    spec, children = game.spec, room.children
    core = children[child, UP], children[child, TABLEAU], children[child, BOTTOMS], children[child, HIGHER]
    details = children[child, TIMES]
    event, fresh = I(details & EVENT_MASK), I(details >> EVENT_BITS & EVENT_MASK)
    core = settled_core(core, loose, game)
    up_word, tableau, bottoms, higher = core
    left, at, suspects = sets.stock & ~(up_word | tableau), room.events[event], room.suspects[event]
    if spec[PASSES]:
        times = times_after(core, at, fresh, left, game, room)
        counts = counts_after(up_word, before, room.counts[event], left)
    else:  # what floats goes up again at once
        times, counts = phase_word(I(details >> HALF)), ZERO
    home = home_of(core, memory)
    prefetch(memory.index, I(home))
    children[child] = up_word, tableau, bottoms, higher, times, counts, home, children[child, SUSPECTS] | suspects
    return up_word & CARDS == deck_of(spec)


@kernel
def enter_root(core, times, memory, status):
    """Write the first row, in which nothing floats."""
    memory = borrow_cores(memory)
    slot = find_core(core, home_of(core, memory), memory)
    enter_core(core, U(times), ZERO, ZERO, slot, ZERO, memory, borrow(status))


@kernel
def fill_index(memory, count):
    """Enter the first ``count`` rows into an empty index."""
    memory = borrow_cores(memory)
    rows = memory.rows
    for row in range(count):
        core = rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER]
        memory.index[find_core(core, home_of(core, memory), memory)] = row + 1
