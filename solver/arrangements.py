"""Arrangements: could some set of piles show these cards? The test behind the relaxation (relaxation.py).

Given are the cards that must lie on the tableau: *bottoms*, which start the piles, and *attached* cards, which hang
from some other card; and *loose* cards, which may or may not lie there.

*Counting ends.* Going down the ranks of one *family* (the two halves of the rank-and-colour classes that a run
alternates between), count the open ends of runs: every attached card of the next class takes one and leaves one, every
loose card of that class may take one and leave one, every bottom adds one. If an attached card finds no open end and
no space is left to start a run, no arrangement of piles shows these sets.

*Covered base cards.* Where base cards can be covered, runs go round from the base to the last rank. In general the
count starts with as many open ends as a class can have, and is repeated until the round before it began so, which errs
on the side of arrangeable. Where only whole piles move more is known: a card leaves its pile only by going up, so
everything above a card of a pile goes up before it. Call ``(s, t)`` a *cover* when the last card of suit t lies on the
base card of suit s. While it does, s cannot start before t is complete. So a position with a cover is lost unless

* no card of suit s lies on the cover: it would have to go up before s starts;
* no card of suit t lies under the base card of s: it would go up only after t is complete.

Hence on a cover only the twin of s serves in the colour of s, and under the base card only the twin of t in the colour
of t. Without covers, runs do not go round at all; with covers the count carries their runs apart. A cover ends when t
is complete, and not before.

A set of covers is eight bits: bit ``2 * s + i`` for the i-th suit t of the other colour than s.
"""

from solver.bits import I, ONE, U, ZERO, inlined, kernel, lowest_bit, popcount
from solver.cardsets import CARDS
from solver.packed import COVER, UNIT, UNIT_PILE

ALL_COVERS = U(0xFF)
SUIT = U(0x1111111111111)  # the clubs; other suits by shifting
CLASS = U(5)  # one colour of a rank; the other by shifting


@inlined
def tells_covers(spec):
    """Are covers told one by one under these rules?"""
    return spec[COVER] != 0 and spec[UNIT] == UNIT_PILE


@inlined
def first_cover(covers):
    """(s, t, its bit) of the first cover of a set that is not empty."""
    number = U(lowest_bit(covers))
    suit = number >> ONE
    return suit, ((suit ^ ONE) & ONE) | ((number & ONE) << ONE), ONE << number


@inlined
def actual_covers(tableau, bottoms, higher, last):
    """The covers of a real position of cardsets.py whose twins are told apart."""
    covers = ZERO
    attached = (tableau & ~bottoms) >> last
    rest = ALL_COVERS if attached else ZERO
    while rest:
        suit, other, cover = first_cover(rest)
        rest ^= cover
        if (attached >> other) & ONE and ((higher >> (last + other)) & ONE) == suit >> ONE:
            covers |= cover
    return covers


@inlined
def lasting_covers(covers, up, last):
    """The covers that are left with these cards up."""
    rest = covers
    while rest:
        suit, other, cover = first_cover(rest)
        rest ^= cover
        if (up >> (last + other)) & ONE:
            covers ^= cover
    return covers


@inlined
def covered_bases(covers):
    """The set of base cards under these covers."""
    pairs = covers | covers >> ONE
    return (pairs & ONE) | (pairs >> ONE) & U(2) | (pairs >> U(2)) & U(4) | (pairs >> U(3)) & U(8)


@inlined
def are_apart(covers):
    """Is no base card covered twice, and no card laid twice?"""
    twice = covers & (covers >> ONE) & U(0x55)
    same = covers & (covers >> U(4)) & U(0xF)
    return twice == ZERO and same == ZERO


@inlined
def possible_covers(attached, loose, bottoms, spaces, last):
    """The covers that some arrangement could show, judged one by one; the arguments as for :func:`is_arrangeable`."""
    covers = ZERO
    there = attached | loose | bottoms
    rest = ALL_COVERS
    while rest:
        suit, other, cover = first_cover(rest)
        rest ^= cover
        above = ONE << (last + other)
        if there & (ONE << suit) and (attached | loose) & above:
            if spaces or can_lie(suit, other, there, bottoms, last):  # with spaces it may begin a pile itself
                covers |= cover
    return covers


@inlined
def can_lie(suit, other, there, bottoms, last):
    """Is there a pile for the base card of ``suit`` in which no card of ``other`` lies under it?"""
    shift, rank = U(0), I(0)
    while True:
        card = ONE << (shift + (other ^ U(2))) if rank & 1 else CLASS << (shift + (suit & ONE))
        if rank == 0:
            card = ONE << suit
        if card & bottoms:
            return True
        if card & there == ZERO:
            return False
        if shift == last:  # what it lies on in turn would be a base card
            return True
        shift += U(4)
        rank += 1


@kernel
def is_arrangeable(attached, loose, bottoms, spaces, covers, around, ranks):
    """Can some arrangement of piles show these sets, with ``spaces`` more piles that start anywhere?

    covers: the covers it may have, where they are told (see above); around: 1 where base cards can be covered at will,
    else 0. All numbers, no arrays: a call of its own is cheap then.
    """
    if attached == ZERO:
        return True
    for first_family in range(2):
        # Where runs go round at will: twice through all ranks, starting with all ends open.
        colour = (U(first_family) + U(ranks) + ONE) & ONE
        ends, missing = 2 * around, I(0)
        covered = covers_of_colour(covers, colour)
        for _ in range(1 + 2 * around):
            missing = I(0)
            cards = CLASS << (U(4 * (ranks - 1)) + colour)
            for rank in range(ranks):
                need, on_covers = popcount(attached & cards), I(0)
                if covered:
                    covered, on_covers = go_down(covered, attached & cards, loose & cards, rank)
                    need -= on_covers
                if need > ends:
                    missing += need - ends
                    ends = need
                ends = need + min(ends - need, popcount(loose & cards) + on_covers) + popcount(bottoms & cards)
                colour ^= ONE
                cards = cards >> U(3) if colour else cards >> U(5)
        spaces -= missing  # of the last round, which is the family's own
        if spaces < 0:
            return False
    return True


@inlined
def covers_of_colour(covers, colour):
    """Those covers whose laid card has this colour: the base card has the other."""
    return covers & (U(0x33) if colour else U(0xCC))


@inlined
def go_down(covered, attached, loose, rank):
    """(covers whose runs reach this class, attached cards that they carry at most); sets within one class."""
    carried, rest = I(0), covered
    while rest:
        suit, other, cover = first_cover(rest)
        rest ^= cover
        fits = SUIT << other if rank == 0 else CARDS & ~(SUIT << suit)
        if fits & attached:
            carried = min(carried + 1, popcount(attached))
        elif fits & loose == ZERO:
            covered ^= cover
    return covered, carried
