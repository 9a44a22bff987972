"""The memory of the sweep (sweep.py): positions of the stage in hand in rows, what waits for later stages in blocks.

A *row* is a position of the stage in hand with one waste, ``stock, tableau, higher, bottoms`` as in cardsets.py and::

    waste    bits 0..15 stamp, 16..23 residue class (table.py) | 24..31 pass | 32.. flags, see below
    origin   move << 32 | number of the position it was made from
    links    sibling << 32 | next row of its list

*Siblings* are the rows of one position with wastes of which none dominates another. They are expanded together, from
the first of them, which stands in a list: that of its *layer*, the number of cards in its stock. A small table, begun
anew for each stage, has the first row of each position.

A *stage* is ``up word, bottoms, latest block << 32 | next stage of its level, positions arrived``. What *arrives* from
other stages takes four words, ``stock, higher | pass << 52, bottoms, origin``; the tableau is all that is nowhere else.
Arrivals lie in blocks, so that they are written and read in one go; a block's first entry has the number of the block
before it, and blocks of stages that were taken in hand are used again.

Of positions that were expanded only the origins stay, to tell the way to a win.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, mix, popcount
from solver.cardsets import BOTTOMS, CARDS, HIGHER, PASS, STOCK, UP, UPPER_SHIFT, waste_class
from solver.packed import DRAW, PASSES, RANKS, Game
from solver.relaxation import ACTIVE, is_relaxed_dead
from solver.search import STATUS_LENGTH
from solver.table import SALT, waste_dominates

ROW_STOCK, ROW_TABLEAU, ROW_HIGHER, ROW_BOTTOMS, ROW_WASTE, ROW_ORIGIN, ROW_LINKS = range(7)
ROW_WORDS = 7
STAGE_UP, STAGE_BOTTOMS, STAGE_LINKS, STAGE_ARRIVED = range(4)
STAGE_WORDS = 4
ARRIVED_STOCK, ARRIVED_HIGHER, ARRIVED_BOTTOMS, ARRIVED_ORIGIN = range(4)
ARRIVED_WORDS = 4
BLOCK = 16  # entries, the first of them not for an arrival
LOW_HALF, HALF = U(0xFFFFFFFF), U(32)
NOTHING = I(LOW_HALF)
DEAD_STAGE = LOW_HALF
LEVELS, LAYERS = 128, 64
FIRST_LOCAL = 1024  # entries of the smallest table; half of them are more than one node can add
PASS_SHIFT, BYTE = U(24), U(255)

# Flags of a row: its last move laid a stock card in this stage; it was expanded; it stands in the list of its layer.
LAID, EXPANDED, LISTED = ONE << U(32), ONE << U(33), ONE << U(34)

# Status numbers after those of search.py (int64): rows in use; entries of blocks ever used; the block to be used again
# first; positions expanded; how many stages there are; the stage in hand, its level, the layer in hand, its table:
# entries, size, and which of the two.
(ROWS, ENTRIES_USED, FREE_BLOCK, ORIGINS, STAGES, STAGE, LEVEL, LAYER, LOCAL_ENTRIES, LOCAL_SIZE,
 WHICH) = range(STATUS_LENGTH, STATUS_LENGTH + 11)
SWEEP_STATUS_LENGTH = STATUS_LENGTH + 11


class Stages(NamedTuple):
    """The arrays, all kept by the caller.

    rows: uint64[any, ROW_WORDS]; arrivals: uint64[any, ARRIVED_WORDS]; origins: uint64[any], number 0 is none; stages:
    uint64[any, STAGE_WORDS]; index: int64[power of two], stage + 1; levels: int64[LEVELS], first stage of each or
    NOTHING; layers: int64[LAYERS], likewise first rows; first, second: tables for the stage in hand, of one size.
    """

    rows: np.ndarray
    arrivals: np.ndarray
    origins: np.ndarray
    stages: np.ndarray
    index: np.ndarray
    levels: np.ndarray
    layers: np.ndarray
    first: np.ndarray
    second: np.ndarray


class StockSets(NamedTuple):
    """Sets by card code, uint64[64] each, as sets of stock cards by index: the card itself, if it is a stock card;
    those that may be built on it. And uint64[16 * 13] each: the cards, by code, of each four neighbours in the stock
    list; and those of each four neighbours by code, by index. stock: all stock cards, by code."""

    places: np.ndarray
    guests: np.ndarray
    cards: np.ndarray
    indices: np.ndarray
    stock: np.uint64


def stock_sets(game: Game) -> StockSets:
    """The sets of a game."""
    places, cards, indices = np.zeros(64, np.uint64), np.zeros(16 * 13, np.uint64), np.zeros(16 * 13, np.uint64)
    places[game.stock] = ONE << np.arange(len(game.stock), dtype=np.uint64)
    carried = (game.carries[:, None] >> np.arange(64, dtype=np.uint64)) & ONE
    guests = np.bitwise_or.reduce(carried * places, axis=1)
    for first in range(0, len(game.stock), 4):
        add_unions(cards, first, [U(1 << code) for code in game.stock[first:first + 4].tolist()])
    for first in range(0, 52, 4):
        add_unions(indices, first, places[first:first + 4])
    return StockSets(places, guests, cards, indices, U(sum(1 << code for code in game.stock.tolist())))


def add_unions(unions: np.ndarray, first: int, sets: Sequence[np.uint64]) -> None:
    """Write the unions of all subsets of up to four sets, from 4 * first on."""
    for place, one in enumerate(sets):
        here = 4 * first + (1 << place)
        unions[here:here + (1 << place)] = unions[4 * first:here] | one


@inlined
def borrow_stages(memory):
    """As :func:`packed.borrow_game`."""
    return Stages(borrow(memory.rows), borrow(memory.arrivals), borrow(memory.origins), borrow(memory.stages),
                  borrow(memory.index), borrow(memory.levels), borrow(memory.layers), borrow(memory.first),
                  borrow(memory.second))


@inlined
def borrow_sets(sets):
    """As :func:`packed.borrow_game`."""
    return StockSets(borrow(sets.places), borrow(sets.guests), borrow(sets.cards), borrow(sets.indices), sets.stock)


@inlined
def level_of(up_word, reserve):
    """Cards up and cards out of the reserve."""
    return popcount(up_word & CARDS) + reserve - I(up_word >> UPPER_SHIFT)


@inlined
def find_stage(up_word, bottoms, stages, index):
    """The place of a stage in the index: there, or where it can be entered (index value 0)."""
    mask = len(index) - 1
    place = I((mix(up_word) + mix(bottoms * SALT)) >> U(20)) & mask
    while index[place] != 0:
        stage = index[place] - 1
        if stages[stage, STAGE_UP] == up_word and stages[stage, STAGE_BOTTOMS] == bottoms:
            break
        place = (place + 1) & mask
    return place


@inlined
def stage_for(up_word, bottoms, at_pass, game, relaxed, memory, status):
    """The number of a stage, entered in its level if it is new and not lost."""
    if up_word >> UPPER_SHIFT == ZERO:
        bottoms = ZERO
    stages, index, levels = memory.stages, memory.index, memory.levels
    place = find_stage(up_word, bottoms, stages, index)
    if index[place] != 0:
        return index[place] - 1
    stage = status[STAGES]
    status[STAGES] += 1
    index[place] = stage + 1
    stages[stage, STAGE_UP], stages[stage, STAGE_BOTTOMS] = up_word, bottoms
    if relaxed.numbers[ACTIVE] and is_relaxed_dead(up_word, ZERO, ZERO, bottoms, ZERO, at_pass, game, relaxed):
        stages[stage, STAGE_ARRIVED] = DEAD_STAGE
    else:
        level = level_of(up_word, I(len(game.reserve)))
        stages[stage, STAGE_LINKS] = LOW_HALF << HALF | U(levels[level])
        stages[stage, STAGE_ARRIVED] = ZERO
        levels[level] = stage
    return stage


@inlined
def new_block(arrivals, status):
    """The number of the first entry of a block that is not in use."""
    block = status[FREE_BLOCK]
    if block != NOTHING:
        status[FREE_BLOCK] = I(arrivals[block, 0])
        return block
    block = status[ENTRIES_USED]
    status[ENTRIES_USED] += BLOCK
    return block


@inlined
def arrive(stage, stock_word, higher, bottoms, at_pass, move, parent, memory, status):
    """Let a position wait for its stage."""
    stages, arrivals = memory.stages, memory.arrivals
    count = stages[stage, STAGE_ARRIVED]
    stages[stage, STAGE_ARRIVED] += ONE
    place = I(count % U(BLOCK - 1))
    if place == 0:
        block = new_block(arrivals, status)
        arrivals[block, 0] = stages[stage, STAGE_LINKS] >> HALF
        stages[stage, STAGE_LINKS] = (stages[stage, STAGE_LINKS] & LOW_HALF) | U(block) << HALF
    entry = I(stages[stage, STAGE_LINKS] >> HALF) + 1 + place
    arrivals[entry, ARRIVED_STOCK], arrivals[entry, ARRIVED_HIGHER] = stock_word, higher | at_pass << UPPER_SHIFT
    arrivals[entry, ARRIVED_BOTTOMS], arrivals[entry, ARRIVED_ORIGIN] = bottoms, move << HALF | U(parent)


@inlined
def next_of(rows, row):
    """The row after this one in its list, or NOTHING."""
    return I(rows[row, ROW_LINKS] & LOW_HALF)


@inlined
def sibling_of(rows, row):
    """The next row of the same position, or NOTHING."""
    return I(rows[row, ROW_LINKS] >> HALF)


@inlined
def write_row(row, stock_word, tableau, higher, bottoms, move, parent, rows):
    """Fill a row, all but its waste and links."""
    rows[row, ROW_STOCK], rows[row, ROW_TABLEAU] = stock_word, tableau
    rows[row, ROW_HIGHER], rows[row, ROW_BOTTOMS] = higher, bottoms
    rows[row, ROW_ORIGIN] = move << HALF | U(parent)


@inlined
def pass_of(rows, row):
    """The pass of a row, uint64."""
    return (rows[row, ROW_WASTE] >> PASS_SHIFT) & BYTE


@inlined
def position_key(stock, higher, bottoms):
    """Key of a position within its stage, never 0; bottoms: 0 where the stage tells them."""
    key = mix(stock + SALT)
    if higher:
        key = mix(key + higher)
    if bottoms:
        key = mix(key + bottoms * SALT)
    return key | ONE


@inlined
def find_position(table, key):
    """The index of a key's slot in the table of a stage, or of a free one."""
    mask = (len(table) >> 1) - 1
    slot = I(key >> U(17)) & mask
    while table[2 * slot] != key and table[2 * slot] != ZERO:
        slot = (slot + 1) & mask
    return 2 * slot


