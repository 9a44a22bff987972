"""The sweep: exhaust the set game level by level, to show that a position is lost, with tables that fit the caches.

Most moves lay stock cards on piles; they change neither the foundations, nor the reserve, nor which cards are bottoms.
Call a *stage* what those three are. With automatic filling and final foundations every other move leads to a later
stage: cards up plus cards out of the reserve, its *level*, only grow. (With the reserve empty bottoms are left out of
the stage, for then they come and go.) So stages are taken level by level, each when all its positions are known; its
positions are met only while it is in hand, and a small table, begun anew for each stage, tells which were met before.

A row is ``stock, tableau, higher, bottoms`` as in cardsets.py, then ``move << 32 | pass``, then ``parent row << 32 |
next row``; rows of positions met before are used again. A stage is ``up word, bottoms, latest block << 32 | next stage
of its level, rows arrived``: what arrives from other stages fills blocks of neighbouring rows, so that it is read from
memory in one go; the next row of a block's first row is the block before it.

Promises and outcomes are those of search.search_slice.
"""

import numpy as np

from solver.arrangements import actual_covers, tells_covers
from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, mix, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, ends_of, fitting_cards, free_hosts, is_rigid_dead, next_cards
from solver.cardsets import safe_cards, waste_class, waste_tops
from solver.moves import FOUNDATION, WASTE, encode_move
from solver.packed import (CLASSES, COVER, DRAW, PASSES, PRUNINGS, RANKS, UNIT, UNIT_SUFFIX, UNIT_TOP_OR_PILE, Game,
                           borrow_game)
from solver.prunings import RIGID_PILES, RIGID_SAFE, SAFE_FOUNDATION
from solver.relaxation import ACTIVE, borrow_relaxed, is_relaxed_dead, is_relaxed_full
from solver.rulesets import Rules
from solver.search import (EXHAUSTED, GO_ON, NODES, SOLUTION_LENGTH, STACK_TOP, STATUS_LENGTH, TABLE_FULL, TRUNCATED,
                           WON, reason_to_stop)
from solver.setsearch import (deck_of, forced_move, generate_set_moves, is_blocked, is_doubtful, set_key, settled_child)
from solver.setsearch import ON_HIGHER, ON_LOWER
from solver.table import ADDED, SEEN, move_entries, visit_key

ROW_STOCK, ROW_TABLEAU, ROW_HIGHER, ROW_BOTTOMS, ROW_ORIGIN, ROW_LINKS = range(6)
ROW_WORDS = 6
LOW_HALF = U(0xFFFFFFFF)
STAGE_UP, STAGE_BOTTOMS, STAGE_LINKS, STAGE_ARRIVED = range(4)
STAGE_WORDS = 4
BLOCK = 16
DEAD_STAGE = LOW_HALF
LEVELS = 128
FIRST_LOCAL = 64
NOTHING = I(LOW_HALF)
HALF = U(32)
BYTE = U(255)

# Status numbers after those of search.py (int64): the free row first to be used again; how many stages there are; the
# stage in hand, its level, the first of its rows still to be expanded, its table: entries, size, and which of the two.
FREE_ROW, STAGES, STAGE, LEVEL, OPEN_ROW, LOCAL_ENTRIES, LOCAL_SIZE, WHICH = range(STATUS_LENGTH, STATUS_LENGTH + 8)
SWEEP_STATUS_LENGTH = STATUS_LENGTH + 8
STAGES_FULL = 100


def has_levels(rules: Rules) -> bool:
    """Do all moves that change the stage lead to a later one under this rule set?"""
    return rules.fill == "auto" and not rules.foundation_return


def hosts_of_stock(game: Game) -> np.ndarray:
    """For each card code, as a host, the set of stock cards (by index) that may be built on it; uint64[64]."""
    masks = [sum(1 << index for index, card in enumerate(game.stock.tolist()) if int(carried) >> card & 1)
             for carried in game.carries]
    return np.array(masks, np.uint64)


@inlined
def level_of(up_word, reserve):
    """Cards up and cards out of the reserve."""
    return popcount(up_word & CARDS) + reserve - I(up_word >> UPPER_SHIFT)


@inlined
def find_stage(up_word, bottoms, stages, index):
    """The place of a stage in the index: there, or where it can be entered (index value 0)."""
    mask = len(index) - 1
    place = I((mix(up_word) + mix(bottoms * U(0x9E3779B97F4A7C15))) >> U(20)) & mask
    while index[place] != 0:
        stage = index[place] - 1
        if stages[stage, STAGE_UP] == up_word and stages[stage, STAGE_BOTTOMS] == bottoms:
            break
        place = (place + 1) & mask
    return place


