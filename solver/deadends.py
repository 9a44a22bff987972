"""Dead ends: can the reserve be emptied at all from this position of the set game (cardsets.py)?

A position that lays many stock cards often leaves no way to go on: no pile can be moved, the reserve's top finds no
place, and what would have to go up first lies under cards that cannot leave. The relaxation does not see it, as its
stock cards hang where they are needed. This test takes the piles as they are, and instead lets nothing be used up.

*Claim.* :func:`is_stuck` says so only of lost positions. It gathers what may be at some time of any play, in an order
in which each thing only needs earlier ones:

* A card may go up when the one below it in its suit may, and it is a stock card that may be taken, or was the
  reserve's top, or may be a last card of its pile.
* A card may be a last card when all that lies on it may have left. Where only whole piles move, cards leave a pile only
  by going up. Otherwise what hangs from a class of twins may move between them: then a class may have a free host when
  it has more cards, counting those that may come, than cards that hang from it and may not go up.
* A stock card that may be taken may be laid when one of its hosts may be a last card, may have been laid, or was the
  reserve's top.
* A pile may leave its place when its first card may go up or may be laid.
* A stock card may be taken while there is another pass. On the last pass it may when turning brings it to the top as
  things are, or when the next card of the stock may be taken and find a place: it is on top of the waste then.

What really happens is always among this, for nothing is ever taken back here. While the reserve holds cards its top
leaves by going up, by being laid, or by taking the place of a pile that left its own. Let r be the first reserve card
for which a play has a way and the test finds none. Every card that the test put in a place could do nothing else, so
the play put it in a place as well; so places taken by cards that may not leave them again are at least as many in
the play as in the test, and the places left before that are at most as many. The play has one more of these for r,
but the test has none, a contradiction. A position without a way for some reserve card is lost, as every card has to
go up.

Conditions: one deck in alternate colours; emptied piles are filled from the reserve; nothing returns.
"""

from solver.bits import FALSE, I, ONE, U, ZERO, inlined, lowest_bit, popcount
from solver.cardsets import (CARDS, EACH_CLASS, UPPER_SHIFT, fitting_cards, free_hosts, host_classes, next_cards,
                             waste_tops)
from solver.packed import COVER, DRAW, RANKS, UNIT, UNIT_PILE, has_redeal


@inlined
def last_cards(tableau, bottoms, higher, hosts, last, rigid):
    """The cards of ``tableau``, what has not left it, that may be last in their pile. hosts: what may be built on, on the
    tableau or not."""
    if rigid:
        attached = tableau & ~bottoms
        covered = host_classes(attached & ~higher, last) | host_classes(attached & higher, last) << U(2)
        return tableau & ~covered
    free, _ = free_hosts(tableau, bottoms, ZERO, last, I(1))
    coming = hosts & ~tableau
    free |= (coming | coming >> U(2)) & EACH_CLASS
    return tableau & (free | free << U(2))


@inlined
def cards_to_take(free, placed, stock_word, game):
    """The stock cards that may be taken on the last pass, as a set of cards. free: those known to be; placed: cards
    that may go up or be laid."""
    now, _ = waste_tops(stock_word, game.spec[DRAW], FALSE)
    rest, before = stock_word & CARDS, ZERO
    while rest:
        bit = rest & (~rest + ONE)
        rest ^= bit
        card = ONE << U(game.stock[lowest_bit(bit)])
        if now & bit:
            free |= card
        if free & card & placed:
            free |= before
        before = card
    return free


@inlined
def is_stuck(up_word, stock_word, tableau, bottoms, higher, at_pass, game, reserves):
    """Is there a reserve card that can never leave the reserve?

    Where another pass is left it does not matter how many stock cards are turned. reserves: from
    index 2 on, the sets of reserve cards by their number (relaxation.Relaxed.sets).
    """
    spec = game.spec
    last, deck, rigid = U(4 * (spec[RANKS] - 1)), (ONE << U(4 * spec[RANKS])) - ONE, spec[UNIT] == UNIT_PILE
    up, left = up_word & CARDS, I(up_word >> UPPER_SHIFT)
    redeal = has_redeal(at_pass, spec)
    stock = deck & ~(up | reserves[2 + left] | tableau)
    free = stock if redeal else ZERO
    ends = last_cards(tableau, bottoms, higher, ZERO, last, rigid)
    begins, gone, hosts, places, fits = bottoms, ZERO, ends, I(0), ZERO
    while left:
        top = ONE << U(game.reserve[left - 1])
        while True:
            if not rigid:
                ends = last_cards(tableau, bottoms, higher, hosts, last, rigid)
                hosts |= ends
            # What may go up, then what may be laid; again, as long as that makes new last cards.
            rising = next_cards(up, deck) & (free | ends | top)
            while rising:
                up |= rising
                if rising & tableau:
                    tableau &= ~rising
                    ends = last_cards(tableau, bottoms, higher, hosts, last, rigid)
                    hosts |= ends
                rising = next_cards(up, deck) & (free | ends | top)
            before = hosts
            fits = fitting_cards((hosts | hosts >> U(2)) & EACH_CLASS, last, spec[COVER])
            while fits & free & ~hosts:
                hosts |= fits & free
                fits = fitting_cards((hosts | hosts >> U(2)) & EACH_CLASS, last, spec[COVER])
            taken = free if redeal else cards_to_take(free, up | fits, stock_word, game)
            if free == taken and (rigid or hosts == before):
                break
            free = taken
        leaving = begins & ~gone & (up | fits)
        places += popcount(leaving)
        gone |= leaving
        if top & (up | fits) == ZERO:
            if places == 0:
                return True
            places -= 1
            begins |= top
            fits |= top  # for the loop that follows
        while top & (up | fits):
            free |= top
            hosts |= top
            left -= 1
            if left == 0:
                break
            top = ONE << U(game.reserve[left - 1])
    return False
