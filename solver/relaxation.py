"""The draw-one relaxation: an easier game with a tiny space, to show that a position is lost.

The easier game gives the player every stock card at any time, and lets the cards on the tableau hang anywhere. Call
the cards that were in the stock at the start *loose*, the others (reserve and first tableau) *bound*. While the
reserve holds cards, an emptied pile is filled from it at once, so every pile has a bound card at its bottom. A
relaxed position is only (cards up, reserve left, the set of bottoms): a bound card that is neither up nor in the
reserve lies on the tableau, and if it is no bottom it is *attached*, to anything that could carry it. Once the reserve
is empty, bottoms are no longer told apart: the bound cards hang in at most as many runs as there are piles.

*Feasible.* Loose cards that are not up can bridge: between an attached card and what carries it there may be a run of
loose cards. Going down the ranks of one *family* (the two halves of the rank-and-colour classes that a run alternates
between), count the open ends of runs: every attached card of the next class takes one and leaves one, every loose card
of that class may take one and leave one, every bottom adds one. If an attached card finds no open end and no space is
left to start a run, no arrangement of piles shows these sets. Where base cards can be covered, runs go round from the
base to the last rank; the count then starts with as many open ends as a class can have and is repeated until the
round before it began so, which errs on the side of feasible.

*Claim.* If a position of the real game can be won, then its relaxed position can be. Proof: play the win. A loose card
laid on a pile, and a unit moved between cards, change nothing relaxed. A card going up, a reserve card laid on a pile,
a pile laid on another and then replaced by the reserve's top, are relaxed moves of the same name, and every real
position is feasible, also the one before the replacement, for its piles are such an arrangement. Smaller units, draws,
passes, or spaces only for the waste allow less in the real game, and so are covered.

Conditions: one deck in alternate colours, nothing returns from the foundations; with manual filling the claim holds
with all piles as spaces, but was measured not to pay (prunings.prunings_for).

Every relaxed move is final (the sum of cards up, cards out of the reserve and bottoms attached grows), so the graph
has no circle: what a failed or finished search left behind is lost, but for the positions on the way to a success. So
results stay valid in one table for the whole solve.
"""

from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, lowest_bit, mix, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, next_cards, safe_cards
from solver.packed import COVER, FREE_FILL, PILES, RANKS, Game

DEAD, ALIVE, UNKNOWN = U(1), U(2), U(3)
ROWS = 4096
WINDOW = 8

# Relaxation numbers (int64): where the sets lie, and what has happened.
ENTRIES, NODES, LIMIT, ACTIVE = range(4)


class Relaxed(NamedTuple):
    """Working space of the relaxation: all arrays, kept by the caller for the whole solve.

    sets: uint64, loose cards, bound cards, then for 0..reserve cards left the set of them; table: uint64[2 * entries],
    key and verdict; rows: uint64[ROWS, 3], open positions (foundations and reserve left, bottoms, depth); slots:
    int64[ROWS], table slots on the way to the position in hand; numbers: int64, ENTRIES, NODES, LIMIT and ACTIVE.
    """

    sets: np.ndarray
    table: np.ndarray
    rows: np.ndarray
    slots: np.ndarray
    numbers: np.ndarray


def new_relaxed(game: Game, active: bool, limit: int, entries: int = 1 << 12) -> Relaxed:
    """Empty working space for ``game``. limit: relaxed nodes a query may take; inactive, nothing is ever dead."""
    masks = [sum(1 << int(code) for code in codes) for codes in (game.stock, *(game.reserve[:left] for left in
                                                                              range(len(game.reserve) + 1)))]
    everything = (1 << 4 * int(game.spec[RANKS])) - 1
    sets = np.array([masks[0], everything & ~masks[0], *masks[1:]], np.uint64)
    numbers = np.array([0, 0, limit, int(active)], np.int64)
    return Relaxed(sets, np.zeros(2 * entries, np.uint64), np.empty((ROWS, 3), np.uint64), np.empty(ROWS, np.int64),
                   numbers)


@inlined
def borrow_relaxed(relaxed):
    """As :func:`packed.borrow_game`."""
    return Relaxed(borrow(relaxed.sets), borrow(relaxed.table), borrow(relaxed.rows), borrow(relaxed.slots),
                   borrow(relaxed.numbers))


@inlined
def is_feasible(up, left, bottoms, spaces, game, sets):
    """Can some arrangement of piles show these sets, with ``spaces`` more piles that start anywhere (see above)?"""
    spec = game.spec
    attached = sets[1] & ~(up | sets[2 + left] | bottoms)
    if attached == ZERO:
        return True
    loose = sets[0] & ~up
    ranks = spec[RANKS]
    for first_family in range(2):
        # With covered base cards a run goes round: twice through all ranks, starting with all ends open.
        colour = (U(first_family) + U(ranks) + ONE) & ONE
        ends, missing = I(2) if spec[COVER] else I(0), I(0)
        for _ in range(1 + 2 * spec[COVER]):
            missing = I(0)
            cards = U(5) << (U(4 * (ranks - 1)) + colour)
            for _ in range(ranks):
                need = popcount(attached & cards)
                if need > ends:
                    missing += need - ends
                    ends = need
                ends = need + min(ends - need, popcount(loose & cards)) + popcount(bottoms & cards)
                colour ^= ONE
                cards = cards >> U(3) if colour else cards >> U(5)
        spaces -= missing  # of the last round, which is the family's own
        if spaces < 0:
            return False
    return True


