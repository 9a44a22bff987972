"""The transposition table: which positions the search has met, and with which waste.

An entry is two words: a 64-bit key, and the best waste met with it. The key scrambles everything but waste size
and pass, adding the piles up so that their order does not matter. It is no exact key: two positions of one search
share it with probability 2^-64 a pair. A search of 10^7 positions has 5 * 10^13 pairs, so a wrong "unwinnable" by
collision has probability below 3 * 10^-6 there, and below 10^-4 for a million deals of 10^6 positions each.

*Waste dominance.* Which cards can come to the top depends on the waste size w and the pass p. With draw d, of two
positions that are otherwise equal the first wins whenever the second does when

* both have the same w mod d, and w and p of the first are not larger: it reaches every top the second reaches, no
  later, and after playing one the two are related in the same way again;
* the second has w = 0 mod d or w = n (all turned), and the first has a smaller p: turning on, it reaches the start
  of a pass no later than the second's; or the same p, such a w itself, and not a larger one;
* passes are unlimited (p plays no part) and the second has w = 0 mod d or w = n, whatever the first has.

So the payload holds, for each of four residue classes, 16 bits ``pass << 8 | w`` (class 0: w = 0 mod d or w = n; a
pass is at least 1, so 0 means "not met"). Classes 4 and up, for draws over 4, are told apart in the key.

The moves to a win are never more from the dominating position, which is what the search needs (see search.py).
Forgetting an entry (a full table replaces) costs time, never exactness: entries only ever say "met before".
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, inlined, kernel, mix
from solver.packed import BYTE, DRAW, FIRST_PILE, FIRST_STOCK, PASSES, WIDTH, stock_size

WINDOW = 8
SEEN, MARKED, ADDED = range(3)
SALT = U(0x9E3779B97F4A7C15)


def new_table(entries: int) -> np.ndarray:
    """An empty table, uint64[2 * entries]; ``entries`` is a power of two, at least WINDOW."""
    return np.zeros(2 * entries, np.uint64)


@inlined
def position_key(state, spec):
    """The 64-bit key of a state, without waste size and pass, never 0."""
    key = mix(state[0] + SALT) + mix((state[1] & BYTE) ^ (SALT << ONE))
    for word in range(FIRST_STOCK, spec[FIRST_PILE]):
        key += mix(state[word] ^ (SALT * U(2 * word + 1)))
    for pile in range(spec[FIRST_PILE], spec[WIDTH]):
        if state[pile]:
            key += mix(state[pile] * SALT)
    return key | ONE


@inlined
def waste_class(state, spec):
    """(residue class, stamp) of a state's waste; class 0 also where all cards are turned."""
    turned = I((state[1] >> U(8)) & BYTE)
    at_pass = I((state[1] >> U(16)) & BYTE)
    residue = turned % spec[DRAW]
    if residue and turned == stock_size(state, spec):
        residue = I(0)
    if spec[PASSES] == 0:
        at_pass = I(1)
        if residue == 0:
            turned = I(0)
    return residue, U(at_pass << 8 | turned)


@inlined
def waste_dominates(residue, stamp, other_residue, other_stamp, unlimited):
    """Does the waste ``stamp`` of class ``residue`` dominate the other one? For classes as they are."""
    if other_residue:
        return (residue == other_residue and stamp >> U(8) <= other_stamp >> U(8)
                and stamp & BYTE <= other_stamp & BYTE)
    if unlimited:
        return True
    return stamp <= other_stamp if residue == 0 else stamp >> U(8) < other_stamp >> U(8)


@inlined
def is_dominated(payload, residue, stamp, unlimited):
    """Is the waste ``stamp`` of class ``residue`` dominated by one that ``payload`` holds?"""
    shift = U(16 * (residue & 3))
    met = (payload >> shift) & U(0xFFFF)
    if residue:
        return met != ZERO and met >> U(8) <= stamp >> U(8) and met & BYTE <= stamp & BYTE
    if unlimited:
        return payload != ZERO
    if met != ZERO and met <= stamp:
        return True
    for other in range(1, 4):
        met = (payload >> U(16 * other)) & U(0xFFFF)
        if met != ZERO and met >> U(8) < stamp >> U(8):
            return True
    return False


@inlined
def visit(table, state, spec):
    """:func:`visit_key` for a state of the pile game."""
    residue, stamp = waste_class(state, spec)
    return visit_key(table, position_key(state, spec), residue, stamp, spec[PASSES] == 0)


@inlined
def visit_key(table, key, residue, stamp, unlimited):
    """SEEN when a position that dominates this one was met; otherwise notes it and tells MARKED or ADDED (new key)."""
    if residue > 3:
        key = mix(key + U(residue >> 2)) | ONE
    mask = (len(table) >> 1) - 1
    start = I(key >> U(17)) & mask & ~3
    free = I(-1)
    for step in range(WINDOW):
        slot = 2 * ((start + step) & mask)
        if table[slot] == key:
            if is_dominated(table[slot + 1], residue, stamp, unlimited):
                return SEEN
            shift = U(16 * (residue & 3))
            table[slot + 1] = (table[slot + 1] & ~(U(0xFFFF) << shift)) | (stamp << shift)
            return MARKED
        if table[slot] == ZERO:
            free = slot
            break
    result = ADDED
    if free < 0:
        free = 2 * ((start + (I(key >> U(7)) & (WINDOW - 1))) & mask)
        result = MARKED
    table[free] = key
    table[free + 1] = stamp << U(16 * (residue & 3))
    return result


@kernel
def move_entries(old, new):
    """Enter everything ``old`` holds into the larger, empty ``new``; returns how many found a place."""
    mask = (len(new) >> 1) - 1
    moved = I(0)
    for slot in range(0, len(old), 2):
        key = old[slot]
        if key == ZERO:
            continue
        start = I(key >> U(17)) & mask & ~3
        for step in range(WINDOW):
            place = 2 * ((start + step) & mask)
            if new[place] == ZERO:
                new[place] = key
                new[place + 1] = old[slot + 1]
                moved += 1
                break
    return moved