@inlined
def dominates(waste, other, unlimited):
    """Does one row's waste dominate another's? The words are as in a row."""
    return waste_dominates(I((waste >> U(16)) & BYTE), waste & U(0xFFFF), I((other >> U(16)) & BYTE),
                           other & U(0xFFFF), unlimited)


@inlined
def put_in_layer(row, stock_word, rows, layers):
    """List the first row of a position in its layer."""
    layer = popcount(stock_word & CARDS)
    rows[row, ROW_LINKS] = (rows[row, ROW_LINKS] & ~LOW_HALF) | U(layers[layer])
    rows[row, ROW_WASTE] |= LISTED
    layers[layer] = row


@inlined
def enter(stock_word, higher, bottoms, at_pass, laid, table, memory, status, spec):
    """The row to be filled with a position of the stage in hand, or -1 where one that dominates it was entered.

    bottoms: 0 where the stage tells them; laid: LAID or 0. Of two rows that are alike, the one
    that was laid stays: less has to be tried from it (sweep.py).
    """
    rows, unlimited = memory.rows, spec[PASSES] == 0
    residue, stamp = waste_class(stock_word, at_pass, spec[DRAW], unlimited)
    waste = stamp | U(residue) << U(16) | at_pass << PASS_SHIFT | laid
    key = position_key(stock_word & CARDS, higher, bottoms)
    slot = find_position(table, key)
    known = table[slot] == key
    first = I(table[slot + 1]) if known else NOTHING
    row = first
    while row != NOTHING:
        other = rows[row, ROW_WASTE]
        better = laid & ~other != ZERO and (waste ^ other) & (LAID - ONE) == ZERO and other & EXPANDED == ZERO
        if not better and dominates(other, waste, unlimited):
            return I(-1)
        if better or other & EXPANDED == ZERO and dominates(waste, other, unlimited):
            rows[row, ROW_WASTE] = waste | other & LISTED
            return row
        row = sibling_of(rows, row)
    row = status[ROWS]
    status[ROWS] += 1
    rows[row, ROW_WASTE] = waste
    if not known:
        table[slot], table[slot + 1] = key, U(row)
        status[LOCAL_ENTRIES] += 1
        first = row
        rows[row, ROW_LINKS] = LOW_HALF << HALF
    else:
        rows[row, ROW_LINKS] = rows[first, ROW_LINKS] & ~LOW_HALF
        rows[first, ROW_LINKS] = (rows[first, ROW_LINKS] & LOW_HALF) | U(row) << HALF
    if rows[first, ROW_WASTE] & LISTED == ZERO:
        put_in_layer(first, stock_word, rows, memory.layers)
    return row


