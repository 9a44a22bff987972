"""Jams: can every card still come to the top, with the passes that are left?

Where passes are few, most lost deals are lost by the order of the stock: what is needed lies under cards that find no
place in time. This test follows the turning as it is, but is generous otherwise: hosts are never used up by what is
laid on them at another time, and what may leave its place may also be back.

*Claim.* :func:`is_jammed` says so only of lost positions. In the order of time it gathers which cards may be *bare*
(the last of a pile, the top of reserve or waste) at some time of any play up to then, each from those known before:

* A card may go up when enough of its copies, and of each card below it in its suit, may be bare or are up.
* It is *wanted* when one of the cards that it may be built on may be bare in a pile.
* A pile may be *emptied* when its first card is wanted, or may be bare and go up.
* A card of a pile or of the waste may be bare when all that lies on it may have left. Of what lies on it, what may not
  go up is on the tableau then: each of these cards lies on a card of its own there, or is the first of a pile that was
  emptied. So those of a kind that are more than their possible hosts are *heads*. There may be none before the reserve
  is empty, as only its cards fill spaces; after that no more than piles that may be emptied, together with the heads
  that all cards of the reserve and of the emptied piles need that may not go up.
* So a card of the reserve may have left it while it, those before it and the cards of emptied piles need no more heads
  than there are piles that may be emptied.
* What may be bare and find a place in one pass may be in the next or not. A card is a top of that pass when the draw
  has it, whichever of those before it are there.

What is true at any time of a play is among this, by induction over its moves, as no set ever shrinks. If in the end
some card can not go up, the position is lost.

Conditions: limited passes, spaces are filled from the reserve, nothing returns.
"""

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit
from solver.packed import (ANY_SPACE, BYTE, COVER, DECKS, DRAW, FIRST_PILE, FIRST_STOCK, PASSES, PILES, RANKS,
                           STOCK_WORDS, SUIT_BITS, UNIT, UNIT_PILE, UNIT_SUFFIX, borrow_game, card_under, pile_length)

# Parts of the working space, int64[ROOM], by their first number. By foundation: its height, and the one it may reach.
# By pile: how many cards it has, how many of them may have left it, and 1 where it may be emptied. By code: copies that
# may be bare; copies that may have left the stock, but so far only by going up. By kind of card: possible hosts that
# came from the stock; all of them; how many need a place of the emptied piles' and the reserve's cards, and of those
# that lie above a card of the waste. Then the cards of the stock, with marks.
HEIGHT, REACHED, LENGTH, LIFTED, EMPTIED = 0, 16, 32, 48, 64
BARE, WENT_UP, STOCK_HOSTS, HOSTS, HELD, ABOVE, CARDS = 80, 144, 208, 272, 336, 400, 464
# Numbers: cards left in the reserve; sets of codes: wanted, may go up, left the stock by going up only; piles that may
# be emptied; heads that their and the reserve's cards need; cards of the stock; 1 where something is to be found anew.
LEFT, WANTED, GOES_UP, ONLY_UP, PLACES, HEADS, SIZE, CHANGED = range(720, 728)
ROOM = 728
CODE, SEEN, TAKEN, PERHAPS = I(63), I(64), I(128), I(256)
"""Of a stock card: its code; it may be bare; it may have left the stock; it may have in an earlier pass."""
NO_KIND = 63
EACH_RANK = I(0x1111111111111)


@inlined
def kind_of(code, spec):
    """Cards of one kind may be built on the same cards, int64."""
    bits = spec[SUIT_BITS]
    if bits == 1:
        return code & ~I(2)
    return code & ~I(3) if bits == 2 else code


@inlined
def host_kind(code, spec):
    """The kind of cards that a card may be built on, NO_KIND where there is none, int64."""
    rank, bits = (code >> 2) + 1, spec[SUIT_BITS]
    if rank == spec[RANKS]:
        if not spec[COVER]:
            return I(NO_KIND)
        rank = I(0)
    if bits == 1:
        return 4 * rank + 1 - (code & 1)
    return 4 * rank if bits == 2 else 4 * rank + (code & 3)


