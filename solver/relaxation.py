"""The front relaxation: an easier game with a small space, to show that a position is lost.

The first cards of the stock list, the *front*, are played by the true rules of drawing and passes; of all later stock
cards the player has every one at any time; and the cards on the tableau hang anywhere. Call the later stock cards
*loose*, the others (front, reserve and first tableau) *bound*. While the reserve holds cards, an emptied pile is
filled from it at once, so every pile has a bound card at its bottom that was never in the stock. A relaxed position is
only (cards up, reserve left, the set of bottoms, front cards in the stock, how many of them are turned, the pass,
covers): a bound card that is in none of these places lies on the tableau, and if it is no bottom it is *attached*, to
anything that could carry it. Once the reserve is empty, bottoms are no longer told apart: the bound cards hang in at
most as many runs as there are piles. Loose cards that are not up can bridge: whether there is an arrangement of piles
with these bottoms and attached cards is the question of arrangements.py.

*Claim.* If a position of the real game can be won, then its relaxed position can be. Proof: play the win.

* A loose card laid on a pile, or a unit moved between cards, changes nothing relaxed. A card going up, a reserve or
  front card laid on a pile, a pile laid on another and then replaced by the reserve's top, are relaxed moves of the
  same name.
* Every real position is arrangeable, also the one before the replacement, for its piles are such an arrangement, and
  so are the real *covers* (arrangements.py) where these are told. The relaxed position knows of some of the real
  covers; where those do not suffice, the move leads to a position for each smallest set of further covers that does.
* A front card is played from the waste only if the relaxed waste allows it. The relaxed waste knows nothing of loose
  cards played. If the last stock card played was of the front, then the real waste lies where the relaxed one does,
  and turning on from there meets the same front cards up to the loose ones; a last group that takes in loose cards
  brings no front card up, where the relaxed stock ends and lets its last card up. If the last one played was loose,
  the cards to come up are those of a new pass, and in this pass the front's last card, once everything between was
  played: the relaxed waste allows both, from wherever it stands. Passes are counted only where a front card needs the
  next one, so never too many. Since the front is the beginning of the list, what is gone from the rest shifts nothing
  in it.

Smaller units, or spaces only for the waste, allow less in the real game, and so are covered.

Conditions: one deck in alternate colours, nothing returns from the foundations; with manual filling the claim holds
with all piles as spaces, but was measured not to pay (prunings.prunings_for). An empty front gives the *draw-one
relaxation*, the whole stock as front all of the real drawing.

Every relaxed move is final (the sum of cards up, cards out of the reserve and the stock, and bottoms attached grows),
so the graph has no circle: what a failed or finished search left behind is lost, but for the positions on the way to a
success. So results stay valid in one table for the whole solve.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from solver.arrangements import (actual_covers, are_apart, covered_bases, is_arrangeable, lasting_covers,
                                 possible_covers, tells_covers)
from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix
from solver.cardsets import BOTTOMS, CARDS, HIGHER, PASS, STOCK, TABLEAU, UP, UPPER_SHIFT, next_cards, safe_cards
from solver.cardsets import waste_class, waste_tops
from solver.packed import COVER, DRAW, FREE_FILL, PASSES, PILES, RANKS, Game, borrow_game, has_redeal

DEAD, ALIVE, UNKNOWN = U(1), U(2), U(3)
ROWS = 4096
ROW_WORDS = 5
WINDOW = 8

# Words of a row: foundations and reserve left, bottoms, front stock word (as STOCK in cardsets.py), its cards by code,
# and ``pass | covers << 8 | depth << 32``.
PLACE, LOWEST, FRONT, WAITING, EXTRA = range(ROW_WORDS)
COVERS_SHIFT, DEPTH_SHIFT = U(8), U(32)
BYTE = U(255)

# Relaxation numbers (int64): what lies in the table, and what has happened.
ENTRIES, NODES, LIMIT, ACTIVE, FRONT_CARDS = range(5)


class Relaxed(NamedTuple):
    """Working space of the relaxation: all arrays, kept by the caller for the whole solve.

    sets: uint64, loose cards, bound cards, then for 0..reserve cards left the set of them; table: uint64[2 * entries],
    key and verdict; rows: uint64[ROWS, ROW_WORDS], open positions; slots: int64[ROWS], table slots on the way to the
    position in hand; numbers: int64, ENTRIES, NODES, LIMIT, ACTIVE and FRONT_CARDS.
    """

    sets: np.ndarray
    table: np.ndarray
    rows: np.ndarray
    slots: np.ndarray
    numbers: np.ndarray


def new_relaxed(game: Game, active: bool, limit: int, front: int = 0, entries: int = 1 << 12) -> Relaxed:
    """Empty working space for ``game``. limit: relaxed nodes a query may take; inactive, nothing is ever dead; front:
    how many stock cards keep to the true rules of drawing."""
    loose = sum(1 << code for code in game.stock[front:].tolist())
    everything = (1 << 4 * int(game.spec[RANKS])) - 1
    reserve = accumulate((1 << code for code in game.reserve.tolist()), initial=0)
    sets = np.array([loose, everything & ~loose, *reserve], np.uint64)
    numbers = np.array([0, 0, limit, int(active), min(front, len(game.stock))], np.int64)
    return Relaxed(sets, np.zeros(2 * entries, np.uint64), np.empty((ROWS, ROW_WORDS), np.uint64),
                   np.empty(ROWS, np.int64), numbers)


@inlined
def borrow_relaxed(relaxed):
    """As :func:`packed.borrow_game`."""
    return Relaxed(borrow(relaxed.sets), borrow(relaxed.table), borrow(relaxed.rows), borrow(relaxed.slots),
                   borrow(relaxed.numbers))


@inlined
def is_relaxed_full(relaxed):
    """Is the table to be enlarged before more is asked?"""
    return relaxed.numbers[ENTRIES] * 4 > len(relaxed.table)


@inlined
def relaxed_key(row, game):
    """Key of a relaxed position, never 0."""
    spec = game.spec
    at_pass, covers = row[EXTRA] & BYTE, (row[EXTRA] >> COVERS_SHIFT) & BYTE
    _, stamp = waste_class(row[FRONT], at_pass, spec[DRAW], spec[PASSES] == 0)
    return (mix(row[PLACE]) + mix(row[LOWEST] * U(0x9E3779B97F4A7C15))
            + mix((row[FRONT] & CARDS) * U(0xD1B54A32D192ED03))
            + mix((stamp << U(8) | covers) + U(0x2545F4914F6CDD1D))) | ONE


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
def place_root(up_word, stock_word, tableau, bottoms, higher, at_pass, game, relaxed):
    """Write the relaxed position of a real one into the first row."""
    spec, row = game.spec, relaxed.rows[0]
    front = U(relaxed.numbers[FRONT_CARDS])
    in_front = stock_word & ((ONE << front) - ONE)
    row[PLACE] = up_word
    row[LOWEST] = bottoms if up_word >> UPPER_SHIFT else ZERO
    row[FRONT] = in_front | min(stock_word >> UPPER_SHIFT, front) << UPPER_SHIFT
    cards = ZERO
    while in_front:
        cards |= ONE << U(game.stock[lowest_bit(in_front)])
        in_front &= in_front - ONE
    row[WAITING] = cards
    covers = ZERO
    if tells_covers(spec):
        covers = actual_covers(tableau, bottoms, higher, U(4 * (spec[RANKS] - 1)))
    row[EXTRA] = covers << COVERS_SHIFT | (at_pass if spec[PASSES] else ZERO)


@inlined
def is_relaxed_dead(up_word, stock_word, tableau, bottoms, higher, at_pass, game, relaxed):
    """Is even the easier game lost from here? False also where a query's limit ran out."""
    place_root(up_word, stock_word, tableau, bottoms, higher, at_pass, game, relaxed)
    key, table = relaxed_key(relaxed.rows[0], game), relaxed.table
    slot = find_slot(table, key)
    if slot >= 0 and table[slot] == key:  # most often; a call costs more than all this
        return table[slot + 1] == DEAD
    return search_relaxed(game, relaxed) == DEAD