@inlined
def stage_for(up_word, bottoms, at_pass, game, relaxed, stages, index, levels, status):
    """The number of a stage, entered in its level if it is new and not lost."""
    if up_word >> UPPER_SHIFT == ZERO:
        bottoms = ZERO
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
def arrival_row(stage, stages, rows, status):
    """The number of a row in the latest block of a stage, begun anew if that is full."""
    arrived = stages[stage, STAGE_ARRIVED]
    stages[stage, STAGE_ARRIVED] += ONE
    if arrived % U(BLOCK):
        return I(stages[stage, STAGE_LINKS] >> HALF) + I(arrived % U(BLOCK))
    block = status[STACK_TOP]
    status[STACK_TOP] += BLOCK
    rows[block, ROW_LINKS] = stages[stage, STAGE_LINKS] >> HALF
    stages[stage, STAGE_LINKS] = (stages[stage, STAGE_LINKS] & LOW_HALF) | U(block) << HALF
    return block


@inlined
def new_row(rows, status):
    """The number of a row that is not in use."""
    row = status[FREE_ROW]
    if row >= 0:
        status[FREE_ROW] = link_of(rows, row)
        return row
    row = status[STACK_TOP]
    status[STACK_TOP] += 1
    return row


@inlined
def link_of(rows, row):
    """The row after this one, or -1."""
    following = I(rows[row, ROW_LINKS] & LOW_HALF)
    return I(-1) if following == NOTHING else following


@inlined
def put_first(row, list_head, rows, status):
    """Put ``row`` before the others of a list whose first row is a status number."""
    rows[row, ROW_LINKS] = (rows[row, ROW_LINKS] & ~LOW_HALF) | (U(status[list_head]) & LOW_HALF)
    status[list_head] = row


@inlined
def write_row(row, stock_word, tableau, higher, bottoms, at_pass, move, parent, rows):
    """Fill a row; its next row stays."""
    rows[row, ROW_STOCK], rows[row, ROW_TABLEAU] = stock_word, tableau
    rows[row, ROW_HIGHER], rows[row, ROW_BOTTOMS] = higher, bottoms
    rows[row, ROW_ORIGIN] = (move << HALF) | at_pass
    rows[row, ROW_LINKS] = U(parent) << HALF | rows[row, ROW_LINKS] & LOW_HALF


@inlined
def is_met(stock_word, higher, bottoms, at_pass, table, status, spec):
    """Was a position of the stage in hand met before, or one that dominates it? If not, it is noted."""
    unlimited = spec[PASSES] == 0
    residue, stamp = waste_class(stock_word, at_pass, spec[DRAW], unlimited)
    met = visit_key(table, set_key(stock_word & CARDS, ZERO, bottoms, higher), residue, stamp, unlimited)
    status[LOCAL_ENTRIES] += met == ADDED
    return met == SEEN


@inlined
def take_stage(rows, stages, levels, first, second, status, spec):
    """Take the next stage in hand: its rows that differ are open then. False when there is none."""
    while status[LEVEL] < LEVELS and levels[status[LEVEL]] == NOTHING:
        status[LEVEL] += 1
    if status[LEVEL] == LEVELS:
        return False
    stage = levels[status[LEVEL]]
    levels[status[LEVEL]] = I(stages[stage, STAGE_LINKS] & LOW_HALF)
    count = I(stages[stage, STAGE_ARRIVED])
    size = I(FIRST_LOCAL)
    while size < 4 * count and 4 * size <= len(first):
        size *= 2
    status[STAGE], status[LOCAL_SIZE], status[LOCAL_ENTRIES] = stage, size, 0
    table = local_table(first, second, status)
    table[:] = ZERO
    block = I(stages[stage, STAGE_LINKS] >> HALF)
    for row in range(block + (count - 1) % BLOCK + 1, block + BLOCK):
        put_first(row, FREE_ROW, rows, status)
    while count > 0:
        before = link_of(rows, block)
        for row in range(block, block + (count - 1) % BLOCK + 1):
            seen = is_met(rows[row, ROW_STOCK], rows[row, ROW_HIGHER], rows[row, ROW_BOTTOMS],
                          rows[row, ROW_ORIGIN] & BYTE, table, status, spec)
            put_first(row, FREE_ROW if seen else OPEN_ROW, rows, status)
        count -= (count - 1) % BLOCK + 1
        block = before
    return True


@inlined
def local_table(first, second, status):
    """The table of the stage in hand."""
    size = 2 * status[LOCAL_SIZE]
    return first[:size] if status[WHICH] == 0 else second[:size]


