"""The search of the set game: as search.py, with the position in registers.

The loop, its promises and its order of trying are those of search.py; only the position is another one
(cardsets.py), so that a node costs some hundred instructions. A row of the stack is the state's words, the last of
them holding ``pass | depth << 8 | move << 32``.
"""

from solver.bits import FALSE, I, ONE, TRUE, U, ZERO, borrow, inlined, kernel, leading_zeros, lowest_bit, mix, popcount
from solver.cardsets import (BOTTOMS, CARDS, EACH_CLASS, HIGHER, ON_HIGHER, ON_LOWER, PASS, STOCK, TABLEAU, TO_SPACE,
                             UP, UPPER_SHIFT, ends_of, fitting_cards, free_hosts, is_rigid_dead, is_rigid_safe,
                             next_cards, parts_to_move, safe_cards, unit_of, waste_class, waste_tops, winding_cards)
from solver.deadends import is_stuck
from solver.moves import FOUNDATION, MOST_MOVES, RESERVE, WASTE, encode_move, move_code, move_source
from solver.moves import move_stock_index, move_target
from solver.packed import (ANY_SPACE, CLASSES, COVER, DRAW, FREE_FILL, PASSES, PILES, PRUNINGS, RANKS, RETURNS, UNIT,
                           UNIT_PILE, UNIT_SUFFIX, UNIT_TOP_OR_PILE, borrow_game, has_redeal)
from solver.prunings import PARTS_TO_SPACES, RIGID_PILES, RIGID_SAFE, SAFE_FOUNDATION, SAFE_WASTE, STUCK_RESERVE
from solver.relaxation import ACTIVE, borrow_relaxed, is_relaxed_dead, is_relaxed_full
from solver.search import (ENTRIES, EXHAUSTED, GO_ON, NODES, SOLUTION_LENGTH, STACK_TOP, TRUNCATED, WON,
                           reason_to_stop)
from solver.table import ADDED, SALT, SEEN, visit_key

BYTE = U(255)
DEPTH_SHIFT, DEPTH_MASK = U(8), U(0xFFFFFF)
MOVE_SHIFT = U(32)


@inlined
def deck_of(spec):
    """The set of all cards."""
    return (ONE << U(4 * spec[RANKS])) - ONE


@inlined
def add_moves(cards, source, target, moves, count):
    """Append a move of each card of a set from one place to another."""
    while cards:
        moves[count] = encode_move(lowest_bit(cards), I(1), source, target)
        count += 1
        cards &= cards - ONE
    return count


@inlined
def add_card(code, source, lower, upper, space, tail, moves, count):
    """Append the moves of one card from outside the tableau onto it."""
    if space:
        moves[count] = encode_move(code, I(1), source, TO_SPACE) | tail
        count += 1
    if (upper >> U(code)) & ONE:
        moves[count] = encode_move(code, I(1), source, ON_HIGHER) | tail
        count += 1
    if (lower >> U(code)) & ONE:
        moves[count] = encode_move(code, I(1), source, ON_LOWER) | tail
        count += 1
    return count


