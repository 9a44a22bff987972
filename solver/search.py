"""The search: depth-first over packed states with a transposition table, exact within a budget of nodes.

*Why skipping is safe, circles included.* Call the fewest moves from a position to a win its distance. Suppose the
search ends without a win, yet some position it expanded can be won; take one of least distance, L. By the promise of
prunings.py one of its kept children has distance below L. That child was either expanded, or skipped because one that
dominates it (no greater distance) had been entered in the table, and everything entered is expanded before the end.
Either way a position of distance below L was expanded: a contradiction. So "unwinnable" holds whatever circles the
game graph has, and whatever the table forgot in between.

A node is one position expanded. The kernel works in slices and keeps all it knows in arrays, so that it can stop at any
node (budget, a full stack, a table to be enlarged, Ctrl-C) and go on as if nothing had happened: the number of
nodes depends on the deal, the rules and the order of trying only.

A row of the stack is a state, then the move that led to it, then its depth.
"""

import numpy as np

from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel
from solver.jams import ROOM, is_jammed
from solver.moves import FOUNDATION, MOST_MOVES, RESERVE, WASTE, apply_move, generate_moves, is_won, move_count
from solver.moves import move_source, move_target
from solver.packed import FIRST_PILE, PRUNINGS, WIDTH, borrow_game, pile_length
from solver.prunings import JAMS, ONE_SPACE, RIGID_PILES, is_rigid_dead, settle
from solver.table import ADDED, SEEN, visit

# Indices of the search numbers (int64), the search's memory between slices.
STACK_TOP, NODES, NODE_LIMIT, ENTRIES, TRUNCATED, SOLUTION_LENGTH, LAST_QUEUE = range(7)
STAGE_NODES, FOLLOWED = range(7, 9)  # of beam.py alone
ASKED, JAMMED = range(9, 11)  # of is_lost alone
STATUS_LENGTH = 11

WON, EXHAUSTED, BUDGET_SPENT, STACK_FULL, TABLE_FULL, RELAXED_FULL = range(6)
GO_ON = -1

JAMS_ASKED, JAMS_WORTH = 1000, 4
"""Positions asked for jams in any case; then one of so many has to be jammed, or only one of so many is asked."""

# Kinds of moves, in the order in which they are tried unless a caller says otherwise.
KINDS = 9
PILE_UP, RESERVE_UP, RESERVE_DOWN, WHOLE_PILE, WASTE_UP, WASTE_DOWN, PART_OF_PILE, TO_SPACE, RETURN = range(KINDS)
DEFAULT_ORDER = np.arange(KINDS)


def new_scratch() -> tuple[np.ndarray, ...]:
    """Working space of a search: state, child, waste tops, forced moves, moves, places in the order (all uint64), and
    that of jams.py (int64)."""
    words = (np.empty(size, np.uint64) for size in (256, 256, 256, 256, MOST_MOVES, MOST_MOVES))
    return *words, np.empty(ROOM, np.int64)


@inlined
def reason_to_stop(status, nodes, entries, table, has_room, relaxed_full):
    """The outcome with which a slice has to end before the next node, or GO_ON.

    has_room: do all moves of a position still fit where open positions wait?
    """
    if nodes >= status[NODE_LIMIT]:
        return I(BUDGET_SPENT)
    if entries * 2 > len(table) >> 1:
        return I(TABLE_FULL)
    if relaxed_full:
        return I(RELAXED_FULL)
    return I(GO_ON) if has_room else I(STACK_FULL)


@inlined
def move_kind(move, state, spec):
    """Which of the KINDS a move is."""
    source, target = move_source(move), move_target(move)
    if source == FOUNDATION:
        return RETURN
    if target == FOUNDATION:
        if source == WASTE:
            return WASTE_UP
        return RESERVE_UP if source == RESERVE else PILE_UP
    if state[spec[FIRST_PILE] + target] == ZERO:
        return TO_SPACE
    if source == WASTE:
        return WASTE_DOWN
    if source == RESERVE:
        return RESERVE_DOWN
    return WHOLE_PILE if move_count(move) == pile_length(state[spec[FIRST_PILE] + source]) else PART_OF_PILE


