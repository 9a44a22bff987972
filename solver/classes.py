"""The class game: the suffix game without piles, for one deck built down in alternate colours.

Where any part of a pile may move, it does not matter which of two *twins* (same rank, same colour) a card lies on: while
one of them is free, what lies on the other can be moved over; and when both are covered, whichever is uncovered first
serves as well. So a position needs only two sets: the cards on the tableau, and those of them that lie at the bottom of
a pile. All others are *attached* to a card of the class (rank above, other colour), whichever it is, and

    a class has a free host  <=>  it has more cards on the tableau than cards attached to it.

Claim: two positions with the same sets, foundations, reserve and stock are equally far from a win, counting the moves
between twins as nothing. Proof, move by move, from S to S' with the same sets: (a) a card c without cover in S goes
up: if c is covered in S', then its twin is free there (the counts agree), the cover moves over, c goes up. (b) A card or
a whole pile is laid on a free host in S: S' has a free host of the class as well. (c) A part moves from twin to twin:
nothing changes. (d) A card or part goes to a space: the same in S'. In each case the sets agree again.

Condition: the host of (a) and (b) must not lie in the moving unit itself. A unit that holds it is a run that passes
through every rank and comes round to the same rank again: with an odd number of ranks it holds every
(rank, colour) class there is, with an even number every class of its own parity (rank + colour). It takes covered
base cards. A search that meets a set of cards so complete says so (:func:`may_wind`) and then never claims
"unwinnable".

State words: 0 foundations, 1 counters, 2 stock set (see packed.py), 3 the tableau set, 4 the set of bottoms with bit 63
set as a mark (so that the two sets never share a hash). Sets have bit c for code c = 4 * relative rank + suit. In moves,
place 0 is "on a free host" or "from the tableau", place 1 a space.
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit, popcount
from solver.moves import (FOUNDATION, RESERVE, WASTE, encode_move, move_code, move_source, move_target,
                          raise_foundation, take_from_waste, waste_tops)
from solver.packed import (ANY_SPACE, BYTE, CLASSES, COVER, FIRST_PILE, FREE_FILL, PILE_WORDS, PILES, RANKS, RETURNS,
                           WIDTH, Game, card_code, next_up, pack_game)
from solver.position import Position
from solver.rulesets import Rules

ATTACHED, SPACE = 0, 1  # places of class moves
TABLEAU, BOTTOMS = 3, 4  # state words
MARK = ONE << U(63)
EACH_CLASS = U(0x3333333333333)  # the two colours of all 13 ranks
BLACKS = U(0x1111111111111)
REDS = U(0x2222222222222)


@inlined
def swap_colours(classes):
    """Class bits with the colours exchanged."""
    return ((classes & BLACKS) << ONE) | ((classes & REDS) >> ONE)


@inlined
def free_classes(tableau, bottoms, spec):
    """Bits (nibble a rank; 1 black, 2 red) of the classes with a free host."""
    attached = tableau & ~bottoms
    some_hosts, two_hosts = (tableau | tableau >> U(2)) & EACH_CLASS, (tableau & tableau >> U(2)) & EACH_CLASS
    some, two = (attached | attached >> U(2)) & EACH_CLASS, (attached & attached >> U(2)) & EACH_CLASS
    last = U(4 * (spec[RANKS] - 1))
    some, two = swap_colours((some << U(4)) | (some >> last)), swap_colours((two << U(4)) | (two >> last))
    return ((some_hosts & ~some) | (two_hosts & ~two)) & EACH_CLASS


@inlined
def fitting_cards(free, spec):
    """Mask of the codes that fit on the free classes."""
    last = U(4 * (spec[RANKS] - 1))
    classes = free >> U(4)
    if spec[COVER]:
        classes |= (free & U(3)) << last
    classes = swap_colours(classes)
    return classes | classes << U(2)


@inlined
def may_wind(tableau, spec):
    """Could a run wind round to its own first rank (see the module's condition)?"""
    if spec[COVER] == 0:
        return False
    ranks = spec[RANKS]
    present = (tableau | tableau >> U(2)) & EACH_CLASS
    every = EACH_CLASS & ((ONE << U(4 * ranks)) - ONE)
    if ranks & 1:
        return present == every
    even = U(0x1212121212121) & every
    odd = U(0x2121212121212) & every
    return present & even == even or present & odd == odd


@inlined
def add_set_moves(cards, source, target, moves, count):
    """Append a move of each card of a set from one place to another."""
    while cards:
        moves[count] = encode_move(lowest_bit(cards), 1, source, target)
        count += 1
        cards &= cards - ONE
    return count


def has_classes(rules: Rules) -> bool:
    """Does the class game stand for this rule set?"""
    return rules.decks == 1 and rules.build == "alternate" and rules.unit == "suffix"


def pack_classes(position: Position, rules: Rules, prunings: int = 0) -> tuple[Game, np.ndarray]:
    """As :func:`packed.pack_game`, for the class game: rule numbers, and the state words described above."""
    game, piles = pack_game(position, rules, prunings)
    spec = game.spec
    spec[CLASSES], spec[FIRST_PILE], spec[PILE_WORDS], spec[WIDTH] = 1, TABLEAU, 2, BOTTOMS + 1
    state = np.zeros(BOTTOMS + 1, np.uint64)
    state[:TABLEAU] = piles[:TABLEAU]
    on_tableau, bottoms = 0, int(MARK)
    for pile in position.tableau:
        codes = [card_code(card, position.base, rules.ranks) for card in pile]
        on_tableau |= sum(1 << code for code in codes)
        bottoms |= sum(1 << code for code in codes[:1])
    state[TABLEAU], state[BOTTOMS] = U(on_tableau), U(bottoms)
    return game, state


@inlined
def generate_class_moves(state, game, moves, tops):
    """Write every move of the class game into ``moves``; returns how many. ``tops`` is scratch, uint64[256]."""
    spec = game.spec
    tableau, bottoms = state[TABLEAU], state[BOTTOMS] & ~MARK
    free = free_classes(tableau, bottoms, spec)
    fits = fitting_cards(free, spec)
    goes_up = next_up(state[0], spec)
    reserve_left = I(state[1] & BYTE)
    space = popcount(bottoms) < spec[PILES] and (spec[FREE_FILL] != 0 or reserve_left == 0)
    any_space = space and spec[ANY_SPACE] != 0
    count = I(0)
    if reserve_left:
        code = I(game.reserve[reserve_left - 1])
        count = add_card_choices(code, RESERVE, goes_up, fits, any_space, moves, count, ZERO)
    count = add_set_moves(tableau & goes_up & (free | free << U(2)), ATTACHED, FOUNDATION, moves, count)
    count = add_set_moves(bottoms & fits, ATTACHED, ATTACHED, moves, count)
    for entry in range(waste_tops(state, spec, tops)):
        code = I(game.stock[I(tops[entry] & BYTE)])
        count = add_card_choices(code, WASTE, goes_up, fits, space, moves, count, tops[entry] << U(23))
    if any_space:
        count = add_set_moves(tableau & ~bottoms, ATTACHED, SPACE, moves, count)
    if spec[RETURNS]:
        for suit in range(4):
            height = I((state[0] >> U(16 * suit)) & U(15))
            if height > 0:
                code = 4 * (height - 1) + suit
                count = add_card_choices(code, FOUNDATION, ZERO, fits, any_space, moves, count, ZERO)
    return count


@inlined
def add_card_choices(code, source, goes_up, fits, space, moves, count, tail):
    """Append the moves of one card from outside the tableau: up, on a free host, into a space."""
    if (goes_up >> U(code)) & ONE:
        moves[count] = encode_move(code, 1, source, FOUNDATION) | tail
        count += 1
    if (fits >> U(code)) & ONE:
        moves[count] = encode_move(code, 1, source, ATTACHED) | tail
        count += 1
    if space:
        moves[count] = encode_move(code, 1, source, SPACE) | tail
        count += 1
    return count


@inlined
def play_class_move(result, move, game):
    """Play ``move`` on the state ``result``, in place."""
    spec = game.spec
    code, source, target = move_code(move), move_source(move), move_target(move)
    card = ONE << U(code)
    if source == RESERVE:
        result[1] -= ONE
    elif source == WASTE:
        take_from_waste(result, move, spec)
    elif source == FOUNDATION:
        result[0] -= ONE << U(16 * (code & 3))
    else:
        result[TABLEAU] &= ~card
        if result[BOTTOMS] & card:
            result[BOTTOMS] &= ~card
            fill_space(result, game)
    if target == FOUNDATION:
        result[0] = raise_foundation(result[0], code)
        return
    result[TABLEAU] |= card
    if target == SPACE:
        result[BOTTOMS] |= card


@inlined
def fill_space(state, game):
    """Lay the reserve's top card into the pile just emptied, where the rule set does so."""
    if game.spec[FREE_FILL] == 0 and state[1] & BYTE:
        card = ONE << U(game.reserve[I(state[1] & BYTE) - 1])
        state[1] -= ONE
        state[TABLEAU] |= card
        state[BOTTOMS] |= card