@inlined
def relaxed_key(place, bottoms):
    """Key of a relaxed position, never 0."""
    return (mix(place) + mix(bottoms * U(0x9E3779B97F4A7C15))) | ONE


@inlined
def find_slot(table, key):
    """The slot of ``key``, or a free one (its key word 0), or -1 where the window is full."""
    mask = (len(table) >> 1) - 1
    start = I(key >> U(17)) & mask & ~3
    for step in range(WINDOW):
        slot = 2 * ((start + step) & mask)
        if table[slot] == key or table[slot] == ZERO:
            return slot
    return I(-1)


@inlined
def is_relaxed_dead(up_word, bottoms, game, relaxed):
    """Is even the easier game lost from here? False also where a query's limit ran out."""
    table, rows, numbers = relaxed.table, relaxed.rows, relaxed.numbers
    if up_word >> UPPER_SHIFT == ZERO or game.spec[FREE_FILL] != 0:
        bottoms = ZERO
    rows[0, 0], rows[0, 1], rows[0, 2] = up_word, bottoms, ZERO
    top, depth, nodes = I(1), I(0), I(0)
    verdict = DEAD
    while top > 0:
        top -= 1
        place, bottoms = rows[top, 0], rows[top, 1]
        depth = I(rows[top, 2])
        slot = find_slot(table, relaxed_key(place, bottoms))
        if slot >= 0 and table[slot] != ZERO:
            if table[slot + 1] == DEAD:
                continue
            verdict = table[slot + 1]
            break
        if slot < 0 or nodes >= numbers[LIMIT] or top + 64 > ROWS:
            verdict = UNKNOWN
            break
        table[slot], table[slot + 1] = relaxed_key(place, bottoms), DEAD
        numbers[ENTRIES] += 1
        nodes += 1
        relaxed.slots[depth] = slot
        depth += 1
        top = push_relaxed_moves(place, bottoms, depth, game, relaxed, top)
        if top < 0:
            verdict = ALIVE
            break
    numbers[NODES] += nodes
    if verdict != DEAD:
        for level in range(depth):
            table[relaxed.slots[level] + 1] = verdict
        return False
    return True


@inlined
def push_relaxed_moves(place, bottoms, depth, game, relaxed, top):
    """Push every relaxed move's position on the rows, best last; the new top, or -1 when one is won.

    A card that is safe to go up (prunings.py) is the only move: whatever could hang from it can go up as well, so
    with those gone first it is a leaf, and taking a leaf away keeps an arrangement feasible.
    """
    sets, rows = relaxed.sets, relaxed.rows
    spec = game.spec
    up, left = place & CARDS, I(place >> UPPER_SHIFT)
    deck = (ONE << U(4 * spec[RANKS])) - ONE
    safe = safe_cards(up, U(4 * (spec[RANKS] - 1)), spec[COVER])
    free = left == 0 or spec[FREE_FILL] != 0
    spaces = spec[PILES] if free else I(0)
    reserve_top = ONE << U(game.reserve[left - 1]) if left else ZERO
    waiting = next_cards(up, deck) & ~(sets[2 + left] & ~reserve_top)
    if waiting & safe:
        waiting &= safe
    begin = top
    while waiting:
        card = waiting & (~waiting + ONE)
        waiting ^= card
        leaves = card & bottoms != ZERO  # a bottom makes room for the reserve's top only once it has found its place
        remaining = left - 1 if card == reserve_top else left
        if not is_feasible(up | card, remaining, bottoms & ~card, spaces, game, sets):
            continue
        if (up | card) == deck:
            return I(-1)
        if card & safe:
            top = begin
        lower = bottoms & ~card
        if leaves:
            lower |= reserve_top
            remaining -= 1
        top = push_relaxed(up | card, remaining, lower, depth, rows, top)
        if card & safe:
            return top
    candidates = reserve_top if free else bottoms | reserve_top
    while candidates:
        card = candidates & (~candidates + ONE)
        candidates ^= card
        leaves = card & bottoms != ZERO
        if is_feasible(up, left if leaves else left - 1, bottoms & ~card, spaces, game, sets):
            lower = (bottoms & ~card) | (reserve_top if leaves else ZERO)
            top = push_relaxed(up, left - 1, lower, depth, rows, top)
    return top


@inlined
def push_relaxed(up, left, bottoms, depth, rows, top):
    """Push one relaxed position; with the reserve empty bottoms are no longer told apart."""
    rows[top, 0], rows[top, 1], rows[top, 2] = up | U(left) << UPPER_SHIFT, bottoms if left else ZERO, U(depth)
    return top + 1
