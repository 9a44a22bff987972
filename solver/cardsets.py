"""The set game: one deck built down in alternate colours, a position as a few sets of cards.

Every card that is *attached* (on the tableau, not at the bottom of a pile) lies on one of two *twins*: the cards of the
rank above in the other colour. So which cards are on the tableau, which of them are bottoms, and on which twin each
attached card lies tell the piles, whatever their order, and legal moves come out of a few shifts of whole sets.

*Suffix rules need no twins.* Where any part of a pile may move, it does not matter which twin a card lies on: while one
of them is free, what lies on the other can be moved over; and when both are covered, whichever is uncovered first
serves as well. Then the tableau set and the bottoms are enough, and

    a class (rank, colour) has a free host  <=>  it has more cards on the tableau than cards attached to it.

Claim: two positions with the same sets, foundations, reserve and stock are equally far from a win, counting the moves
between twins as nothing. Proof, move by move, from S to S' with the same sets: (a) a card c without cover in S goes
up: if c is covered in S', then its twin is free there (the counts agree), the cover moves over, c goes up. (b) A card
or a whole pile is laid on a free host in S: S' has a free host of the class as well. (c) A part moves from twin to
twin: nothing changes. (d) A card or part goes to a space: the same in S'. In each case the sets agree again.

Condition: the host of a card must not lie in the moving unit itself. It could only in a run that passes through every
rank and colour and comes round to its first rank again, which takes covered base cards and an attached card in nearly
every class (:func:`winding_cards`). Where twins are told apart the pile is then followed card by card. Where they are
not, and each class has one card, the run is all there is and its bottom has no other host. In what remains (two cards
in some class) the search leaves the doubtful moves out and says so; if it then ends without a win, it is made again
with twins told apart.

Words of a state, bit c of a set for code c = 4 * relative rank + suit::

    0  cards up (52 bits)    | reserve left << 52 (6 bits)
    1  stock set (51 bits)   | boundary << 52 (6 bits)        bit i for card i of the stock list, see packed.py;
                               the waste is the cards of the set below the boundary
    2  tableau set
    3  bottoms
    4  attached cards on the higher twin (suit 2 or 3); always 0 where only classes count
    5  pass

Moves are words as in moves.py, with these places: 0 the tableau, or on the lower twin; 1 a space; 2 on the higher twin.
"""

import numpy as np

from solver.bits import I, ONE, U, ZERO, inlined, leading_zeros, popcount
from solver.packed import CLASSES, Game, card_code, make_game
from solver.position import Position
from solver.rulesets import Rules

ON_LOWER, TO_SPACE, ON_HIGHER = I(0), I(1), I(2)
UP, STOCK, TABLEAU, BOTTOMS, HIGHER, PASS = range(6)
STATE_WORDS = 6
UPPER_SHIFT = U(52)
CARDS = (ONE << UPPER_SHIFT) - ONE
EACH_CLASS = U(0x3333333333333)  # the two colours of all 13 ranks, also the lower twins
BLACKS = U(0x1111111111111)  # the black class of each rank, also the clubs
REDS = U(0x2222222222222)
EVEN_PARITY = U(0x1212121212121)  # the classes with rank + colour even
ACES = U(0xF)  # the four cards of relative rank 0


def has_card_sets(rules: Rules) -> bool:
    """Does the set game stand for this rule set?"""
    return rules.decks == 1 and rules.build == "alternate"


def pack_card_sets(position: Position, rules: Rules, prunings: int = 0,
                   classes: bool = True) -> tuple[Game, np.ndarray]:
    """Rule numbers and card lists as :func:`packed.make_game` gives them, and the state words described above.

    classes: under suffix rules, leave out which twin a card lies on; False keeps it, and nothing is in doubt then.
    """
    game = make_game(position, rules, prunings)
    game.spec[CLASSES] = classes and rules.unit == "suffix"
    base, ranks = position.base, rules.ranks
    up = sum(1 << 4 * rank + suit for suit in range(4) for rank in range(position.foundations[suit]))
    tableau = bottoms = higher = 0
    for pile in position.tableau:
        codes = [card_code(card, base, ranks) for card in pile]
        tableau |= sum(1 << code for code in codes)
        bottoms |= sum(1 << code for code in codes[:1])
        higher |= sum(1 << code for host, code in zip(codes, codes[1:]) if host & 2)
    if game.spec[CLASSES]:
        higher = 0
    words = [up | len(position.reserve) << 52, (1 << len(game.stock)) - 1 | len(position.waste) << 52, tableau,
             bottoms, higher, position.pass_number]
    return game, np.array(words, np.uint64)


