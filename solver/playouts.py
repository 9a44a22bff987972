"""Playing a position on without looking back, to see how far it comes: what best-first search of hard games goes by.

One way of playing: cards go up as soon as they can; else the reserve's top is laid on a pile, else piles are joined,
else, where parts of piles may move, a pile's last card makes way for one that goes up; else the waste's top is played
up or on a pile (on the last pass also into a space), and only then the stock is turned. Twins are laid on the shorter
pile. All moves are legal where spaces fill by themselves; elsewhere, and where a pile outgrows its word, the playout is
a guess. It is never more than that for the search: whatever it says, a win counts once the search itself has played
it.
"""

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit
from solver.packed import (BYTE, DECKS, DRAW, FIRST_PILE, FIRST_STOCK, PASSES, PILES, RANKS, STOCK_WORDS, UNIT,
                           UNIT_PILE, card_under, join_unit, next_up, pile_length, pile_top, remove_unit,
                           single_card_pile)

# Parts of the working space, uint64[384], by their first word: the cards of the stock, the words of the piles, and for
# each pile masks of codes, 0 for a space: its last card, what that carries, its first card, and the card under the
# last.
CARDS, WORDS, LAST, CARRIED, FIRST, UNDER = 0, 256, 272, 288, 304, 320
# At the end of a playout: cards left in the reserve, cards turned past, the foundations; and at its last redeal, all 0
# where there was none: cards that are not up, cards of the stock, cards left in the reserve.
END_LEFT, END_WASTE, END_UP, REDEAL_NOT_UP, REDEAL_STOCK, REDEAL_LEFT = range(336, 342)
ROOM = 384


@inlined
def lift(foundations, goes_up, code, spec):
    """Foundations and the mask of codes that may go up, after ``code`` went up."""
    rank, shift = U(code) >> U(2), U(16) * (U(code) & U(3))
    found = I(0)
    for copy in range(spec[DECKS]):
        place = shift + U(4 * copy)
        if (foundations >> place) & U(15) == rank:
            found += 1
            if found == 1:
                foundations += ONE << place
    if found == 1:
        goes_up &= ~(ONE << U(code))
    if I(rank) + 1 < spec[RANKS]:
        goes_up |= ONE << (U(code) + U(4))
    return foundations, goes_up


@inlined
def set_pile(room, pile, word, game):
    """Make ``word`` a pile of the playout."""
    room[WORDS + pile] = word
    if word == ZERO:
        room[LAST + pile] = room[CARRIED + pile] = room[FIRST + pile] = room[UNDER + pile] = ZERO
        return
    length, top = pile_length(word), pile_top(word)
    room[LAST + pile] = ONE << U(top)
    room[CARRIED + pile] = game.carries[top]
    room[FIRST + pile] = ONE << U(card_under(word, length - 1, game.spec))
    room[UNDER + pile] = ONE << U(card_under(word, I(1), game.spec)) if length > 1 else ZERO


@inlined
def take_last(room, pile, left, game):
    """Take a pile's last card away; the cards left in the reserve, which fills the pile if it was the only one."""
    word = remove_unit(room[WORDS + pile], I(1), game.spec)
    if word == ZERO:
        if left > 0:
            left -= 1
            word = single_card_pile(I(game.reserve[left]), game.spec)
        set_pile(room, pile, word, game)
        return left
    room[WORDS + pile] = word
    room[LAST + pile] = ONE << U(pile_top(word))
    room[CARRIED + pile] = game.carries[pile_top(word)]
    room[UNDER + pile] = ONE << U(card_under(word, I(1), game.spec)) if pile_length(word) > 1 else ZERO
    return left


@inlined
def shortest_host(room, code, piles):
    """The shortest pile that card ``code`` may be laid on; there must be one."""
    host, least = I(0), I(1 << 30)
    for pile in range(piles):
        if (room[CARRIED + pile] >> U(code)) & ONE and pile_length(room[WORDS + pile]) < least:
            host, least = I(pile), pile_length(room[WORDS + pile])
    return host


@inlined
def lay(room, code, piles, game):
    """Lay a card on the shortest pile that takes it."""
    lay_on(room, shortest_host(room, code, piles), code, game)


@inlined
def lay_on(room, host, code, game):
    """Lay a card on a pile that is no space."""
    unit = single_card_pile(I(code), game.spec)
    room[WORDS + host] = join_unit(room[WORDS + host], unit, I(1), game.spec)
    room[UNDER + host], room[LAST + host] = room[LAST + host], ONE << U(code)
    room[CARRIED + host] = game.carries[I(code)]