@inlined
def has(codes, code):
    """Is a code in a set of codes (int64)?"""
    return (codes >> code) & I(1) != 0


@inlined
def needs_head(room, code, count, spec):
    """Does one of ``count`` cards of this kind have to be a head? int64, 0 or 1."""
    return I(count > room[HOSTS + host_kind(code, spec)])


@inlined
def want(room, code, carries):
    """A card may be bare in a pile: what may be built on it is wanted."""
    wanted = room[WANTED] | I(carries[code])
    if wanted != room[WANTED]:
        room[WANTED], room[CHANGED] = wanted, 1


@inlined
def raise_heights(room, spec):
    """Find what may go up."""
    goes_up = I(0)
    for suit in range(4):
        most = spec[RANKS]
        for copy in range(spec[DECKS]):
            at = 4 * suit + copy
            height = room[REACHED + at]
            while height < most:
                copies = room[BARE + 4 * height + suit]
                for other in range(spec[DECKS]):
                    copies += I(room[HEIGHT + 4 * suit + other] > height)
                if copies <= copy:
                    break
                height += 1
            room[REACHED + at] = most = height
            up_to = (I(1) << 4 * min(height + 1, spec[RANKS])) - 1
            goes_up |= (up_to & -(I(1) << 4 * room[HEIGHT + at]) & EACH_RANK) << suit
    room[GOES_UP] = goes_up


@inlined
def empty_piles(state, room, spec):
    """Count the piles that may be emptied, and possible hosts on the tableau."""
    room[PLACES] = 0
    for pile in range(spec[PILES]):
        word, length = state[spec[FIRST_PILE] + pile], room[LENGTH + pile]
        if room[EMPTIED + pile] == 0:
            first = card_under(word, length - 1, spec)
            if has(room[WANTED], first) or room[LIFTED + pile] >= length - 1 and has(room[GOES_UP], first):
                room[EMPTIED + pile] = room[CHANGED] = 1
        room[PLACES] += room[EMPTIED + pile]
        bare = length if room[EMPTIED + pile] else min(room[LIFTED + pile] + 1, length)
        for depth in range(bare):
            room[HOSTS + kind_of(card_under(word, depth, spec), spec)] += 1


@inlined
def count_hosts(state, game, room):
    """Count the possible hosts of each kind."""
    spec = game.spec
    laid = room[ONLY_UP]
    if room[LEFT] > 0 or room[PLACES] == 0:
        laid &= room[WANTED]
    room[ONLY_UP] &= ~laid
    while laid:
        code = lowest_bit(U(laid))
        laid &= laid - 1
        room[STOCK_HOSTS + kind_of(code, spec)] += room[WENT_UP + code]
        room[WENT_UP + code] = 0
        want(room, code, game.carries)
    for kind in range(4 * spec[RANKS]):
        room[HOSTS + kind] = room[STOCK_HOSTS + kind]
    empty_piles(state, room, spec)
    for index in range(room[LEFT], I(state[1] & BYTE)):
        code = I(game.reserve[index])
        if room[PLACES] > 0 or has(room[WANTED], code):
            room[HOSTS + kind_of(code, spec)] += 1
            want(room, code, game.carries)