@kernel
def relaxed_verdict(state, game, relaxed):
    """The verdict of the relaxation on a state of cardsets.py: DEAD, ALIVE or UNKNOWN."""
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    place_root(state[UP], state[STOCK], state[TABLEAU], state[BOTTOMS], state[HIGHER], state[PASS] & BYTE, game,
               relaxed)
    return search_relaxed(game, relaxed)


@kernel
def search_relaxed(game, relaxed):
    """The verdict on the relaxed position in the first row: DEAD, ALIVE or UNKNOWN."""
    table, rows, numbers = relaxed.table, relaxed.rows, relaxed.numbers
    top, depth, nodes = I(1), I(0), I(0)
    verdict = DEAD
    while top > 0:
        top -= 1
        row = rows[top]
        key = relaxed_key(row, game)
        depth = I(row[EXTRA] >> DEPTH_SHIFT)
        slot = find_slot(table, key)
        if slot >= 0 and table[slot] != ZERO:
            if table[slot + 1] == DEAD:
                continue
            verdict = table[slot + 1]
            break
        if is_relaxed_full(relaxed):
            for level in range(depth):  # asked again with a larger table, the search is to get further
                table[relaxed.slots[level]] = ZERO
            return UNKNOWN
        if slot < 0 or nodes >= numbers[LIMIT] or top + 512 > ROWS:
            verdict = UNKNOWN
            break
        table[slot], table[slot + 1] = key, DEAD
        numbers[ENTRIES] += 1
        nodes += 1
        relaxed.slots[depth] = slot
        depth += 1
        top = push_relaxed_moves(row[PLACE], row[LOWEST], row[FRONT], row[WAITING], row[EXTRA] & U(0xFFFF), depth, game,
                                 relaxed, top)
        if top < 0:
            verdict = ALIVE
            break
    numbers[NODES] += nodes
    if verdict != DEAD:
        for level in range(depth):
            table[relaxed.slots[level] + 1] = verdict
    return verdict


