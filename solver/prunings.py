"""Prunings: claims that let the search leave positions or moves out, each with its proof and its conditions.

The search is exact because every pruning keeps this promise: *from a winnable position with a shortest win of L
moves, some child that is kept has a win of fewer than L moves* (search.py says why that is enough). Each is switched
by one bit, is on only for the rule sets its conditions name, and is tested against brute force on small decks.
"""

from solver.bits import I, ONE, U, ZERO, inlined
from solver.cardsets import has_card_sets
from solver.moves import FOUNDATION, RESERVE, encode_move, raise_foundation
from solver.packed import (BYTE, COVER, DECKS, FIRST_PILE, FREE_FILL, PILES, PRUNINGS, RANKS, SUIT_BITS, card_under,
                           next_up, pile_length, pile_top, remove_unit, single_card_pile)
from solver.rulesets import Rules

SAFE_FOUNDATION = 1
RIGID_PILES = 2
ONE_SPACE = 4
CARD_SETS = 8  # play the set game instead of the pile game: see cardsets.py
DRAW_ONE = 16  # ask the draw-one relaxation: see relaxation.py
PARTS_TO_SPACES = 32  # see cardsets.parts_to_move
RIGID_SAFE = 64  # see cardsets.is_rigid_safe
STUCK_RESERVE = 128  # see deadends.py
DEFERRED = 256  # see deferred.py
SAFE_WASTE = 512  # see setsearch.stock_to_play
JAMS = 1024  # see jams.py
NAMES = {"safe-foundation": SAFE_FOUNDATION, "rigid-piles": RIGID_PILES, "one-space": ONE_SPACE,
         "card-sets": CARD_SETS, "draw-one": DRAW_ONE, "parts-to-spaces": PARTS_TO_SPACES, "rigid-safe": RIGID_SAFE,
         "stuck-reserve": STUCK_RESERVE, "deferred-laying": DEFERRED, "safe-waste": SAFE_WASTE, "jams": JAMS}


def prunings_for(rules: Rules) -> int:
    """The bits of all prunings whose conditions ``rules`` meets."""
    bits = ONE_SPACE
    if not rules.foundation_return:
        bits |= SAFE_FOUNDATION
        if rules.unit == "pile" and rules.decks == 1:
            bits |= RIGID_PILES
    if not has_card_sets(rules) and rules.passes is not None and rules.fill == "auto" and not rules.foundation_return:
        bits |= JAMS
    if has_card_sets(rules):
        bits |= CARD_SETS
        if rules.unit == "suffix":
            bits |= PARTS_TO_SPACES
        if rules.unit == "pile" and not rules.foundation_return:
            bits |= RIGID_SAFE
        if rules.draw == 1 and not rules.foundation_return:
            bits |= SAFE_WASTE
    if has_card_sets(rules) and rules.fill == "auto" and not rules.foundation_return:
        bits |= DRAW_ONE | STUCK_RESERVE
        # The numbers are those that rows.py holds.
        has_times = rules.draw == 1 and (rules.passes or 1) * (rules.stock + 1) <= 4095
        parts = rules.unit == "suffix" and not rules.cover_base and rules.passes is None
        if (parts or rules.unit == "pile" and (has_times or rules.passes is None)) and rules.piles <= 4:
            bits |= DEFERRED
    return bits


@inlined
def is_safe_up(code, foundations, game):
    """May this card, next of its suit and last of a pile or top of the reserve, go up at once?

    Claim: a shortest win exists that starts with it, when nothing that could be built on it will need it:

    1. every card that may be built on x is on the foundations. Play any win with x up at once instead. Nothing is
       ever laid on x in it, so every other move stays possible: units without x stay units, and where x was alone in
       a pile, its place is taken by the reserve's next card (which then leaves from there) or is a space, to which
       the win does nothing that it could not do otherwise. Moves of x alone drop out.
    2. (alternate or any-suit building) each card c of rank r - 1 that may be built on x is up or next of its suit, and
       each card t of rank r - 2 that may be built on such a c is up or next. Where the win lays c on x, send c up,
       with any t on it before it; where it lays t on c, send t up. Nothing else is laid on c or t, for all of rank
       r - 3 that fits is up. With covered base cards the c and t must not be base cards, unless they are up: these
       could still be needed to carry cards of the last rank.

    Conditions: no foundation returns. With several decks every foundation of the suit must have reached x's rank, so
    that no equal card competes for the place. Waste cards are never forced: with draws over 1 playing one changes
    what comes up, and with limited passes reaching it costs.
    """
    spec = game.spec
    rank, suit = code >> 2, code & 3
    decks = spec[DECKS]
    least = lowest_heights(foundations, decks)
    if I((least >> U(4 * suit)) & U(15)) < rank:
        return False
    carried = game.carries[code]
    if carried == ZERO:
        return True
    if rank == 0:  # only last-rank cards can lie on it
        for other in range(4):
            fits = (carried >> U(4 * (spec[RANKS] - 1) + other)) & ONE
            if fits and I((least >> U(4 * other)) & U(15)) < spec[RANKS]:
                return False
        return True
    strict, loose = True, spec[SUIT_BITS] != 0
    for other in range(4):
        height = I((least >> U(4 * other)) & U(15))
        fits = (carried >> U(4 * (rank - 1) + other)) & ONE
        if fits:
            strict = strict and height >= rank
            loose = loose and height >= max(rank - 1, spec[COVER])
        elif other != suit:
            loose = loose and height >= max(rank - 2, spec[COVER])
    return strict or loose