@inlined
def local_table(memory, status):
    """The table of the stage in hand."""
    size = 2 * status[LOCAL_SIZE]
    return memory.first[:size] if status[WHICH] == 0 else memory.second[:size]


@inlined
def union_by_fours(word, unions):
    """The union for a set of which ``unions`` has those of each four neighbours (see StockSets)."""
    found, four = ZERO, I(0)
    while word:
        found |= unions[four + I(word & U(15))]
        word >>= U(4)
        four += 16
    return found


@inlined
def indices_of(codes, sets):
    """The stock cards among ``codes``, by index."""
    return union_by_fours(codes, sets.indices)


@inlined
def cards_of(indices, sets):
    """Stock cards given by index, as a set of cards."""
    return union_by_fours(indices, sets.cards)


@inlined
def tableau_of(stock_word, up_word, sets, relaxed, spec):
    """The cards on the tableau: all that are nowhere else."""
    elsewhere = up_word & CARDS | relaxed.sets[2 + I(up_word >> UPPER_SHIFT)] | cards_of(stock_word & CARDS, sets)
    return ((ONE << U(4 * spec[RANKS])) - ONE) & ~elsewhere


@inlined
def take_stage(stage, memory, sets, relaxed, status, spec):
    """Take a stage in hand: all that arrived for it is in the lists of the layers then. False where the tables are too
    small for it."""
    stages, arrivals, rows = memory.stages, memory.arrivals, memory.rows
    count, up_word = I(stages[stage, STAGE_ARRIVED]), stages[stage, STAGE_UP]
    size = I(FIRST_LOCAL)
    while size < 4 * count:
        size *= 2
    if 2 * size > len(memory.first):
        return False
    status[STAGE], status[LOCAL_SIZE], status[LOCAL_ENTRIES] = stage, size, 0
    status[LAYER], status[ROWS] = LAYERS - 1, 0
    table = local_table(memory, status)
    table[:] = ZERO
    tells = stages[stage, STAGE_BOTTOMS] != ZERO
    block = I(stages[stage, STAGE_LINKS] >> HALF)
    while count > 0:
        filled = (count - 1) % (BLOCK - 1) + 1
        for entry in range(block + 1, block + 1 + filled):
            stock_word, bottoms = arrivals[entry, ARRIVED_STOCK], arrivals[entry, ARRIVED_BOTTOMS]
            higher, at_pass = arrivals[entry, ARRIVED_HIGHER] & CARDS, arrivals[entry, ARRIVED_HIGHER] >> UPPER_SHIFT
            row = enter(stock_word, higher, ZERO if tells else bottoms, at_pass, ZERO, table, memory, status, spec)
            if row >= 0:
                origin = arrivals[entry, ARRIVED_ORIGIN]
                write_row(row, stock_word, tableau_of(stock_word, up_word, sets, relaxed, spec), higher, bottoms,
                          origin >> HALF, I(origin & LOW_HALF), rows)
        count -= filled
        before = I(arrivals[block, 0])
        arrivals[block, 0] = U(status[FREE_BLOCK])
        status[FREE_BLOCK] = block
        block = before
    return True


@inlined
def enlarge_local(memory, status):
    """Let the stage's table move to the other array, at twice the size. False where that is too small."""
    if 4 * status[LOCAL_SIZE] > len(memory.first):
        return False
    old = local_table(memory, status)
    status[LOCAL_SIZE] *= 2
    status[WHICH] ^= 1
    new = local_table(memory, status)
    new[:] = ZERO
    for slot in range(0, len(old), 2):
        if old[slot]:
            place = find_position(new, old[slot])
            new[place], new[place + 1] = old[slot], old[slot + 1]
    return True


@kernel
def fill_index(stages, index, count):
    """Enter the first ``count`` stages into an empty index."""
    for stage in range(count):
        index[find_stage(stages[stage, STAGE_UP], stages[stage, STAGE_BOTTOMS], stages, index)] = stage + 1


@kernel
def enter_root(root, game, relaxed, memory, status):
    """Let the root, a state of cardsets.py, arrive."""
    stage = stage_for(root[UP], root[BOTTOMS], root[PASS], game, relaxed, memory, status)
    if memory.stages[stage, STAGE_ARRIVED] == ZERO:
        arrive(stage, root[STOCK], root[HIGHER], root[BOTTOMS], root[PASS], ZERO, I(0), memory, status)