@inlined
def is_kept(move, state, spec):
    """Is a move worth a child? Spaces are alike: of several the first one serves (promise: same distance, renamed)."""
    target = move_target(move)
    if target == FOUNDATION or not spec[PRUNINGS] & ONE_SPACE:
        return True
    first = spec[FIRST_PILE]
    if state[first + target] != ZERO:
        return True
    for pile in range(target):
        if state[first + pile] == ZERO:
            return False
    return True


@inlined
def is_dead(state, game):
    """Is a position lost for a reason that needs no search?"""
    return game.spec[PRUNINGS] & RIGID_PILES != 0 and is_rigid_dead(state, game)


@inlined
def is_lost(state, game, nodes, status, scratch):
    """Is a position lost for a reason that takes some time to find? Where hardly any position is, few are asked."""
    if game.spec[PRUNINGS] & JAMS == 0:
        return False
    if status[ASKED] > JAMS_ASKED + JAMS_WORTH * status[JAMMED] and nodes % JAMS_WORTH != 0:
        return False
    status[ASKED] += 1
    jammed = is_jammed(state, game, borrow(scratch[6]))
    status[JAMMED] += I(jammed)
    return jammed


@kernel
def search_slice(stack, path, table, status, place_in_order, game, scratch):
    """Search on until something has to be done outside; returns WON, EXHAUSTED, BUDGET_SPENT, STACK_FULL, TABLE_FULL.

    stack: uint64[rows, WIDTH + 2], the open positions, next one last; path: uint64[rows], moves from the root to the
    position in hand (forced moves left out: see settle); table: see table.py; status: int64[STATUS_LENGTH];
    place_in_order: int64[KINDS], for each kind of move when it is tried, 0 first. On WON, path holds
    ``status[SOLUTION_LENGTH]`` moves.
    """
    stack, path, table, status = borrow(stack), borrow(path), borrow(table), borrow(status)
    game = borrow_game(game)
    spec = game.spec
    width = spec[WIDTH]
    state, child, tops, log = borrow(scratch[0]), borrow(scratch[1]), borrow(scratch[2]), borrow(scratch[3])
    moves, places = borrow(scratch[4]), borrow(scratch[5])
    top = status[STACK_TOP]
    outcome = I(EXHAUSTED)
    while top > 0:
        depth = I(stack[top - 1, width + 1])
        has_room = depth + 1 < len(path) and top + MOST_MOVES <= len(stack)
        stop = reason_to_stop(status, status[NODES], status[ENTRIES], table, has_room, FALSE)
        if stop != GO_ON:
            outcome = stop
            break
        for word in range(width):
            state[word] = stack[top - 1, word]
        path[depth] = stack[top - 1, width]
        top -= 1
        met = visit(table, state, spec)
        if met == SEEN:
            continue
        if met == ADDED:
            status[ENTRIES] += 1
        status[NODES] += 1
        if is_lost(state, game, status[NODES], status, scratch):
            continue
        count = generate_moves(state, game, moves, tops)
        present = ZERO
        for index in range(count):
            places[index] = KINDS
            if is_kept(moves[index], state, spec):
                places[index] = place_in_order[move_kind(moves[index], state, spec)]
            present |= ONE << U(places[index])
        for place in range(KINDS - 1, -1, -1):
            if not (present >> U(place)) & ONE:
                continue
            for index in range(count - 1, -1, -1):
                if places[index] != place:
                    continue
                if not apply_move(state, moves[index], game, child):
                    status[TRUNCATED] |= 1
                    continue
                settle(child, game, log)
                if is_won(child, spec):
                    path[depth + 1] = moves[index]
                    status[SOLUTION_LENGTH] = depth + 2
                    status[STACK_TOP] = top
                    return I(WON)
                if is_dead(child, game):
                    continue
                for word in range(width):
                    stack[top, word] = child[word]
                stack[top, width], stack[top, width + 1] = moves[index], U(depth + 1)
                top += 1
    status[STACK_TOP] = top
    return outcome
