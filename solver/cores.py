"""Cores: positions of the set game without what may be left open about their stock cards.

A stock card that was laid is *idle* until something else than an idle card is built on it; the idle cards on a card
that is not are its *tail*. A stock card that went up from the waste *floats* until a card that does not float goes up
on it. Take the tails off a position, and what floats, back into the stock: what is left is its *core*. Hundreds of
positions share one, and deferred.py searches cores instead. Rows (uint64[ROW_WORDS])::

    0  cards up that do not float | reserve left << 52   as in cardsets.py, of the core
    1  tableau   2  bottoms   3  higher
    4  times:  63          59        48 47        36 35        24 23        12 11         0
               | dominated | end 3      | end 2      | end 1      | end 0      | now        |
    5  afloat: by suit, four bits each, how many cards may float on it
    6  links:  row + 1 of the last other row of this core | row + 1 of the next row of this level << 32
    7  suspects: stock cards, by index, that are taken to have uncovered others on the way here

An *end* is a last card of the core's piles, in the order of their codes; its time is since when it has been one, or
NEVER where it says nothing, because no stock card is left that could be laid on the end. Times count the cards of the
stock list passed so far, over all passes, with one more for each redeal.

Of rows of one core, one with no time later and no fewer cards afloat than in the other dominates it (proof in
deferred.py).
"""

from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount, prefetch
from solver.cardsets import CARDS, UPPER_SHIFT, free_hosts, is_rigid_dead, is_rigid_safe, next_cards
from solver.packed import COVER, RANKS
from solver.search import ENTRIES, STACK_TOP, TRUNCATED
from solver.setsearch import deck_of

UP, TABLEAU, BOTTOMS, HIGHER, TIMES, FLOATING, LINKS, SUSPECTS = range(8)
ROW_WORDS = 8
MOST_ENDS, MOST_EVENTS, SUIT_COUNT = 4, 4096, 4
TIME_BITS, TIME_MASK = U(12), U(0xFFF)
NEVER = TIME_MASK
AFLOAT_BITS, AFLOAT_MASK = U(4), U(15)
SUIT = U(0x1111111111111)
DOMINATED = ONE << U(63)
HALF, LOW_HALF = U(32), U(0xFFFFFFFF)
SALT = U(0x9E3779B97F4A7C15)
CORE_LEVELS = 160
NOTHING = -1
MOST_WAITING = 64

# Parts of Room.ends, by their first index: for each end its code, its time, and the bottom of its pile.
CODE, SINCE, LOWEST = 0, 4, 8


class Cores(NamedTuple):
    """The rows of a search: uint64[any, ROW_WORDS]; index: int32[power of two], by hash the latest row + 1 of a core, 0
    for none; heads: int64[CORE_LEVELS], the latest row of each level to be expanded, or NOTHING."""

    rows: np.ndarray
    index: np.ndarray
    heads: np.ndarray


class Room(NamedTuple):
    """Working space of one expansion.

    ends: int64[12], see above. By end, as sets of stock cards by index (uint64[4]): tails, what may lie on it; guests,
    what fits on it or on these; in_tails, what floats of the tail. renewals: int64[4, 64], by end how many events let
    more of it float, and which. chain: uint64[5, 64], see chains.py. events: int64[MOST_EVENTS], the times at which
    something changes; by event (uint64[MOST_EVENTS]): tops, which stock cards may be at the top of the waste; laid,
    which of those turned were laid instead; counts and suspects, words FLOATING and SUSPECTS of a row. rises:
    int64[64], by stock card the event from which on it might go up from a tail. children: uint64[MOST_WAITING,
    ROW_WORDS], the cores that wait to be entered, as rows, but with their home in the index for LINKS; waiting:
    int64[1], how many. blame: uint64[1], the suspects of a win. watched: the stock cards, by index, that uncover
    nothing unless they are bound.
    """

    ends: np.ndarray
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
    waiting: np.ndarray
    blame: np.ndarray
    watched: np.uint64


def new_room(watched: int = 0) -> Room:
    """Working space."""
    by_end = [np.zeros(MOST_ENDS, np.uint64) for _ in range(3)]
    by_event = [np.empty(MOST_EVENTS, np.uint64) for _ in range(4)]
    return Room(np.zeros(3 * MOST_ENDS, np.int64), *by_end, np.zeros((MOST_ENDS, 64), np.int64),
                np.zeros((5, 64), np.uint64), np.empty(MOST_EVENTS, np.int64), *by_event, np.zeros(64, np.int64),
                np.empty((MOST_WAITING, ROW_WORDS), np.uint64), np.zeros(1, np.int64), np.zeros(1, np.uint64),
                U(watched))


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
    return Room(borrow(room.ends), borrow(room.tails), borrow(room.guests), borrow(room.in_tails),
                borrow(room.renewals), borrow(room.chain), borrow(room.events), borrow(room.tops), borrow(room.laid),
                borrow(room.counts), borrow(room.suspects), borrow(room.rises), borrow(room.children),
                borrow(room.waiting), borrow(room.blame), room.watched)


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
def safe_among(cards, core, up, game):
    """Those of ``cards``, next of their suits, on which nothing is laid any more."""
    _, tableau, bottoms, higher = core
    spec = game.spec
    last, deck, safe = U(4 * (spec[RANKS] - 1)), deck_of(spec), ZERO
    while cards:
        card = cards & (~cards + ONE)
        cards ^= card
        if is_rigid_safe(card, up, tableau, bottoms, higher, last, spec[COVER], deck):
            safe |= card
    return safe