@inlined
def generate_set_moves(up_word, stock_word, tableau, bottoms, higher, at_pass, with_waste, game, moves):
    """Write every move worth trying into ``moves``, the best last; returns how many.

    with_waste: False leaves out the plays from the waste.
    """
    spec = game.spec
    last = U(4 * (spec[RANKS] - 1))
    suffix = spec[UNIT] == UNIT_SUFFIX
    up, left = up_word & CARDS, I(up_word >> UPPER_SHIFT)
    low, high = free_hosts(tableau, bottoms, higher, last, spec[CLASSES])
    ends = ends_of(low, high, tableau, spec[CLASSES])
    lower, upper = fitting_cards(low, last, spec[COVER]), fitting_cards(high, last, spec[COVER])
    goes_up = next_cards(up, deck_of(spec))
    space = popcount(bottoms) < spec[PILES] and (spec[FREE_FILL] != 0 or left == 0)
    any_space = space and spec[ANY_SPACE] != 0
    attached = tableau & ~bottoms
    count = I(0)
    now, later = ZERO, ZERO
    if with_waste:
        now, later, only = stock_to_play(up_word, stock_word, tableau, bottoms, higher, at_pass, game)
        if only:
            return add_waste_moves(now, later, goes_up, ZERO, ZERO, FALSE, game, moves, count)
    if spec[RETURNS]:
        tops = up & ~(up >> U(4))
        while tops:
            count = add_card(lowest_bit(tops), FOUNDATION, lower, upper, any_space, ZERO, moves, count)
            tops &= tops - ONE
    if any_space and spec[UNIT] != UNIT_PILE:
        parts = attached if suffix else attached & ends
        if spec[CLASSES] and spec[PRUNINGS] & PARTS_TO_SPACES and may_wind(tableau, bottoms, spec) == ZERO:
            parts = parts_to_move(goes_up, low, tableau, bottoms, last)
        count = add_moves(parts, ON_LOWER, TO_SPACE, moves, count)
    if with_waste:
        count = add_waste_moves(now, later, goes_up, lower, upper, space, game, moves, count)
    parts = ZERO  # what may change over to the other twin
    if suffix and spec[CLASSES] == 0:
        parts = attached
    elif spec[UNIT] == UNIT_TOP_OR_PILE:
        parts = attached & ends
    onto_lower, onto_higher = (bottoms | (parts & higher)) & lower, (bottoms | (parts & ~higher)) & upper
    count = add_units(onto_lower, onto_higher, tableau, bottoms, higher, low, high, spec, moves, count)
    if left:
        code = I(game.reserve[left - 1])
        count = add_card(code, RESERVE, lower, upper, any_space, ZERO, moves, count)
        if (goes_up >> U(code)) & ONE:
            moves[count] = encode_move(code, I(1), RESERVE, FOUNDATION)
            count += 1
    return add_moves(ends & goes_up, ON_LOWER, FOUNDATION, moves, count)


@inlined
def may_wind(tableau, bottoms, spec):
    """cardsets.winding_cards, where base cards can be covered at all."""
    return winding_cards(tableau, bottoms, deck_of(spec), spec[RANKS] & 1) if spec[COVER] else ZERO


@inlined
def add_units(onto_lower, onto_higher, tableau, bottoms, higher, low, high, spec, moves, count):
    """Append the moves of whole piles and parts onto free hosts, but for hosts in the unit itself (see cardsets.py)."""
    winding = may_wind(tableau, bottoms, spec) & (onto_lower | onto_higher)
    count = add_moves(onto_higher & ~winding, ON_LOWER, ON_HIGHER, moves, count)
    count = add_moves(onto_lower & ~winding, ON_LOWER, ON_LOWER, moves, count)
    if winding and spec[CLASSES] == 0:
        last = U(4 * (spec[RANKS] - 1))
        while winding:
            card = winding & (~winding + ONE)
            winding ^= card
            unit = unit_of(card, tableau, bottoms, higher, last, spec[COVER])
            if card & onto_higher & fitting_cards(high & ~(unit >> U(2)), last, spec[COVER]):
                count = add_moves(card, ON_LOWER, ON_HIGHER, moves, count)
            if card & onto_lower & fitting_cards(low & ~unit, last, spec[COVER]):
                count = add_moves(card, ON_LOWER, ON_LOWER, moves, count)
    return count


@inlined
def is_doubtful(tableau, bottoms, spec):
    """Were moves left out because the set game cannot tell whether they are legal?"""
    winding = may_wind(tableau, bottoms, spec)
    return spec[CLASSES] != 0 and winding & (winding >> U(2)) & EACH_CLASS != ZERO