@inlined
def enlarge_local(first, second, status):
    """Let the stage's table move to the other array, at twice the size. False where that is too small."""
    if 4 * status[LOCAL_SIZE] > len(first):
        return False
    old = local_table(first, second, status)
    status[LOCAL_SIZE] *= 2
    status[WHICH] ^= 1
    new = local_table(first, second, status)
    new[:] = ZERO
    status[LOCAL_ENTRIES] = move_entries(old, new)
    return True


@inlined
def lay_stock_cards(up_word, parent, low, high, hosts, rows, table, status, game, moves):
    """Open the positions after each laying of a stock card; write the other plays of stock cards into ``moves``.

    For stages with cards in the reserve, where there are no spaces. A card that is safe to go up is not laid, for it
    would go up at once: that play is the same.
    """
    spec = game.spec
    last, deck = U(4 * (spec[RANKS] - 1)), deck_of(spec)
    up = up_word & CARDS
    stock_word, tableau = rows[parent, ROW_STOCK], rows[parent, ROW_TABLEAU]
    higher, bottoms, at_pass = rows[parent, ROW_HIGHER], rows[parent, ROW_BOTTOMS], rows[parent, ROW_ORIGIN] & BYTE
    now, later = waste_tops(stock_word, spec[DRAW], spec[PASSES] == 0 or I(at_pass) < spec[PASSES])
    goes_up = next_cards(up, deck)
    safe = goes_up & safe_cards(up, last, spec[COVER]) if spec[PRUNINGS] & SAFE_FOUNDATION else ZERO
    onto_low, onto_high = stock_on(low, hosts), stock_on(high, hosts)
    count = I(0)
    tops = now | later
    while tops:
        bit = tops & (~tops + ONE)
        tops ^= bit
        index = U(lowest_bit(bit))
        code = U(game.stock[index])
        card = ONE << code
        if goes_up & card:
            moves[count] = waste_move(index, code, FOUNDATION, later & bit)
            count += 1
        if safe & card or bit & (onto_low | onto_high) == ZERO:
            continue
        child_stock = (stock_word & CARDS & ~bit) | (index << UPPER_SHIFT)
        child_pass = at_pass + ONE if spec[PASSES] and later & bit else at_pass
        for place in (ON_LOWER, ON_HIGHER):
            if bit & (onto_high if place == ON_HIGHER else onto_low) == ZERO:
                continue
            child_higher = higher | card if place == ON_HIGHER else higher
            move = waste_move(index, code, place, later & bit)
            if spec[PRUNINGS] & RIGID_SAFE and forced_move(up_word, tableau | card, bottoms, child_higher, game):
                moves[count] = move
                count += 1
                continue
            if spec[PRUNINGS] & RIGID_PILES and is_rigid_dead(up, tableau | card, bottoms, child_higher, last, deck):
                continue
            if is_met(child_stock, child_higher, bottoms, child_pass, table, status, spec):
                continue
            row = new_row(rows, status)
            write_row(row, child_stock, tableau | card, child_higher, bottoms, child_pass, move, parent, rows)
            put_first(row, OPEN_ROW, rows, status)
    return count


@inlined
def stock_on(classes, hosts):
    """The stock cards, by index, that fit on free hosts of these classes."""
    fits = ZERO
    while classes:
        fits |= hosts[lowest_bit(classes)]
        classes &= classes - ONE
    return fits


@inlined
def waste_move(index, code, target, later):
    """The word of a play from the waste; later: whether it takes the next pass."""
    return encode_move(I(code), 1, WASTE, target) | index << U(23) | (ONE << U(31) if later else ZERO)


@inlined
def has_other_moves(up_word, tableau, bottoms, low, high, game):
    """May there be moves of cards that are in the tableau or the reserve? (Cheap, and errs on the side of yes.)"""
    spec = game.spec
    left = I(up_word >> UPPER_SHIFT)
    if left == 0 or spec[UNIT] == UNIT_TOP_OR_PILE or spec[UNIT] == UNIT_SUFFIX and spec[CLASSES] == 0:
        return True
    last = U(4 * (spec[RANKS] - 1))
    goes_up = next_cards(up_word & CARDS, deck_of(spec))
    movable = bottoms | ONE << U(game.reserve[left - 1])
    fits = fitting_cards(low | high, last, spec[COVER])
    return movable & (fits | goes_up) | ends_of(low, high, tableau, spec[CLASSES]) & goes_up != ZERO