@inlined
def lower_reserve(state, game, room):
    """Let leave the reserve what may, and count the heads that it and the emptied piles need."""
    spec = game.spec
    heads, left, index = I(0), room[LEFT], I(state[1] & BYTE)
    for kind in range(4 * spec[RANKS]):
        room[HELD + kind] = 0
    for pile in range(spec[PILES]):
        for depth in range(room[LENGTH + pile] if room[EMPTIED + pile] else I(0)):
            code = card_under(state[spec[FIRST_PILE] + pile], depth, spec)
            if not has(room[GOES_UP], code):
                kind = kind_of(code, spec)
                room[HELD + kind] += 1
                heads += needs_head(room, code, room[HELD + kind], spec)
    while index > 0:
        index -= 1
        code = I(game.reserve[index])
        if not has(room[GOES_UP], code):
            kind = kind_of(code, spec)
            more = needs_head(room, code, room[HELD + kind] + 1, spec)
            if index < left and heads + more > room[PLACES]:
                break
            room[HELD + kind] += 1
            heads += more
        if index < left:
            left, room[CHANGED] = index, 1
            if index > 0:
                room[BARE + I(game.reserve[index - 1])] += 1
    room[LEFT], room[HEADS] = left, heads


@inlined
def dig_pile(state, pile, game, room):
    """How many cards may have left a pile.

    They are of different kinds, but where a pile winds round past a base card; too few are counted then.
    """
    spec = game.spec
    word, length = state[spec[FIRST_PILE] + pile], room[LENGTH + pile]
    to_space = room[LEFT] == 0 and spec[ANY_SPACE] != 0
    lifted, heads, all_hosted, is_covered = I(0), room[HEADS], True, False
    for depth in range(length):
        code = card_under(word, depth, spec)
        if is_covered or not has(room[GOES_UP], code):
            if spec[UNIT] == UNIT_PILE and depth + 1 < length:
                break
            if room[EMPTIED + pile] == 0:  # otherwise it is counted already
                heads += needs_head(room, code, room[HELD + kind_of(code, spec)] + 1, spec)
            hosted = has(room[WANTED], code)
            all_hosted = all_hosted and hosted
            if not all_hosted and not (to_space and heads <= room[PLACES]):
                if spec[UNIT] != UNIT_SUFFIX:
                    break
                # All down to this card may leave as one part.
                is_covered = not hosted and not (to_space and room[HEADS] < room[PLACES])
                if is_covered:
                    continue
        lifted = depth + 1
    return lifted


@kernel  # not inlined where it is called: that took a third of the compilation
def find_free(state, game, room):
    """Find all that may have left piles and reserve, from what may have left the stock."""
    state, game, room = borrow(state), borrow_game(game), borrow(room)
    spec = game.spec
    room[CHANGED] = 1
    while room[CHANGED]:
        room[CHANGED] = 0
        raise_heights(room, spec)
        count_hosts(state, game, room)
        lower_reserve(state, game, room)
        for pile in range(spec[PILES]):
            before, lifted = room[LIFTED + pile], dig_pile(state, pile, game, room)
            if lifted <= before:
                continue
            room[LIFTED + pile], room[CHANGED] = lifted, 1
            for depth in range(before + 1, min(lifted + 1, room[LENGTH + pile])):
                code = card_under(state[spec[FIRST_PILE] + pile], depth, spec)
                room[BARE + code] += 1
                want(room, code, game.carries)


@inlined
def lay_bare(room, code, spec):
    """A stock card may be bare: does it matter for what may go up?"""
    room[BARE + code] += 1
    for copy in range(spec[DECKS]):
        if room[REACHED + 4 * (code & 3) + copy] == code >> 2:
            room[CHANGED] = 1


@inlined
def take(room, code, game):
    """A stock card may have left the stock."""
    if has(room[WANTED], code) or room[LEFT] == 0 and room[PLACES] > 0:
        kind = kind_of(code, game.spec)
        room[STOCK_HOSTS + kind] += 1
        room[HOSTS + kind] += 1
        want(room, code, game.carries)
        if room[LEFT] > 0 or room[HEADS] > 0:
            room[CHANGED] = 1
    else:
        room[WENT_UP + code] += 1
        room[ONLY_UP] |= I(1) << code


