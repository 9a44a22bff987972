"""Cores: positions of the set game without what may be left open about their stock cards.

A stock card that was laid is *idle* until something else than an idle card is built on it; the idle cards on a card
that is not are its *tail*. A stock card that went up from the waste *floats* until a card that does not float goes up
on it. Take the tails off a position, and what floats, back into the stock: what is left is its *core*, as the words
(cards up that do not float and reserve left, tableau, bottoms, higher) of cardsets.py. Hundreds of positions share one,
and deferred.py searches cores instead. An *end* is a last card of the core's piles.
"""

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit, popcount
from solver.cardsets import CARDS, EACH_CLASS, UPPER_SHIFT, fitting_cards, free_hosts, is_rigid_safe, next_cards
from solver.packed import COVER, PASSES, PILES, RANKS, UNIT, UNIT_PILE
from solver.setsearch import deck_of

SUIT_COUNT = 4
AFLOAT_BITS, AFLOAT_MASK = U(4), U(15)
"""How many cards float is told by suit, in so many bits each: *counts*."""
SUIT = U(0x1111111111111)


@inlined
def host_of(code, higher, ranks):
    """Code of the card that an attached card lies on."""
    rank = (code >> 2) + 1
    if rank == ranks:
        rank = I(0)
    return 4 * rank + (1 - (code & 1)) + 2 * I((higher >> U(code)) & ONE)


@inlined
def level_of_core(core, loose):
    """A number that grows with everything that changes a core: a card up counts three, one laid two, a bottom one;
    attached loose cards count nothing, as they come and go."""
    up_word, tableau, bottoms, _ = core
    tableau &= bottoms | ~loose
    return 3 * popcount(up_word & CARDS) + popcount(tableau) + popcount(tableau & ~bottoms)


@inlined
def ends_of_core(core, spec):
    """The set of the last cards of a core's piles."""
    _, tableau, bottoms, higher = core
    low, high = free_hosts(tableau, bottoms, higher, U(4 * (spec[RANKS] - 1)), I(0))
    return low | high << U(2)


@inlined
def top_of_reserve(core, game):
    """The reserve's top as a set of one; the empty set where there is none."""
    return ONE << U(game.reserve[I(core[0] >> UPPER_SHIFT) - 1]) if core[0] >> UPPER_SHIFT else ZERO


@inlined
def send_up(card, core, game):
    """The core after an end or the reserve's top (a set of one) went up."""
    up_word, tableau, bottoms, higher = core
    up_word |= card
    if tableau & card == ZERO:
        return up_word - (ONE << UPPER_SHIFT), tableau, bottoms, higher
    tableau &= ~card
    higher &= ~card
    if bottoms & card:
        bottoms &= ~card
        if up_word >> UPPER_SHIFT:
            up_word -= ONE << UPPER_SHIFT
            filled = ONE << U(game.reserve[I(up_word >> UPPER_SHIFT)])
            tableau |= filled
            bottoms |= filled
    return up_word, tableau, bottoms, higher


@inlined
def put_into_space(card, core):
    """The core after a stock card, or the first card of a part of a pile (a set of one), was put into a space."""
    up_word, tableau, bottoms, higher = core
    return up_word, tableau | card, bottoms | card, higher & ~card


@inlined
def has_space(core, spec):
    """Is there a space for a stock card?"""
    return core[0] >> UPPER_SHIFT == ZERO and popcount(core[2]) < spec[PILES]


@inlined
def loose_cards(sets, game, room):
    """The stock cards that a core lets go once nothing lies on them: those that are always at hand (deferred.py)."""
    return ZERO if game.spec[PASSES] else sets.stock & ~room.front


@inlined
def safe_among(cards, core, up, game):
    """Those of ``cards``, next of their suits, on which nothing is laid any more."""
    _, tableau, bottoms, higher = core
    spec = game.spec
    last, deck, safe = U(4 * (spec[RANKS] - 1)), deck_of(spec), ZERO
    while cards:
        card = cards & (~cards + ONE)
        cards ^= card
        if spec[UNIT] == UNIT_PILE:
            if is_rigid_safe(card, up, tableau, bottoms, higher, last, spec[COVER], deck):
                safe |= card
        elif fitting_cards((card | card >> U(2)) & EACH_CLASS, last, spec[COVER]) & deck & ~up == ZERO:
            safe |= card
    return safe


@inlined
def settled_core(core, loose, game):
    """The core after every end and top of the reserve on which nothing can be laid any more went up, and attached ends
    that are loose were let go."""
    while True:
        ends = ends_of_core(core, game.spec)
        going = ends & loose & ~core[2]
        if going:
            core = core[0], core[1] & ~going, core[2], core[3] & ~going
            continue
        up = core[0] & CARDS
        rising = next_cards(up, deck_of(game.spec)) & (ends | top_of_reserve(core, game))
        safe = safe_among(rising, core, up, game)
        if safe == ZERO:
            return core
        core = send_up(safe & (~safe + ONE), core, game)


@inlined
def afloat_on(suit, up_word, counts):
    """The cards that float on a suit; counts: as word FLOATING of a row."""
    first = U(4 * popcount(up_word & CARDS & SUIT << U(suit)) + suit)
    after = first + U(4) * (counts >> AFLOAT_BITS * U(suit) & AFLOAT_MASK)
    return SUIT << first & ((ONE << after) - ONE)


@inlined
def floating_cards(up_word, counts):
    """All cards that float."""
    cards = ZERO
    for suit in range(SUIT_COUNT):
        cards |= afloat_on(suit, up_word, counts)
    return cards


@inlined
def count_up(card, up_word, counts):
    """The up word when all that floats under ``card`` (a set of one) floats no longer."""
    return up_word | afloat_on(lowest_bit(card) & 3, up_word, counts)


@inlined
def above(index, cards):
    """Those stock cards, by index, that lie above this one in the waste."""
    return cards & ~((ONE << U(index + 1)) - ONE)