@inlined
def join_piles(room, left, piles, game):
    """Join the first two piles that fit; (were there any, the cards left in the reserve)."""
    for pile in range(piles):
        for host in range(piles):
            if host != pile and room[FIRST + pile] & room[CARRIED + host]:
                word = room[WORDS + pile]
                joined = join_unit(room[WORDS + host], word, pile_length(word), game.spec)
                set_pile(room, host, joined, game)
                word = ZERO
                if left > 0:
                    left -= 1
                    word = single_card_pile(I(game.reserve[left]), game.spec)
                set_pile(room, pile, word, game)
                return True, left
    return False, left


@inlined
def make_way(room, goes_up, piles, game):
    """Move the first last card that can go to another pile and lies on one that goes up; was there any?"""
    for pile in range(piles):
        if room[UNDER + pile] & goes_up:
            for host in range(piles):
                if host != pile and room[LAST + pile] & room[CARRIED + host]:
                    lay_on(room, host, pile_top(room[WORDS + pile]), game)
                    take_last(room, pile, I(0), game)
                    return True
    return False


@inlined
def play_on(state, game, room):
    """Cards that are not up at the end of a playout from ``state``, and its moves, both int64.

    room: uint64[ROOM], working space, with what else there is to say of the end.
    """
    spec = game.spec
    piles, draw, stop, parts = spec[PILES], spec[DRAW], spec[PASSES], spec[UNIT] != UNIT_PILE
    foundations = state[0]
    goes_up = next_up(foundations, spec)
    left, turned = I(state[1] & BYTE), I((state[1] >> U(8)) & BYTE)
    at_pass = I((state[1] >> U(16)) & BYTE)
    in_hand, size = I(0), I(0)
    for pile in range(piles):
        set_pile(room, pile, state[spec[FIRST_PILE] + pile], game)
        in_hand += pile_length(room[WORDS + pile])
    for word in range(spec[STOCK_WORDS]):
        cards = state[FIRST_STOCK + word]
        while cards:
            room[CARDS + size] = U(game.stock[I(64) * word + lowest_bit(cards)])
            cards &= cards - ONE
            size += 1
    in_hand += size + left
    # The waste is the first `turned` cards; those from `ahead` on are still to be turned.
    ahead, moves = turned, I(-1)
    room[REDEAL_NOT_UP] = room[REDEAL_STOCK] = room[REDEAL_LEFT] = ZERO
    while True:  # one move each time
        moves += 1
        last, wanted, heads, under, spaces = ZERO, ZERO, ZERO, ZERO, False
        for pile in range(piles):
            last |= room[LAST + pile]
            wanted |= room[CARRIED + pile]
            heads |= room[FIRST + pile]
            under |= room[UNDER + pile]
            spaces = spaces or room[WORDS + pile] == ZERO
        top = U(game.reserve[left - 1]) if left > 0 else ZERO
        if left > 0 and (goes_up >> top) & ONE:
            foundations, goes_up = lift(foundations, goes_up, I(top), spec)
            left -= 1
            in_hand -= 1
            continue
        if goes_up & last:
            pile = I(0)
            while not room[LAST + pile] & goes_up:
                pile += 1
            foundations, goes_up = lift(foundations, goes_up, pile_top(room[WORDS + pile]), spec)
            left = take_last(room, pile, left, game)
            in_hand -= 1
            continue
        if left > 0 and (wanted >> top) & ONE:
            lay(room, top, piles, game)
            left -= 1
            continue
        if wanted & heads:
            joined, left = join_piles(room, left, piles, game)
            if joined:
                continue
        if parts and goes_up & under and make_way(room, goes_up, piles, game):
            continue
        # Turn the stock until its top can be played.
        idle = False
        while True:
            playable = ~ZERO if spaces and left == 0 and at_pass == stop else goes_up | wanted
            while turned == 0 or not (playable >> room[CARDS + turned - 1]) & ONE:
                if ahead >= size:
                    break
                end = min(ahead + draw, size)
                while ahead < end:
                    room[CARDS + turned] = room[CARDS + ahead]
                    turned += 1
                    ahead += 1
            if turned > 0 and (playable >> room[CARDS + turned - 1]) & ONE:
                break
            if turned == 0 or at_pass >= stop or idle:
                room[END_LEFT], room[END_WASTE], room[END_UP] = U(left), U(turned), foundations
                return in_hand, moves
            room[REDEAL_NOT_UP], room[REDEAL_STOCK], room[REDEAL_LEFT] = U(in_hand), U(turned), U(left)
            at_pass += 1
            size, turned, ahead, idle = turned, I(0), I(0), True
        turned -= 1
        code = room[CARDS + turned]
        if (goes_up >> code) & ONE:
            foundations, goes_up = lift(foundations, goes_up, I(code), spec)
            in_hand -= 1
        elif (wanted >> code) & ONE:
            lay(room, code, piles, game)
        else:
            pile = I(0)
            while room[WORDS + pile]:
                pile += 1
            set_pile(room, pile, single_card_pile(I(code), spec), game)