@inlined
def settled_core(core, game):
    """The core after every end and top of the reserve on which nothing can be laid any more went up."""
    while True:
        up = core[0] & CARDS
        rising = next_cards(up, deck_of(game.spec)) & (ends_of_core(core, game.spec) | top_of_reserve(core, game))
        safe = safe_among(rising, core, up, game)
        if safe == ZERO:
            return core
        core = send_up(safe & (~safe + ONE), core, game)


@inlined
def afloat_on(suit, up_word, counts):
    """The cards that float on a suit; counts: as word FLOATING of a row."""
    first = U(4 * popcount(up_word & CARDS & SUIT << U(suit)) + suit)
    after = first + U(4) * (counts >> AFLOAT_BITS * U(suit) & AFLOAT_MASK)
    return SUIT << first & ((ONE << after) - ONE)


@inlined
def floating_cards(up_word, counts):
    """All cards that float."""
    cards = ZERO
    for suit in range(SUIT_COUNT):
        cards |= afloat_on(suit, up_word, counts)
    return cards


@inlined
def count_up(card, up_word, counts):
    """The up word when all that floats under ``card`` (a set of one) floats no longer."""
    return up_word | afloat_on(lowest_bit(card) & 3, up_word, counts)


@inlined
def above(index, cards):
    """Those stock cards, by index, that lie above this one in the waste."""
    return cards & ~((ONE << U(index + 1)) - ONE)


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
def times_after(core, at, left, game, room):
    """The word for the times of a core made at time ``at``. Ends not in ``room`` are new."""
    ends, times, shift = ends_of_core(core, game.spec), U(at), TIME_BITS
    while ends:
        code, since = lowest_bit(ends), U(at)
        ends &= ends - ONE
        for end in range(MOST_ENDS):
            if room.ends[CODE + end] == code:
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
def enter_core(core, times, counts, suspects, slot, memory, status):
    """Write a row for the core with this slot of the index, unless another dominates it; where there is no room left,
    say that it is missing."""
    rows = memory.rows
    row = I(memory.index[slot]) - 1
    while row >= 0:
        if dominates(rows[row, TIMES], rows[row, FLOATING], times, counts):
            return
        if dominates(times, counts, rows[row, TIMES], rows[row, FLOATING]):
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
    rows[row, TIMES], rows[row, FLOATING], rows[row, SUSPECTS] = times, counts, suspects
    rows[row, LINKS] = U(memory.index[slot]) | U(memory.heads[level] + 1) << HALF
    memory.index[slot] = row + 1
    memory.heads[level] = row


@inlined
def put_core(core, before, event, suspects, memory, status, game, sets, room):
    """Let a core wait to be entered that is met at an event of the row in ``room``, which has the up word ``before``;
    True when it is won. suspects: others than those of the event."""
    spec, suspects = game.spec, suspects | room.suspects[event]
    core = settled_core(core, game)
    up_word, tableau, bottoms, higher = core
    if up_word & CARDS == deck_of(spec):
        room.blame[0] = suspects
        return True
    left, at = sets.stock & ~(up_word | tableau), room.events[event]
    times, counts = times_after(core, at, left, game, room), counts_after(up_word, before, room.counts[event], left)
    if room.waiting[0] == MOST_WAITING:
        enter_waiting(memory, status, game, room)
    home, child = home_of(core, memory), room.waiting[0]
    prefetch(memory.index, I(home))
    room.children[child] = up_word, tableau, bottoms, higher, times, counts, home, suspects
    room.waiting[0] += 1
    return False


@inlined
def enter_waiting(memory, status, game, room):
    """Enter the cores that wait. What the index says of them was asked for when they were met, and their rows are asked
    for here, as most of the time would go by waiting for memory otherwise."""
    spec, children = game.spec, room.children
    for child in range(room.waiting[0]):
        latest = I(memory.index[children[child, LINKS]])
        if latest:
            prefetch(memory.rows, (latest - 1) * ROW_WORDS)
    for child in range(room.waiting[0]):
        core = children[child, UP], children[child, TABLEAU], children[child, BOTTOMS], children[child, HIGHER]
        slot = find_core(core, children[child, LINKS], memory)
        if memory.index[slot] == 0 and is_rigid_dead(core[0] & CARDS, core[1], core[2], core[3],
                                                     U(4 * (spec[RANKS] - 1)), deck_of(spec)):
            continue
        times, counts = children[child, TIMES], children[child, FLOATING]
        enter_core(core, times, counts, children[child, SUSPECTS], slot, memory, status)
    room.waiting[0] = 0


@kernel
def enter_root(core, times, memory, status):
    """Write the first row, in which nothing floats."""
    memory = borrow_cores(memory)
    slot = find_core(core, home_of(core, memory), memory)
    enter_core(core, U(times), ZERO, ZERO, slot, memory, borrow(status))


@kernel
def fill_index(memory, count):
    """Enter the first ``count`` rows into an empty index."""
    memory = borrow_cores(memory)
    rows = memory.rows
    for row in range(count):
        core = rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER]
        memory.index[find_core(core, home_of(core, memory), memory)] = row + 1