@inlined
def stock_to_play(up_word, stock_word, tableau, bottoms, higher, at_pass, game):
    """(this pass, next pass, only): the stock cards that turning brings to the top and that are worth playing; only:
    there is one, to go up, and no other move of the position is worth trying.

    Claim: with a draw of one, a stock card x that would be safe to go up as a last card (prunings.is_safe_up,
    cardsets.is_rigid_safe) goes up when it is first turned, so that no play has to turn past it; and at once where no
    card is turned past on the way to it, or passes are not limited. For in any win x can go up then, with what is laid
    on it dealt with as for a last card: moves of x drop out, the place where the win had laid it stays free, and in the
    stock or the waste x stood in nobody's way, as every other card is turned as before. After x, the win is no longer
    than it was before. In particular, if the next card to be turned is x, the waste is what it was once x is up.

    Conditions: no returns; a draw of one, for otherwise other cards come to the top once x is gone.
    """
    spec = game.spec
    now, later = waste_tops(stock_word, spec[DRAW], has_redeal(at_pass, spec))
    if spec[PRUNINGS] & SAFE_WASTE == 0:
        return now, later, False
    safe = safe_stock_cards(up_word & CARDS, now | later, tableau, bottoms, higher, game)
    ahead = safe if spec[PASSES] == 0 else safe & now
    if ahead:
        first = ahead & (~ahead + ONE)
        unturned = stock_word & CARDS & ~((ONE << (stock_word >> UPPER_SHIFT)) - ONE)
        if spec[PASSES] == 0 or unturned & (first - ONE) == ZERO:
            return first & now, first & later, True
        return now & (first | first - ONE), ZERO, False
    if safe:
        later &= safe ^ (safe - ONE)
    return now, later, False


@inlined
def safe_stock_cards(up, tops, tableau, bottoms, higher, game):
    """Those of the stock cards ``tops``, by index, that are safe to go up."""
    spec = game.spec
    last, deck = U(4 * (spec[RANKS] - 1)), deck_of(spec)
    rising = next_cards(up, deck) & ~tableau
    safe, found = safe_cards(up, last, spec[COVER]), ZERO
    while tops:
        bit = tops & (~tops + ONE)
        tops ^= bit
        card = ONE << U(game.stock[lowest_bit(bit)])
        if card & rising and (card & safe or spec[PRUNINGS] & RIGID_SAFE and is_rigid_safe(
                card, up, tableau, bottoms, higher, last, spec[COVER], deck)):
            found |= bit
    return found


@inlined
def add_waste_moves(now, later, goes_up, lower, upper, space, game, moves, count):
    """Append the plays of these stock cards: first those onto the tableau, then those to the foundations."""
    for lap in range(1, -1, -1):  # pushed first, tried last: the next pass, and what takes most turns
        tops = later if lap else now
        while tops:
            index = I(63) - leading_zeros(tops)
            tops ^= ONE << U(index)
            code = I(game.stock[index])
            tail = (U(index) << U(23)) | (U(lap) << U(31))
            count = add_card(code, WASTE, lower, upper, space, tail, moves, count)
    for lap in range(1, -1, -1):
        tops = later if lap else now
        while tops:
            index = I(63) - leading_zeros(tops)
            tops ^= ONE << U(index)
            if (goes_up >> U(game.stock[index])) & ONE:
                tail = (U(index) << U(23)) | (U(lap) << U(31))
                moves[count] = encode_move(I(game.stock[index]), I(1), WASTE, FOUNDATION) | tail
                count += 1
    return count


@inlined
def play_set_move(up_word, stock_word, tableau, bottoms, higher, at_pass, move, game):
    """The words of the state after a move: (up word, stock word, tableau, bottoms, higher, pass)."""
    spec = game.spec
    source, target = move_source(move), move_target(move)
    card = ONE << U(move_code(move))
    if source == ON_LOWER:
        tableau &= ~card
        higher &= ~card
        if bottoms & card:
            bottoms &= ~card
            if spec[FREE_FILL] == 0 and up_word >> UPPER_SHIFT:
                up_word -= ONE << UPPER_SHIFT
                filled = ONE << U(game.reserve[I(up_word >> UPPER_SHIFT)])
                tableau |= filled
                bottoms |= filled
    elif source == RESERVE:
        up_word -= ONE << UPPER_SHIFT
    elif source == WASTE:
        index = U(move_stock_index(move))
        stock_word = (stock_word & CARDS & ~(ONE << index)) | (index << UPPER_SHIFT)
        if spec[PASSES]:
            at_pass += (move >> U(31)) & ONE
    else:
        up_word &= ~card
    if target == FOUNDATION:
        up_word |= card
    else:
        tableau |= card
        if target == TO_SPACE:
            bottoms |= card
        elif target == ON_HIGHER:
            higher |= card
    return up_word, stock_word, tableau, bottoms, higher, at_pass