LAID, BUILT, TURNED_UP, RISEN = range(4)  # kinds of relaxed moves, in the order of pushing


@inlined
def push_relaxed_moves(place, lowest, front, waiting, extra, depth, game, relaxed, top):
    """Push every relaxed move's position on the rows, best last; the new top, or -1 when one is won.

    A card outside the waste that is safe to go up (prunings.py) is the only move: whatever could hang from it can go
    up as well, so with those gone first it is a leaf, and taking a leaf away keeps an arrangement.
    """
    sets, spec = relaxed.sets, game.spec
    up, left = place & CARDS, I(place >> UPPER_SHIFT)
    deck = (ONE << U(4 * spec[RANKS])) - ONE
    free = left == 0 or spec[FREE_FILL] != 0
    reserve_top = ONE << U(game.reserve[left - 1]) if left else ZERO
    rising = next_cards(up, deck) & ~covered_bases(extra >> COVERS_SHIFT)
    risen = rising & ~waiting & ~(sets[2 + left] & ~reserve_top)
    forced = risen & safe_cards(up, U(4 * (spec[RANKS] - 1)), spec[COVER])
    now, later = ZERO, ZERO
    if forced:
        risen = forced & (~forced + ONE)
    elif front & CARDS:
        now, later = waste_tops(front, spec[DRAW], has_redeal(extra & BYTE, spec))
    for kind in range(RISEN if forced else LAID, RISEN + 1):
        candidates = now | later
        if kind == BUILT:
            candidates = reserve_top if free else lowest | reserve_top
        elif kind == RISEN:
            candidates = risen
        while candidates:
            bit = candidates & (~candidates + ONE)
            candidates ^= bit
            card = bit
            after_up, after_left, under, in_hand, still, tail = up, left, lowest, front, waiting, extra
            if kind == LAID or kind == TURNED_UP:
                index = lowest_bit(bit)
                card = ONE << U(game.stock[index])
                in_hand, still = (front & CARDS & ~bit) | U(index) << UPPER_SHIFT, waiting & ~card
                if spec[PASSES] and later & bit:
                    tail += ONE
            if kind == TURNED_UP or kind == RISEN:
                if card & rising == ZERO:
                    continue
                after_up |= card
                if after_up == deck:
                    return I(-1)
            # A bottom makes room for the reserve's top only once it has found its place.
            leaves = card & lowest != ZERO
            under &= ~card
            if card == reserve_top:
                after_left -= 1
            top = push_arranged(after_up, after_left, under, leaves and left > 0, reserve_top, in_hand, still, tail,
                                spec[PILES] if free else I(0), depth, game, relaxed, top)
    return top


@inlined
def push_arranged(up, left, under, leaves, reserve_top, front, waiting, extra, spaces, depth, game, relaxed, top):
    """Push a position if it can be arranged, where covers are told with each smallest set of them that allows it.

    leaves: whether the reserve's top is then to begin a pile.
    """
    sets, rows, spec = relaxed.sets, relaxed.rows, game.spec
    told = tells_covers(spec)
    last = U(4 * (spec[RANKS] - 1))
    attached, loose = sets[1] & ~(up | sets[2 + left] | waiting | under), sets[0] & ~up
    around = I(spec[COVER] != 0 and not told)
    covers, more = ZERO, ZERO
    if told:
        covers = lasting_covers(extra >> COVERS_SHIFT, up, last)
        more = possible_covers(attached, loose, under, spaces, last)
        if covers & ~more:
            return top
        more &= ~covers
    begin, added = top, ZERO
    while True:
        if are_new(covers | added, begin, top, rows) and is_arrangeable(attached, loose, under, spaces, covers | added,
                                                                        around, spec[RANKS]):
            rows[top, PLACE] = up | U(left - 1 if leaves else left) << UPPER_SHIFT
            rows[top, LOWEST] = (under | reserve_top if leaves else under) if rows[top, PLACE] >> UPPER_SHIFT else ZERO
            rows[top, FRONT], rows[top, WAITING] = front, waiting
            rows[top, EXTRA] = (extra & BYTE) | (covers | added) << COVERS_SHIFT | U(depth) << DEPTH_SHIFT
            top += 1
            if added == ZERO:
                break
        elif added == ZERO and not (more and is_arrangeable(attached, loose, under, spaces, ZERO, I(1), spec[RANKS])):
            break
        added = (added - more) & more  # the next subset of `more`; smaller sets come before those that contain them
        if added == ZERO:
            break
    return top


@inlined
def are_new(covers, begin, top, rows):
    """Can these covers stand together, and is none of the sets pushed before contained in them?"""
    if not are_apart(covers):
        return False
    for row in range(begin, top):
        if (rows[row, EXTRA] >> COVERS_SHIFT) & BYTE & ~covers == ZERO:
            return False
    return True
