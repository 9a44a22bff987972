"""The sweep: exhaust the set game stage by stage, to show that a position is lost, with tables that fit the caches.

Most moves lay stock cards on piles; they change neither the foundations, nor the reserve, nor which cards are bottoms.
Call a *stage* what those three are. With automatic filling and final foundations every other move leads to a later
stage: cards up plus cards out of the reserve, its *level*, only grow. (With the reserve empty bottoms are left out of
the stage, for then they come and go.) So stages are taken level by level, each when all its positions are known, and
within a stage positions with more cards in the stock come first: each is expanded once, for all the wastes it was met
with (stages.py has the memory).

*What follows a laid card.* Let a stock card c be laid on a pile while the reserve holds cards, by the move from P to X,
and let nothing have to go up at once. Of the moves from X that lead to a later stage and are no plays from the waste,
only those *with c* are tried: a pile or the reserve's top built on c, and, where only classes of twins are told, the
twin of c going up, for which what lies on it may have to move to c.

Claim: no win is missed. Give each position that can be won the least (moves to later stages while the reserve holds
cards; all moves) of its wins, compared in this order; suppose the sweep ends without a win though some expanded
position can be won, and take one of those with the least. If its win starts with a move that is tried, that leads to
a position that was expanded, or is dominated by one that was, with less; a contradiction. Otherwise the position is X
and its win starts with a move e that does not concern c:

* e is possible from P: all free hosts of X but c are free in P, too, and so are all last cards but c; and c going up
  from X is the same as its going up from the waste in P, where it is tried.
* After e from P, c can still be laid. If e lays a card on a host of the class that c lies on, that class has a free
  host in X, besides the one under c, so it has two in P; if e sends up such a host, then likewise.
* The two moves in this order lead where they lead in the other. So the position after e from P can be won with fewer
  moves to later stages than X. If P was laid itself and e not tried from there, the same is true of what P was laid
  from, and so on to a position from which e was tried.

The prunings' promises hold for this measure, as the wins that their proofs build have no more moves to later stages:
every card goes up once in any win, and where a card is sent up instead of being laid, fewer are laid. Where a stock
card goes up earlier than in the win (setsearch.stock_to_play), perhaps before the reserve is empty and not after, what
follows has no more moves to later stages while it holds cards, and fewer moves.

Promises and outcomes are otherwise those of search.search_slice.
"""

from solver.arrangements import actual_covers, tells_covers
from solver.bits import FALSE, I, ONE, TRUE, U, ZERO, borrow, inlined, kernel, lowest_bit, popcount
from solver.cardsets import (CARDS, EACH_CLASS, UPPER_SHIFT, ends_of, fitting_cards, free_hosts, is_rigid_dead,
                             next_cards, safe_cards, twins_of)
from solver.deadends import is_stuck
from solver.moves import FOUNDATION, WASTE, encode_move, move_code, move_target
from solver.packed import (CLASSES, COVER, DRAW, PASSES, PRUNINGS, RANKS, UNIT, UNIT_SUFFIX, UNIT_TOP_OR_PILE,
                           borrow_game, has_redeal)
from solver.prunings import RIGID_PILES, RIGID_SAFE, SAFE_FOUNDATION, SAFE_WASTE, STUCK_RESERVE
from solver.relaxation import ACTIVE, borrow_relaxed, is_relaxed_dead, is_relaxed_full
from solver.rulesets import Rules
from solver.search import EXHAUSTED, GO_ON, NODES, SOLUTION_LENGTH, TABLE_FULL, TRUNCATED, WON
from solver.search import reason_to_stop
from solver.setsearch import (ON_HIGHER, ON_LOWER, deck_of, forced_move, generate_set_moves, is_blocked, is_doubtful,
                              settled_child, stock_to_play)
from solver.stages import (BLOCK, DEAD_STAGE, ENTRIES_USED, EXPANDED, HALF, LAID, LAYER, LEVEL, LEVELS, LISTED,
                           LOCAL_ENTRIES, LOCAL_SIZE, LOW_HALF, NOTHING, ORIGINS, ROW_BOTTOMS, ROW_HIGHER, ROW_ORIGIN,
                           ROW_STOCK, ROW_TABLEAU, ROW_WASTE, ROWS, STAGE, STAGE_ARRIVED, STAGE_LINKS, STAGE_UP, STAGES,
                           arrive, borrow_sets, borrow_stages, enlarge_local, enter, local_table, next_of, pass_of,
                           put_in_layer, sibling_of, stage_for, take_stage, write_row)

STAGES_FULL, ROWS_FULL = 100, 101
MOST_SET_MOVES, MOST_SIBLINGS = 512, 2  # of a row; expanded at once