@inlined
def forced_move(up_word, tableau, bottoms, higher, game):
    """The move of a card that is safe to go up (prunings.py), or 0 where there is none."""
    spec = game.spec
    last = U(4 * (spec[RANKS] - 1))
    up, left, deck = up_word & CARDS, I(up_word >> UPPER_SHIFT), deck_of(spec)
    rising = next_cards(up, deck)
    safe = rising & safe_cards(up, last, spec[COVER])
    if spec[PRUNINGS] & RIGID_SAFE == 0:
        rising = safe
    if spec[PRUNINGS] & SAFE_FOUNDATION == 0 or rising == ZERO:
        return ZERO
    low, high = free_hosts(tableau, bottoms, higher, last, spec[CLASSES])
    rising &= ends_of(low, high, tableau, spec[CLASSES]) | (ONE << U(game.reserve[left - 1]) if left else ZERO)
    while rising:
        card = rising & (~rising + ONE)
        rising ^= card
        if safe & card or is_rigid_safe(card, up, tableau, bottoms, higher, last, spec[COVER], deck):
            return encode_move(lowest_bit(card), I(1), ON_LOWER if tableau & card else RESERVE, FOUNDATION)
    return ZERO


@inlined
def settled_child(up_word, stock_word, tableau, bottoms, higher, at_pass, move, game):
    """The words of the state after a move and the forced moves that follow it."""
    while move:
        up_word, stock_word, tableau, bottoms, higher, at_pass = play_set_move(
            up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
        move = forced_move(up_word, tableau, bottoms, higher, game)
    return up_word, stock_word, tableau, bottoms, higher, at_pass


@inlined
def is_blocked(up_word, tableau, bottoms, higher, move, game):
    """Do the piles after ``move`` block each other (prunings.is_rigid_dead)? Only laying a card on one can do it."""
    spec = game.spec
    if spec[PRUNINGS] & RIGID_PILES == 0 or move_target(move) not in (ON_LOWER, ON_HIGHER):
        return False
    return is_rigid_dead(up_word & CARDS, tableau, bottoms, higher, U(4 * (spec[RANKS] - 1)), deck_of(spec))


@inlined
def is_lost(up_word, stock_word, tableau, bottoms, higher, at_pass, move, game, relaxed):
    """Is the state after ``move`` lost for a reason that needs no search of its own?"""
    if is_blocked(up_word, tableau, bottoms, higher, move, game):
        return True
    return relaxed.numbers[ACTIVE] != 0 and is_relaxed_dead(up_word, stock_word, tableau, bottoms, higher, at_pass,
                                                            game, relaxed)


@kernel
def step_state(state, move, game, log):
    """Play ``move`` (0: none) and the forced moves after it on ``state`` in place; notes the forced moves in ``log``
    and returns how many. For the root, and for turning a path into moves."""
    up_word, stock_word, tableau, bottoms, higher, at_pass = (state[UP], state[STOCK], state[TABLEAU], state[BOTTOMS],
                                                              state[HIGHER], state[PASS])
    count = I(-1)
    while True:
        if move:
            up_word, stock_word, tableau, bottoms, higher, at_pass = play_set_move(
                up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
        count += 1
        move = forced_move(up_word, tableau, bottoms, higher, game)
        if move == ZERO:
            break
        log[count] = move
    state[UP], state[STOCK], state[TABLEAU] = up_word, stock_word, tableau
    state[BOTTOMS], state[HIGHER], state[PASS] = bottoms, higher, at_pass
    return count


@kernel
def write_moves(state, path, game, log, words):
    """Write the moves of a path from ``state``, forced ones included, into ``words``; returns how many, and moves the
    state along. path: uint64, the first entry stands for the root."""
    count = I(0)
    for step in range(max(I(1), I(len(path)))):
        if step:
            words[count] = path[step]
            count += 1
        forced = step_state(state, path[step] if step else ZERO, game, log)
        words[count:count + forced] = log[:forced]
        count += forced
    return count


@inlined
def set_key(up_word, tableau, bottoms, higher):
    """The table key: everything but the waste; the stock set follows from the rest."""
    key = mix(up_word + SALT) + mix(tableau ^ (SALT << ONE)) + mix(bottoms * SALT) + mix(higher ^ (SALT >> ONE))
    return key | ONE


@kernel
def search_sets(stack, path, table, status, game, relaxed, moves):
    """As :func:`search.search_slice`, for states of cardsets.py."""
    stack, path, table, status, moves = borrow(stack), borrow(path), borrow(table), borrow(status), borrow(moves)
    game, relaxed = borrow_game(game), borrow_relaxed(relaxed)
    spec = game.spec
    deck, unlimited = deck_of(spec), spec[PASSES] == 0
    top, nodes, entries = status[STACK_TOP], status[NODES], status[ENTRIES]
    outcome = I(EXHAUSTED)
    while top > 0:
        tail = stack[top - 1, PASS]
        depth = I((tail >> DEPTH_SHIFT) & DEPTH_MASK)
        has_room = depth + 1 < len(path) and top + MOST_MOVES <= len(stack)
        stop = reason_to_stop(status, nodes, entries, table, has_room, is_relaxed_full(relaxed))
        if stop != GO_ON:
            outcome = stop
            break
        top -= 1
        up_word, stock_word, tableau = stack[top, UP], stack[top, STOCK], stack[top, TABLEAU]
        bottoms, higher, at_pass = stack[top, BOTTOMS], stack[top, HIGHER], tail & BYTE
        residue, stamp = waste_class(stock_word, at_pass, spec[DRAW], unlimited)
        met = visit_key(table, set_key(up_word, tableau, bottoms, higher), residue, stamp, unlimited)
        if met == SEEN:
            continue
        entries += met == ADDED
        if spec[PRUNINGS] & STUCK_RESERVE and is_stuck(up_word, stock_word, tableau, bottoms, higher, at_pass, game,
                                                       relaxed.sets):
            continue
        nodes += 1
        path[depth] = tail >> MOVE_SHIFT
        if is_doubtful(tableau, bottoms, spec):
            status[TRUNCATED] |= 1
        count = generate_set_moves(up_word, stock_word, tableau, bottoms, higher, at_pass, TRUE, game, moves)
        for index in range(count):
            move = moves[index]
            child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass = settled_child(
                up_word, stock_word, tableau, bottoms, higher, at_pass, move, game)
            if child_up == deck:
                path[depth + 1] = move
                status[SOLUTION_LENGTH], status[STACK_TOP] = depth + 2, top
                status[NODES], status[ENTRIES] = nodes, entries
                return I(WON)
            if is_lost(child_up, child_stock, child_tableau, child_bottoms, child_higher, child_pass, move, game,
                       relaxed):
                continue
            stack[top, UP], stack[top, STOCK], stack[top, TABLEAU] = child_up, child_stock, child_tableau
            stack[top, BOTTOMS], stack[top, HIGHER] = child_bottoms, child_higher
            stack[top, PASS] = child_pass | (U(depth + 1) << DEPTH_SHIFT) | (move << MOVE_SHIFT)
            top += 1
    status[STACK_TOP], status[NODES], status[ENTRIES] = top, nodes, entries
    return outcome