@inlined
def swap_colours(classes):
    """Class bits with the colours exchanged."""
    return ((classes & BLACKS) << ONE) | ((classes & REDS) >> ONE)


@inlined
def host_classes(attached, last):
    """The classes that a set of attached cards lies on, as class bits; ``last`` = 4 * (ranks - 1)."""
    classes = (attached | attached >> U(2)) & EACH_CLASS
    return swap_colours(((classes << U(4)) & CARDS) | (classes >> last))


@inlined
def free_hosts(tableau, bottoms, higher, last, classes):
    """(lower, higher): class bits of the free hosts among the lower and the higher twins. Where classes
    are all that is known, free ones count as lower."""
    attached = tableau & ~bottoms
    if classes:
        pairs = attached & (attached >> U(2)) & EACH_CLASS
        some = host_classes(attached, last)
        two = swap_colours(((pairs << U(4)) & CARDS) | (pairs >> last))
        hosts = (tableau | tableau >> U(2)) & EACH_CLASS
        return (hosts & ~some) | (tableau & (tableau >> U(2)) & EACH_CLASS & ~two), ZERO
    lower = tableau & EACH_CLASS & ~host_classes(attached & ~higher, last)
    upper = (tableau >> U(2)) & EACH_CLASS & ~host_classes(attached & higher, last)
    return lower, upper


@inlined
def ends_of(lower, upper, tableau, classes):
    """The set of cards that can leave their place as a last card, from the free hosts."""
    if classes:
        return tableau & (lower | lower << U(2))
    return lower | upper << U(2)


@inlined
def fitting_cards(classes, last, cover):
    """The set of cards that fit on free classes."""
    fits = (classes >> U(4)) | (((classes & U(3)) << last) if cover else ZERO)
    fits = swap_colours(fits)
    return fits | fits << U(2)


@inlined
def next_cards(up, deck):
    """The set of cards that may go to a foundation; ``deck`` is the set of all cards."""
    return ((up << U(4)) | ACES) & ~up & deck


@inlined
def winding_cards(tableau, bottoms, deck, odd_ranks):
    """The tableau cards of each family of classes in which a run could come round to its own first rank; mostly none.

    Such a run takes an attached card in every class of the family but one. With an odd number of ranks all classes are
    one family, else those of equal parity (rank + colour) are.
    """
    attached = tableau & ~bottoms
    missing = EACH_CLASS & deck & ~(attached | attached >> U(2))
    if odd_ranks:
        return tableau if popcount(missing) <= 1 else ZERO
    winding = ZERO
    if popcount(missing & EVEN_PARITY) <= 1:
        winding |= tableau & (EVEN_PARITY | EVEN_PARITY << U(2))
    if popcount(missing & ~EVEN_PARITY) <= 1:
        winding |= tableau & ~(EVEN_PARITY | EVEN_PARITY << U(2))
    return winding


@inlined
def unit_of(card, tableau, bottoms, higher, last, cover):
    """A card (a set of one) with all that lies on it, where each attached card's twin is known."""
    attached = tableau & ~bottoms
    unit, before = card, ZERO
    while unit != before:
        before = unit
        unit |= attached & ~higher & fitting_cards(unit & EACH_CLASS, last, cover)
        unit |= attached & higher & fitting_cards((unit >> U(2)) & EACH_CLASS, last, cover)
    return unit


@inlined
def both_of_other_colour(cards):
    """The set of all cards for whose rank both suits of the other colour are in ``cards``."""
    reds = (cards >> ONE) & (cards >> U(3)) & BLACKS
    blacks = cards & (cards >> U(2)) & BLACKS
    return reds | reds << U(2) | blacks << ONE | blacks << U(3)


@inlined
def twins_of(cards):
    """The set of the twins of ``cards``."""
    return ((cards >> U(2)) & EACH_CLASS) | ((cards & EACH_CLASS) << U(2))


@inlined
def safe_cards(up, last, cover):
    """The set of cards that are safe to go up when their turn has come: prunings.is_safe_up for all cards at once.

    First rule: both cards that could be built on it are up. Second rule: those two are up or next, and so is the
    other card of rank - 2 that could be built on them; with covered base cards none of these may be a base card, unless
    it is up.
    """
    below = up << U(4)  # at rank r: the card of rank r - 1 is up
    if cover:
        strict = below | (up >> last)
        loose = (up << U(8)) | (below & U(0xF0))
        third = (up << U(12)) | (below & U(0xF0)) | ((up << U(8)) & U(0xF00))
    else:
        strict = below | ACES
        loose = (up << U(8)) | U(0xFF)
        third = (up << U(12)) | U(0xFFF)
    return both_of_other_colour(strict) | (both_of_other_colour(loose) & twins_of(third))