def has_levels(rules: Rules) -> bool:
    """Do all moves that change the stage lead to a later one under this rule set?"""
    return rules.fill == "auto" and not rules.foundation_return


@inlined
def union_of(codes, sets):
    """The union of what ``sets``, uint64[64], has for these codes (a set of cards, or of classes)."""
    union = ZERO
    while codes:
        union |= sets[lowest_bit(codes)]
        codes &= codes - ONE
    return union


@inlined
def is_top(number, stock_size, draw):
    """Does the stock card with ``number`` cards before it come to the top when a pass begins?"""
    if number == stock_size - 1:
        return True
    if draw == 3:  # a constant divides fast
        return U(number + 1) % U(3) == ZERO
    return (number + 1) % draw == 0


@inlined
def play_stock_cards(own, number_of_own, up_word, low, high, played, table, memory, sets, status, game, moves):
    """Enter the positions after each laying of a stock card; write the other plays of stock cards into ``moves``.
    Returns how many those are, the stock cards played from the position's rows so far, and whether no other moves are
    to be tried.

    For stages with cards in the reserve, where there are no spaces. A card that is safe to go up is not laid, for it
    would go up at once: that play is the same. played: without a limit on passes what can be played from one sibling
    need not be played from another.
    """
    spec, rows = game.spec, memory.rows
    last, deck, unlimited = U(4 * (spec[RANKS] - 1)), deck_of(spec), spec[PASSES] == 0
    up = up_word & CARDS
    stock_word, tableau, higher = rows[own, ROW_STOCK], rows[own, ROW_TABLEAU], rows[own, ROW_HIGHER]
    bottoms, at_pass = rows[own, ROW_BOTTOMS], pass_of(rows, own)
    stock, redeal = stock_word & CARDS, has_redeal(at_pass, spec)
    stock_size = popcount(stock)
    turned = popcount(stock & ((ONE << (stock_word >> UPPER_SHIFT)) - ONE))
    goes_up = next_cards(up, deck)
    safe = goes_up & safe_cards(up, last, spec[COVER]) if spec[PRUNINGS] & SAFE_FOUNDATION else ZERO
    onto_low, onto_high = union_of(low, sets.guests), union_of(high, sets.guests)
    rising = union_of(goes_up, sets.places)
    count = I(0)
    left, only = stock & (onto_low | onto_high | rising) & ~played, False
    if spec[PRUNINGS] & SAFE_WASTE:
        now, next_pass, only = stock_to_play(up_word, stock_word, tableau, bottoms, higher, at_pass, game)
        left &= now | next_pass
    while left:
        bit = left & (~left + ONE)
        left ^= bit
        number = popcount(stock & (bit - ONE))
        later = False
        if number != turned - 1 and not (number >= turned and is_top(number - turned, stock_size - turned, spec[DRAW])):
            later = True
            if not redeal or not is_top(number, stock_size, spec[DRAW]):
                continue
        if unlimited:
            played |= bit
        index = U(lowest_bit(bit))
        code = U(game.stock[index])
        card = ONE << code
        if rising & bit:
            moves[count] = waste_move(index, code, FOUNDATION, later)
            count += 1
        if safe & card or only:
            continue
        child_stock = (stock & ~bit) | (index << UPPER_SHIFT)
        child_pass = at_pass + ONE if later and not unlimited else at_pass
        for place in (ON_LOWER, ON_HIGHER):
            if bit & (onto_high if place == ON_HIGHER else onto_low) == ZERO:
                continue
            child_higher = higher | card if place == ON_HIGHER else higher
            move = waste_move(index, code, place, later)
            if spec[PRUNINGS] & RIGID_SAFE and forced_move(up_word, tableau | card, bottoms, child_higher, game):
                moves[count] = move
                count += 1
                continue
            if spec[PRUNINGS] & RIGID_PILES and is_rigid_dead(up, tableau | card, bottoms, child_higher, last, deck):
                continue
            row = enter(child_stock, child_higher, ZERO, child_pass, LAID, table, memory, status, spec)
            if row >= 0:
                write_row(row, child_stock, tableau | card, child_higher, bottoms, move, number_of_own, rows)
    return count, played, only


@inlined
def waste_move(index, code, target, later):
    """The word of a play from the waste; later: whether it takes the next pass."""
    return encode_move(I(code), I(1), WASTE, target) | index << U(23) | (ONE << U(31) if later else ZERO)