@kernel
def search_levels(rows, stages, index, levels, first, second, hosts, status, game, relaxed, moves):
    """Sweep on until something has to be done outside.

    rows: uint64[any, ROW_WORDS]; stages: uint64[any, STAGE_WORDS]; index: int64[power of two], stage + 1; levels:
    int64[LEVELS], first stage of each or NOTHING; first, second: uint64 tables for the stage in hand, of one size;
    hosts: see :func:`hosts_of_stock`; status: int64[SWEEP_STATUS_LENGTH]. On WON, status SOLUTION_LENGTH is the won
    row.
    """
    rows, stages, index, levels, status = borrow(rows), borrow(stages), borrow(index), borrow(levels), borrow(status)
    first, second, hosts, moves = borrow(first), borrow(second), borrow(hosts), borrow(moves)
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    while True:
        stop = reason_to_stop(status, status[NODES], I(0), first, status[STACK_TOP] + BLOCK * len(moves) <= len(rows),
                              is_relaxed_full(relaxed))
        if stop != GO_ON:
            return stop
        if status[LOCAL_ENTRIES] * 2 > status[LOCAL_SIZE] and not enlarge_local(first, second, status):
            return I(TABLE_FULL)
        if status[STAGES] + len(moves) > len(stages):
            return I(STAGES_FULL)
        if status[OPEN_ROW] < 0:
            if not take_stage(rows, stages, levels, first, second, status, game.spec):
                return I(EXHAUSTED)
            continue
        parent = status[OPEN_ROW]
        status[OPEN_ROW] = link_of(rows, parent)
        status[NODES] += 1
        table = local_table(first, second, status)
        if expand_row(parent, table, rows, stages, index, levels, hosts, status, game, relaxed, moves):
            return I(WON)


@inlined
def expand_row(parent, table, rows, stages, index, levels, hosts, status, game, relaxed, moves):
    """Open the positions after every move from a row's position; True when one is won."""
    spec = game.spec
    up_word = stages[status[STAGE], STAGE_UP]
    stock_word, tableau = rows[parent, ROW_STOCK], rows[parent, ROW_TABLEAU]
    higher, bottoms, at_pass = rows[parent, ROW_HIGHER], rows[parent, ROW_BOTTOMS], rows[parent, ROW_ORIGIN] & BYTE
    if is_doubtful(tableau, bottoms, spec):
        status[TRUNCATED] |= 1
    told = relaxed.numbers[ACTIVE] != 0 and tells_covers(spec)  # a stage was judged without its positions' covers
    last = U(4 * (spec[RANKS] - 1))
    low, high = free_hosts(tableau, bottoms, higher, last, spec[CLASSES])
    count = I(0)
    with_reserve = up_word >> UPPER_SHIFT != ZERO
    if with_reserve:
        count = lay_stock_cards(up_word, parent, low, high, hosts, rows, table, status, game, moves)
    if has_other_moves(up_word, tableau, bottoms, low, high, game):
        count += generate_set_moves(up_word, stock_word, tableau, bottoms, higher, at_pass, not with_reserve, game,
                                    moves[count:])
    for number in range(count):
        move = moves[number]
        child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass = settled_child(
            up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
        if child_up == deck_of(spec):
            row = new_row(rows, status)
            write_row(row, child_stock, child_tableau, child_higher, child_bottoms, child_pass, move, parent, rows)
            status[SOLUTION_LENGTH] = row
            return True
        stage = status[STAGE]
        if child_up == up_word:
            if is_met(child_stock, child_higher, child_bottoms, child_pass, table, status, spec):
                continue
        else:
            stage = stage_for(child_up, child_bottoms, child_pass, game, relaxed, stages, index, levels, status)
            if stages[stage, STAGE_ARRIVED] == DEAD_STAGE:
                continue
        if is_blocked(child_up, child_tableau, child_bottoms, child_higher, move, game):
            continue
        if told and actual_covers(child_tableau, child_bottoms, child_higher, last) and is_relaxed_dead(
                child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass, game, relaxed):
            continue
        row = new_row(rows, status) if child_up == up_word else arrival_row(stage, stages, rows, status)
        write_row(row, child_stock, child_tableau, child_higher, child_bottoms, child_pass, move, parent, rows)
        if child_up == up_word:
            put_first(row, OPEN_ROW, rows, status)
    return False


@kernel
def fill_index(stages, index, count):
    """Enter the first ``count`` stages into an empty index."""
    for stage in range(count):
        index[find_stage(stages[stage, STAGE_UP], stages[stage, STAGE_BOTTOMS], stages, index)] = stage + 1


@kernel
def enter_root(up_word, bottoms, at_pass, game, relaxed, stages, index, levels, status):
    """Enter the stage of the root, whose row is the first."""
    stage = stage_for(up_word, bottoms, at_pass, game, relaxed, stages, index, levels, status)
    if stages[stage, STAGE_ARRIVED] == ZERO:
        stages[stage, STAGE_LINKS] &= LOW_HALF
        stages[stage, STAGE_ARRIVED] = ONE