@inlined
def lowest_heights(foundations, decks):
    """Four nibbles: for each suit the height of its lowest foundation."""
    least = ZERO
    for suit in range(4):
        least |= ((foundations >> U(16 * suit + 4 * (decks - 1))) & U(15)) << U(4 * suit)
    return least


@inlined
def settle(state, game, log):
    """Send up every card that is safe, again and again; writes the moves into ``log``, returns how many."""
    spec = game.spec
    count = I(0)
    if not spec[PRUNINGS] & SAFE_FOUNDATION:
        return count
    first = spec[FIRST_PILE]
    again = True
    while again:
        again = False
        goes_up = next_up(state[0], spec)
        for pile in range(spec[PILES]):
            word = state[first + pile]
            if word == ZERO:
                continue
            code = pile_top(word)
            if (goes_up >> U(code)) & ONE and is_safe_up(code, state[0], game):
                state[0] = raise_foundation(state[0], code)
                left = remove_unit(word, I(1), spec)
                if left == ZERO and spec[FREE_FILL] == 0 and state[1] & BYTE:
                    left = single_card_pile(I(game.reserve[I(state[1] & BYTE) - 1]), spec)
                    state[1] -= ONE
                state[first + pile] = left
                log[count] = encode_move(I(code), I(1), I(pile), FOUNDATION)
                count += 1
                again = True
                goes_up = next_up(state[0], spec)
        if state[1] & BYTE:
            code = I(game.reserve[I(state[1] & BYTE) - 1])
            if (goes_up >> U(code)) & ONE and is_safe_up(code, state[0], game):
                state[0] = raise_foundation(state[0], code)
                state[1] -= ONE
                log[count] = encode_move(code, I(1), RESERVE, FOUNDATION)
                count += 1
                again = True
    return count


@inlined
def is_rigid_dead(state, game):
    """Is a position lost because its piles and suits block each other?

    Claim: where only whole piles move and nothing returns, a card leaves its pile only by going up, so every card
    above it goes up before it, for ever. Give the player every card that is in no pile: whenever the next card of a
    suit is free or last in its pile, it can go up, and doing so blocks nothing. If this playout stops short, some
    cards wait for each other in a circle and the position is lost. One deck (copies would make "the next" ambiguous).
    """
    spec = game.spec
    first = spec[FIRST_PILE]
    buried = ZERO
    for pile in range(spec[PILES]):
        word = state[first + pile]
        for depth in range(1, pile_length(word)):
            buried |= ONE << U(card_under(word, I(depth), spec))
    if buried == ZERO:
        return False
    heights = state[0]
    again = True
    while again and buried:
        again = False
        for suit in range(4):
            height = I((heights >> U(16 * suit)) & U(15))
            while height < spec[RANKS] and not (buried >> U(4 * height + suit)) & ONE:
                height += 1
                again = True
            heights = (heights & ~(U(15) << U(16 * suit))) | (U(height) << U(16 * suit))
        if again:
            buried = buried_under(state, heights, spec)
    return buried != ZERO


@inlined
def buried_under(state, heights, spec):
    """Mask of the cards in piles that have a card above them which is not up at these foundation heights."""
    first = spec[FIRST_PILE]
    buried = ZERO
    for pile in range(spec[PILES]):
        word = state[first + pile]
        covered = False
        for depth in range(pile_length(word)):
            code = card_under(word, I(depth), spec)
            if covered:
                buried |= ONE << U(code)
            elif code >> 2 >= I((heights >> U(16 * (code & 3))) & U(15)):
                covered = True
    return buried