@inlined
def dig_waste(room, turned, game):
    """Mark the cards of the waste that may be bare, and may leave it, from the top down."""
    spec = game.spec
    heads, lacking, index = room[HEADS], False, turned
    while index > 0:
        index -= 1
        entry = room[CARDS + index]
        if entry & PERHAPS:
            continue
        code = entry & CODE
        if not entry & SEEN:
            room[CARDS + index] |= SEEN
            lay_bare(room, code, spec)
        if not has(room[GOES_UP], code):
            kind = kind_of(code, spec)
            room[ABOVE + kind] += 1
            heads += needs_head(room, code, room[HELD + kind] + room[ABOVE + kind], spec)
            lacking = lacking or needs_head(room, code, room[ABOVE + kind], spec) != 0
            if lacking and (room[LEFT] > 0 or heads > room[PLACES]):
                break
        if not entry & TAKEN:
            room[CARDS + index] |= TAKEN
            take(room, code, game)
            if lacking:
                room[CHANGED] = 1
    for counted in range(index, turned):
        room[ABOVE + kind_of(room[CARDS + counted] & CODE, spec)] = 0


@inlined
def turn_to(state, turned, game, room):
    """Find all that may be free once so many cards of the stock are turned."""
    while True:
        dig_waste(room, turned, game)
        if not room[CHANGED]:
            break
        find_free(state, game, room)


@inlined
def turn_again(state, game, room):
    """Go through another pass."""
    draw, missing = game.spec[DRAW], I(0)
    for index in range(room[SIZE]):
        if room[CARDS + index] & TAKEN:
            room[CARDS + index] |= PERHAPS
    for turned in range(1, room[SIZE] + 1):
        missing += I(room[CARDS + turned - 1] & PERHAPS != 0)
        if turned % draw <= missing or turned == room[SIZE]:
            turn_to(state, turned, game, room)


@inlined
def begin(state, game, room):
    """Write down what is so at the beginning."""
    spec = game.spec
    for number in range(BARE, CARDS):
        room[number] = 0
    for suit in range(4):
        for copy in range(spec[DECKS]):
            height = I((state[0] >> U(16 * suit + 4 * copy)) & U(15))
            room[HEIGHT + 4 * suit + copy] = room[REACHED + 4 * suit + copy] = height
    room[WANTED] = room[ONLY_UP] = room[PLACES] = room[SIZE] = 0
    for pile in range(spec[PILES]):
        word = state[spec[FIRST_PILE] + pile]
        room[LENGTH + pile], room[LIFTED + pile], room[EMPTIED + pile] = pile_length(word), 0, I(word == ZERO)
        if word:
            room[BARE + card_under(word, I(0), spec)] += 1
            want(room, card_under(word, I(0), spec), game.carries)
    room[LEFT] = I(state[1] & BYTE)
    if room[LEFT] > 0:
        room[BARE + I(game.reserve[room[LEFT] - 1])] += 1
    for word in range(spec[STOCK_WORDS]):
        cards = state[FIRST_STOCK + word]
        while cards:
            room[CARDS + room[SIZE]] = I(game.stock[I(64) * word + lowest_bit(cards)])
            room[SIZE] += 1
            cards &= cards - ONE


@inlined
def all_may_go_up(room, spec):
    """Is nothing known that keeps a card down?"""
    for suit in range(4):
        for copy in range(spec[DECKS]):
            if room[REACHED + 4 * suit + copy] < spec[RANKS]:
                return False
    return True


@kernel
def is_jammed(state, game, room):
    """Is a position of the pile game lost because not every card can come to the top in time?

    room: int64[ROOM], working space.
    """
    state, game, room = borrow(state), borrow_game(game), borrow(room)
    spec = game.spec
    begin(state, game, room)
    find_free(state, game, room)
    turned = I((state[1] >> U(8)) & BYTE)
    turn_to(state, turned, game, room)
    while turned < room[SIZE]:
        turned = min(turned + spec[DRAW], room[SIZE])
        turn_to(state, turned, game, room)
    for _ in range(I((state[1] >> U(16)) & BYTE), spec[PASSES]):
        if all_may_go_up(room, spec):
            return False
        turn_again(state, game, room)
    return not all_may_go_up(room, spec)