@inlined
def moves_within_stage(spec):
    """May cards move within the tableau and stay in the stage while the reserve holds cards?"""
    return spec[UNIT] == UNIT_TOP_OR_PILE or spec[UNIT] == UNIT_SUFFIX and spec[CLASSES] == 0


@inlined
def may_move(movable, rising, tableau, low, high, spec):
    """May a card of the set ``movable`` be built on a free host, or one of ``rising`` go up, from where they are?"""
    last = U(4 * (spec[RANKS] - 1))
    return movable & fitting_cards(low | high, last, spec[COVER]) | rising & (
        movable | ends_of(low, high, tableau, spec[CLASSES])) != ZERO


@inlined
def generate_other_moves(own, up_word, low, high, rows, game, moves):
    """Write the moves worth trying that are no plays from the waste; for stages with cards in the reserve."""
    spec = game.spec
    tableau, higher, bottoms = rows[own, ROW_TABLEAU], rows[own, ROW_HIGHER], rows[own, ROW_BOTTOMS]
    movable = bottoms | ONE << U(game.reserve[I(up_word >> UPPER_SHIFT) - 1])
    goes_up = next_cards(up_word & CARDS, deck_of(spec))
    laid = rows[own, ROW_WASTE] & LAID != ZERO
    card, place = ZERO, I(0)
    if laid:  # see the head of this file
        card = ONE << U(move_code(rows[own, ROW_ORIGIN] >> HALF))
        place = I(ON_LOWER if spec[CLASSES] or card & EACH_CLASS else ON_HIGHER)
        low, high = (card | card >> U(2)) & EACH_CLASS, ZERO
        goes_up &= twins_of(card) if spec[CLASSES] else ZERO
    if not moves_within_stage(spec) and not may_move(movable, goes_up, tableau, low, high, spec):
        return I(0)
    count = generate_set_moves(up_word, rows[own, ROW_STOCK], tableau, bottoms, higher, pass_of(rows, own), FALSE, game,
                               moves)
    if not laid:
        return count
    kept = I(0)
    on_card = fitting_cards(low, U(4 * (spec[RANKS] - 1)), spec[COVER])
    for number in range(count):
        move = moves[number]
        bit, target = ONE << U(move_code(move)), move_target(move)
        if target == FOUNDATION:
            keeps = bit & goes_up != ZERO
        else:
            keeps = bit & on_card != ZERO and target == place or bit & tableau & ~bottoms != ZERO
        if keeps:
            moves[kept] = move
            kept += 1
    return kept


@kernel
def search_levels(memory, sets, status, game, relaxed, moves):
    """Sweep on until something has to be done outside: the outcomes of search.search_slice, STACK_FULL where blocks or
    origins are used up, TABLE_FULL where the tables are too small for the stage in hand; or STAGES_FULL or ROWS_FULL,
    where there are too few of them.

    memory, sets: see stages.py; status: int64[SWEEP_STATUS_LENGTH]. On WON, status SOLUTION_LENGTH is the number of the
    won position.
    """
    memory, sets, game, relaxed = borrow_stages(memory), borrow_sets(sets), borrow_game(game), borrow_relaxed(relaxed)
    status, moves = borrow(status), borrow(moves)
    stages, levels, layers, most = memory.stages, memory.levels, memory.layers, I(MOST_SIBLINGS * MOST_SET_MOVES)
    while True:
        has_room = (status[ENTRIES_USED] + BLOCK * most <= len(memory.arrivals)
                    and status[ORIGINS] + most <= len(memory.origins))
        stop = reason_to_stop(status, status[NODES], I(0), memory.first, has_room, is_relaxed_full(relaxed))
        if stop != GO_ON:
            return stop
        if status[STAGES] + most > len(stages):
            return I(STAGES_FULL)
        if status[ROWS] + most > len(memory.rows):
            return I(ROWS_FULL)
        if status[LOCAL_ENTRIES] * 2 > status[LOCAL_SIZE] and not enlarge_local(memory, status):
            return I(TABLE_FULL)
        while status[LAYER] >= 0 and layers[status[LAYER]] == NOTHING:
            status[LAYER] -= 1
        if status[LAYER] < 0:
            while status[LEVEL] < LEVELS and levels[status[LEVEL]] == NOTHING:
                status[LEVEL] += 1
            if status[LEVEL] == LEVELS:
                return I(EXHAUSTED)
            stage = levels[status[LEVEL]]
            if I(stages[stage, STAGE_ARRIVED]) + most > len(memory.rows):
                return I(ROWS_FULL)
            if not take_stage(stage, memory, sets, relaxed, status, game.spec):
                return I(TABLE_FULL)
            levels[status[LEVEL]] = I(stages[stage, STAGE_LINKS] & LOW_HALF)
            continue
        head = layers[status[LAYER]]
        layers[status[LAYER]] = next_of(memory.rows, head)
        memory.rows[head, ROW_WASTE] &= ~LISTED
        if expand_siblings(head, local_table(memory, status), memory, sets, status, game, relaxed, moves):
            return I(WON)


