"""The front of the stock in deferred laying: its first cards, which are taken by the true rules of drawing.

Without a limit on passes deferred laying (deferred.py) has every stock card at hand at any time. For draws of more than
one card that is too easy, so of the first cards of the stock list, the *front*, none is deferred: each leaves the waste
by a change of its own, up, to an end, to a chain or to a space, and only where it may be at the top. What is left of
the front follows from the core. A row says besides how many cards of it lie in the waste, its *phase*.

Claim: where a card of the front is at the top of the waste in a play, and a row follows the play, it is among
:func:`tops_of_front`. Proof: a card of the front only leaves the stock by a change, so that the row has the same of
them left. Let the card be number p of these; as the front is the beginning of the list, it is number p of the stock,
too, whatever is gone of the rest. If nothing was played from the waste since it was turned over, p is a multiple of the
draw, or the whole stock was turned. If the card played last was of the front, the row knows how many cards it left in
the waste (the phase), and p is that or a multiple of the draw beyond, or the whole stock was turned. If it was a later
card, it lay on the front's last one, and p is the last. In this case, and where the whole stock was turned and p is its
last card, the first of the later cards has left the stock in the play, so that it is up or in the core, floats or may
lie in a tail, or in a space where there is one.

A phase that is a multiple of the draw says what every pass allows, and is written 0. Every row has 0 as well; so of
rows of one core (rows.py) one with this phase is dominated by those with any other.
"""

from solver.bits import I, ONE, U, ZERO, inlined, popcount
from solver.cardsets import CARDS, next_cards
from solver.cores import count_up, floating_cards, has_space, put_into_space
from solver.packed import DRAW
from solver.rows import NO_END, note_core
from solver.setsearch import deck_of
from solver.stages import cards_of, indices_of


@inlined
def left_in_front(core, room):
    """The cards of the front that are in the stock, as a set of cards."""
    return room.front & ~(core[0] | core[1])


@inlined
def tops_of_front(core, event, count, sets, game, room):
    """The cards of the front that may come to the top of the waste at this event, as a set of cards."""
    rest, place, tops = indices_of(left_in_front(core, room), sets), I(0), ZERO
    draw, phase = game.spec[DRAW], room.phase[0]
    to_the_end = next_may_be_gone(core, event, count, game, room)
    while rest:
        bit = rest & (~rest + ONE)
        rest ^= bit
        place += 1
        after_phase = phase > 0 and place >= phase and (place - phase) % draw == 0
        if place % draw == 0 or after_phase or rest == ZERO and to_the_end:
            tops |= bit
    return cards_of(tops, sets)


@inlined
def next_may_be_gone(core, event, count, game, room):
    """May the first stock card after the front have left the stock, or is there none?"""
    index = popcount(room.front)
    if index == len(game.stock) or has_space(core, game.spec):
        return True
    gone = core[0] | core[1] | floating_cards(core[0], room.counts[event])
    tails = ZERO
    for end in range(count):
        tails |= room.tails[end]
    return (gone >> U(game.stock[index]) | tails >> U(index)) & ONE != ZERO


@inlined
def play_front(core, tops, with_space, event, game, sets, room):
    """Note the cores after each of these cards of the front went up or into a space."""
    up_word, tableau, bottoms, higher = core
    counts = room.counts[event]
    rising = next_cards(up_word & CARDS | floating_cards(up_word, counts), deck_of(game.spec))
    while tops:
        card = tops & (~tops + ONE)
        tops ^= card
        if card & rising:
            after = count_up(card, up_word, counts) | card, tableau, bottoms, higher
            note_without(card, after, core, event, ZERO, game, sets, room)
        if with_space:
            note_without(card, put_into_space(card, core), core, event, ZERO, game, sets, room)


@inlined
def note_without(card, after, core, event, suspects, game, sets, room):
    """Note the core ``after`` one in which ``card`` was still in the front."""
    phase = room.phase[0]
    room.phase[0] = phase_without(card, core, sets, game, room)
    note_core(after, event, suspects, NO_END, room)
    room.phase[0] = phase


@inlined
def phase_without(card, core, sets, game, room):
    """The phase after ``card`` was played from the front."""
    under = popcount(indices_of(left_in_front(core, room), sets) & (indices_of(card, sets) - ONE))
    return under if under % game.spec[DRAW] else I(0)