@inlined
def is_rigid_dead(up, tableau, bottoms, higher, last, deck):
    """prunings.is_rigid_dead on card sets: does the playout stop before all cards are up?

    Without a covered base card it does not: then every card waits for lower ranks only.
    """
    attached = tableau & ~bottoms
    if attached >> last == ZERO:
        return False
    while attached:
        covered = host_classes(attached & ~higher, last) | host_classes(attached & higher, last) << U(2)
        rising = next_cards(up, deck) & ~(tableau & covered)
        if rising == ZERO:
            return True
        up |= rising
        tableau &= ~rising
        attached &= ~rising
    return False


@inlined
def is_rigid_safe(card, up, tableau, bottoms, higher, last, cover, deck):
    """May ``card`` (a set of one), next of its suit and a last card or the reserve's top, go up at once where only
    whole piles move?

    Claim: yes, if each card c that could be built on x is up, or attached (then it leaves its place only by going up),
    or must go up after x for another reason: then laying c on x would make a circle and lose. So nothing is laid on x
    in a win, and x is safe by the first rule of prunings.is_safe_up. What must follow x: the rest of its suit; with
    a card, everything under it in its pile, and what follows that in its suit; and so on.
    """
    attached = tableau & ~bottoms
    colours = (card | card >> U(2)) & EACH_CLASS
    open_fits = fitting_cards(colours, last, cover) & ~up & ~attached & deck
    if open_fits == ZERO:
        return True
    after = card
    before = ZERO
    while after != before:
        before = after
        under = host_classes(attached & after & ~higher, last) | host_classes(attached & after & higher, last) << U(2)
        after |= under
        after |= after << U(4)
        after |= after << U(8)
        after |= after << U(16)
        after |= after << U(32)
        after &= deck
    return open_fits & ~after == ZERO


@inlined
def parts_to_move(goes_up, lower, tableau, bottoms, last):
    """The attached cards worth moving to a space, with what lies on them, where any part of a pile may move.

    Claim: only those under which a card could then go up at once, in a class that has no free host now. Take a
    shortest win, and among those one whose part moves to spaces come as late as possible; let c move from its class to
    a space. What makes use of the host set free? (a) A host of the class goes up: then the move can wait until just
    before. (b) Nothing, or c comes back, or c goes up first: then the win is shorter without the move. (c) The twin d of
    c, the only other card that fits, is laid there: lay d into the space instead and leave c; the two have changed
    places, and until one of them goes up or moves, every move of the win can be made with them exchanged: the part
    move is saved, and if the exchange has to be undone that takes one move. (d) The rest of a run that winds round to
    its own first rank is laid on the part: so where runs may wind, all parts may move (in the deal for which this was
    found, two unfinished suits lay in one run of 26 cards).
    """
    full = (goes_up & tableau | (goes_up & tableau) >> U(2)) & EACH_CLASS & ~lower
    return fitting_cards(full, last, I(1)) & tableau & ~bottoms


@inlined
def waste_class(stock_word, at_pass, draw, unlimited):
    """(residue class, stamp) of a state's waste: table.waste_class on card sets."""
    stock = stock_word & CARDS
    turned = popcount(stock & ((ONE << (stock_word >> UPPER_SHIFT)) - ONE))
    residue = I(U(turned) % U(3)) if draw == 3 else turned % draw  # a constant divides fast
    if residue and turned == popcount(stock):
        residue = I(0)
    if unlimited:
        return residue, U(256) if residue == 0 else U(256 | turned)
    return residue, (at_pass << U(8)) | U(turned)


@inlined
def every_nth(cards, draw):
    """Of a set in stock order the cards that come to the top when ``draw`` are turned at a time: every draw-th card
    and the last one."""
    tops = ZERO
    while cards:
        for _ in range(draw - 1):
            rest = cards & (cards - ONE)
            if rest == ZERO:
                break
            cards = rest
        rest = cards & (cards - ONE)
        tops |= cards ^ rest
        cards = rest
    return tops


@inlined
def waste_tops(stock_word, draw, redeal):
    """(this pass, next pass): the stock cards that turning can bring to the top of the waste, see moves.waste_tops.
    A card that both passes reach is in the first set only."""
    stock = stock_word & CARDS
    turned = stock & ((ONE << (stock_word >> UPPER_SHIFT)) - ONE)
    now = every_nth(stock & ~turned, draw)
    if turned:
        now |= ONE << U(63 - leading_zeros(turned))
    later = every_nth(stock, draw) & ~now if redeal else ZERO
    return now, later