@inlined
def note_origin(origin, memory, status):
    """Number a position, whose move and position before it are to be remembered."""
    number = status[ORIGINS]
    status[ORIGINS] += 1
    memory.origins[number] = origin
    return number


@inlined
def expand_siblings(head, table, memory, sets, status, game, relaxed, moves):
    """Expand the rows of a position, some of them later if there are many; True when a win is found."""
    spec, rows = game.spec, memory.rows
    up_word, tableau, bottoms = memory.stages[status[STAGE], STAGE_UP], rows[head, ROW_TABLEAU], rows[head, ROW_BOTTOMS]
    low, high = free_hosts(tableau, bottoms, rows[head, ROW_HIGHER], U(4 * (spec[RANKS] - 1)), spec[CLASSES])
    if is_doubtful(tableau, bottoms, spec):
        status[TRUNCATED] |= 1
    tests, played, done, own = spec[PRUNINGS] & STUCK_RESERVE != 0, ZERO, I(0), head
    while own != NOTHING:
        if rows[own, ROW_WASTE] & EXPANDED == ZERO:
            if done == MOST_SIBLINGS:
                put_in_layer(head, rows[head, ROW_STOCK], rows, memory.layers)
                break
            rows[own, ROW_WASTE] |= EXPANDED
            if tests and is_stuck(up_word, rows[own, ROW_STOCK], tableau, bottoms, rows[own, ROW_HIGHER],
                                  pass_of(rows, own), game, relaxed.sets):
                own = sibling_of(rows, own)
                continue
            tests = tests and not has_redeal(pass_of(rows, own), spec)  # with one, the waste makes no difference
            status[NODES] += done == 0
            done += 1
            number = note_origin(rows[own, ROW_ORIGIN], memory, status)
            count = I(0)
            if up_word >> UPPER_SHIFT:
                count, played, only = play_stock_cards(own, number, up_word, low, high, played, table, memory, sets,
                                                       status, game, moves)
                if not only:
                    count += generate_other_moves(own, up_word, low, high, rows, game, moves[count:])
            else:
                count = generate_set_moves(up_word, rows[own, ROW_STOCK], tableau, bottoms, rows[own, ROW_HIGHER],
                                           pass_of(rows, own), TRUE, game, moves)
            if play_moves(own, number, count, up_word, table, memory, status, game, relaxed, moves):
                return True
        own = sibling_of(rows, own)
    return False


@inlined
def play_moves(own, number_of_own, count, up_word, table, memory, status, game, relaxed, moves):
    """Enter the positions after these moves from a row, or let them arrive; True when one is won."""
    spec, rows = game.spec, memory.rows
    last = U(4 * (spec[RANKS] - 1))
    told = relaxed.numbers[ACTIVE] != 0 and tells_covers(spec)  # a stage was judged without its positions' covers
    stock_word, tableau, higher = rows[own, ROW_STOCK], rows[own, ROW_TABLEAU], rows[own, ROW_HIGHER]
    bottoms, at_pass = rows[own, ROW_BOTTOMS], pass_of(rows, own)
    for number in range(count):
        move = moves[number]
        child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass = settled_child(
            up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
        if child_up == deck_of(spec):
            status[SOLUTION_LENGTH] = note_origin(move << HALF | U(number_of_own), memory, status)
            return True
        stage = status[STAGE]
        if child_up != up_word:
            stage = stage_for(child_up, child_bottoms, child_pass, game, relaxed, memory, status)
            if memory.stages[stage, STAGE_ARRIVED] == DEAD_STAGE:
                continue
        if is_blocked(child_up, child_tableau, child_bottoms, child_higher, move, game):
            continue
        if told and actual_covers(child_tableau, child_bottoms, child_higher, last) and is_relaxed_dead(
                child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass, game, relaxed):
            continue
        if child_up != up_word:
            arrive(stage, child_stock, child_higher, child_bottoms, child_pass, move, number_of_own, memory, status)
            continue
        key_bottoms = ZERO if up_word >> UPPER_SHIFT else child_bottoms
        row = enter(child_stock, child_higher, key_bottoms, child_pass, ZERO, table, memory, status, spec)
        if row >= 0:
            write_row(row, child_stock, child_tableau, child_higher, child_bottoms, move, number_of_own, rows)
    return False
