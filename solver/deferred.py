"""Deferred laying: a relaxation in which stock cards are laid when something is built on them, and not before.

When a stock card may be laid, a player need not: it serves only as a host, for what is built on it later, or to get at
what it covers in the waste. So this search knows cores only (cores.py), and plays what changes a core:

* a card goes up: an end, the reserve's top, or a stock card;
* the reserve's top or a whole pile is built on an end, over a *chain* of stock cards of its tail, which so become part
  of the core;
* a stock card fills a space, once the reserve is empty.

Which stock cards may lie in the tails is told by turning the stock again from the time at which the first end became
one: what comes to the top of the waste, when what lies above it was laid, may go to the tail of an end if it fits on
the end or on a card of its tail. Here tails are generous: nothing is used up, so that a card may lie in several tails
and uncover what lies under it in the waste, too. Every change is played as early as it can be.

Claim: if a position can be won, so can its core at its time. Proof: play a win, and follow it with a row: its core is
that of the position, its time no later than the position's, and each of its ends is one since no later than in the
play. Let I be the idle cards of the position. (1) The closure from the row, up to the time of the position, lays all
of I: take them in the order of their being laid. When c of I was laid, what had been above it in the waste was up,
part of the core by now (both are no longer in the row's stock), or an idle card laid before c; so c is at the top here
no later. It was laid on an end of today's core, which has been one since (what is built on an end stays idle or joins
the core), or on an idle card that was laid before. If the end is new since, then c was laid after that. (2) Turning and
laying change no core: the row stays. (3) A pile or the reserve's top is built on the last card of a tail, or on an end:
those cards of the tail lay there one on the other, laid in this order, so that the closure has them all in the tail of
this end. (4) A stock card goes up from a tail or from the waste: it was laid, or is at the top, in the closure, too.
(5) A space is filled by the top of the waste: as in (4). (6) The reserve fills emptied piles of the play and of the row
alike, and what became an end does so at the same time or earlier. In (3) to (5) the row plays at the first time at which the closure allows it, so that its time is no later;
what the closure allows at some time, it allows a row without later times at that time or before: so a row dominates
those with later times.

*What goes up at once* (cores.settled_core): a card on which, in a win, nothing is laid any more
(cardsets.is_rigid_safe, with what is attached in the core, which is attached in the position, too). Then it has no tail
in a position that can be won, and there is a win in which it goes up at once: follow that one. In the same way is_rigid_dead and is_stuck may be asked of a core: what
waits in a circle, or is stuck with the tails in hand, is so in the position.

*Without a limit on passes* every stock card comes to the top again and again if one card is drawn at a time; for larger
draws that is generous once more, as in the draw-one relaxation. So all stock cards are at hand at any time, times say
nothing and are left 0, and the search ends as "may be won" when the reserve is empty.

Conditions: one deck in alternate colours, whole piles move, emptied piles are filled from the reserve, nothing returns,
at most four piles; passes without limit, or a draw of one.

Rows are expanded level by level, lowest first, so that of each core only rows which no other dominates are expanded; or
highest first, which soon finds out where a relaxed win is near.
"""

from solver.bits import I, ONE, U, ZERO, borrow, inlined, kernel, leading_zeros, lowest_bit, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, next_cards
from solver.cores import (BOTTOMS, CODE, CORE_LEVELS, DOMINATED, HALF, HIGHER, LINKS, LOWEST, NOTHING, SINCE,
                          TABLEAU, TIME_BITS, TIME_MASK, TIMES, UP, borrow_cores, borrow_room, ends_of_core, host_of,
                          put_core, send_up, top_of_reserve)
from solver.deadends import is_stuck
from solver.packed import PASSES, PILES, PRUNINGS, RANKS, borrow_game
from solver.prunings import STUCK_RESERVE
from solver.search import ENTRIES, EXHAUSTED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, WON, reason_to_stop
from solver.setsearch import deck_of
from solver.stages import borrow_sets

MOST_CHANGES = 4096
"""More changes than cores have as a rule."""
HIGHEST_FIRST = LAST_QUEUE
"""The search number that says in which order levels are taken: 0 for the lowest first."""


@kernel
def search_cores(memory, status, game, sets, reserves, room):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    memory: cores.Cores; sets: stages.StockSets; reserves: see deadends.is_stuck; room: cores.Room. WON says no more
    than that the easier game may be won.
    """
    memory, room, status, reserves = borrow_cores(memory), borrow_room(room), borrow(status), borrow(reserves)
    game, sets = borrow_game(game), borrow_sets(sets)
    rows, heads, spec = memory.rows, memory.heads, game.spec
    tests = spec[PRUNINGS] & STUCK_RESERVE != 0 and spec[PASSES] != 1
    while True:
        has_room = status[STACK_TOP] + MOST_CHANGES <= len(rows)
        stop = reason_to_stop(status, status[NODES], status[ENTRIES], memory.index, has_room, False)
        if stop != GO_ON:
            return stop
        level = next_level(heads, status[HIGHEST_FIRST] != 0)
        if level == NOTHING:
            return I(EXHAUSTED)
        row = heads[level]
        heads[level] = I(rows[row, LINKS] >> HALF) - 1
        if rows[row, TIMES] & DOMINATED:
            continue
        if tests and is_stuck(rows[row, UP], ZERO, rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER], ONE, game,
                              reserves):
            continue
        status[NODES] += 1
        core = rows[row, UP], rows[row, TABLEAU], rows[row, BOTTOMS], rows[row, HIGHER]
        if expand_core(core, rows[row, TIMES], memory, status, game, sets, room):
            return I(WON)


@inlined
def next_level(heads, highest_first):
    """The level to expand next, NOTHING where no row waits."""
    for step in range(CORE_LEVELS):
        level = CORE_LEVELS - 1 - step if highest_first else I(step)
        if heads[level] != NOTHING:
            return level
    return I(NOTHING)


@inlined
def find_ends(core, times, game, sets, room):
    """Write the ends into ``room``, with no tails yet; returns how many there are."""
    _, _, bottoms, higher = core
    room.ends[:] = -1
    cards, end = ends_of_core(core, game.spec), I(0)
    while cards:
        code = lowest_bit(cards)
        cards &= cards - ONE
        times >>= TIME_BITS
        room.ends[CODE + end], room.ends[SINCE + end] = code, I(times & TIME_MASK)
        room.tails[end], room.guests[end] = ZERO, sets.guests[code]
        while not (bottoms >> U(code)) & ONE:
            code = host_of(code, higher, game.spec[RANKS])
        room.ends[LOWEST + end] = code
        end += 1
    return end


@inlined
def stock_left(core, game):
    """The stock cards that are neither up nor in the core, by index; and those of them that may go up next."""
    up_word, tableau, _, _ = core
    up = up_word & CARDS
    goes_up = next_cards(up, deck_of(game.spec))
    left, rising = ZERO, ZERO
    for number in range(len(game.stock)):
        card = ONE << U(game.stock[number])
        if card & (up | tableau) == ZERO:
            left |= ONE << U(number)
            if card & goes_up:
                rising |= ONE << U(number)
    return left, rising


@inlined
def expand_core(core, times, memory, status, game, sets, room):
    """Enter all cores that one change leads to; True when a win is among them."""
    spec = game.spec
    left, rising = stock_left(core, game)
    count = find_ends(core, times, game, sets, room)
    now = I(times & TIME_MASK)
    if raise_others(core, now, memory, status, game, room):
        return True
    if spec[PASSES] == 0:
        while lay_in_tails(left, count, I(0), sets, game, room) != ZERO:
            pass
        return core[0] >> UPPER_SHIFT == ZERO or change_core(core, rising, count, I(0), True, memory, status, game, sets,
                                                             room)
    way, earliest = I(len(game.stock)) + 1, now
    for end in range(count):
        earliest = min(earliest, room.ends[SINCE + end])
    laid = ZERO
    waiting = left if has_space(core, spec) else ZERO
    for at in range(earliest // way * way, spec[PASSES] * way):
        passed = at % way
        if at < earliest or not is_event(at, passed, now, left, count, room):
            continue
        turned, seen = left & ((ONE << U(passed)) - ONE), ZERO
        room.fresh[:] = ZERO
        while True:
            # What may be at the top: the last card that was not laid, and what lay above it.
            under = turned & ~laid
            reach = turned & ~((ONE << (U(63) - U(leading_zeros(under)))) - ONE) if under else turned
            if reach & ~seen == ZERO:
                break
            laid |= lay_in_tails(reach & ~seen, count, at, sets, game, room)
            seen = reach
        if at >= now:
            if change_core(core, rising & (seen | laid), count, at, at == now, memory, status, game, sets, room):
                return True
            rising &= ~(seen | laid)
            if fill_space(core, waiting & seen, at, memory, status, game, room):
                return True
            waiting &= ~seen
    return False


@inlined
def is_event(at, passed, now, left, count, room):
    """May tails or what can be played change at this time?"""
    event = at == now or passed > 0 and (left >> U(passed - 1)) & ONE != ZERO
    for end in range(count):
        event = event or room.ends[SINCE + end] == at
    return event


@inlined
def has_space(core, spec):
    """Is there a space for a stock card?"""
    return core[0] >> UPPER_SHIFT == ZERO and popcount(core[2]) < spec[PILES]


@inlined
def fill_space(core, filling, at, memory, status, game, room):
    """Enter the cores after one of these stock cards was put into a space; True when one is won."""
    up_word, tableau, bottoms, higher = core
    while filling:
        card = ONE << U(game.stock[lowest_bit(filling)])
        filling &= filling - ONE
        if put_core((up_word, tableau | card, bottoms | card, higher), at, room, memory, status, game):
            return True
    return False


@inlined
def lay_in_tails(cards, count, at, sets, game, room):
    """Let stock cards into all tails that take them, the last ones first; returns those that went into one.

    At the same time a card is not laid on one that was under it in the waste.
    """
    laid = ZERO
    for end in range(count):
        if room.ends[SINCE + end] > at:
            continue
        rest = cards & ~room.tails[end]
        while rest:
            bit = ONE << (U(63) - U(leading_zeros(rest)))
            rest ^= bit
            if bit & room.guests[end]:
                room.tails[end] |= bit
                room.fresh[end] |= bit
                room.guests[end] |= sets.guests[game.stock[lowest_bit(bit)]]
                laid |= bit
    return laid


@inlined
def raise_others(core, at, memory, status, game, room):
    """Enter the cores after an end or the reserve's top went up; True when one is won."""
    rising = ends_of_core(core, game.spec) | top_of_reserve(core, game)
    rising &= next_cards(core[0] & CARDS, deck_of(game.spec))
    while rising:
        card = rising & (~rising + ONE)
        rising ^= card
        if put_core(send_up(card, core, game), at, room, memory, status, game):
            return True
    return False


@inlined
def change_core(core, ready, count, at, everything, memory, status, game, sets, room):
    """Enter the cores after stock cards go up (``ready``), and after what is built on tails: on those with fresh cards
    or on everything; True when one is won."""
    up_word, tableau, bottoms, higher = core
    while ready:
        card = ONE << U(game.stock[lowest_bit(ready)])
        ready &= ready - ONE
        if put_core((up_word | card, tableau, bottoms, higher), at, room, memory, status, game):
            return True
    for end in range(count):
        if everything or room.fresh[end]:
            if build_on_end(core, end, count, at, everything, memory, status, game, sets, room):
                return True
    return False


@inlined
def build_on_end(core, end, count, at, everything, memory, status, game, sets, room):
    """Enter the cores after the reserve's top or a pile is built on an end, over every chain of its tail, with a fresh
    card if not ``everything``; True when one is won.

    Depth first through the tail; room.chain has for each card of the chain, the end first, its code, what may still be
    laid on it, and all stock cards up to it.
    """
    chain = room.chain
    movable = top_of_reserve(core, game)
    for other in range(count):
        if other != end:
            movable |= ONE << U(room.ends[LOWEST + other])
    depth, host, taken, arrived = I(0), room.ends[CODE + end], ZERO, True
    while depth >= 0:
        if arrived:
            chain[0, depth], chain[2, depth] = U(host), taken
            chain[1, depth] = room.tails[end] & sets.guests[host] & ~taken
            fits = game.carries[host] & movable
            if fits and (everything or taken & room.fresh[end]):
                if commit_chain(core, depth, fits, at, memory, status, game, room):
                    return True
        rest = chain[1, depth]
        arrived = rest != ZERO
        if arrived:
            bit = rest & (~rest + ONE)
            chain[1, depth] ^= bit
            host, taken = I(game.stock[lowest_bit(bit)]), chain[2, depth] | bit
            depth += 1
        else:
            depth -= 1
    return False


@inlined
def commit_chain(core, depth, fits, at, memory, status, game, room):
    """Enter the cores after each card of ``fits`` is built on the chain in ``room``; True when one is won."""
    chain = room.chain
    up_word, tableau, bottoms, higher = core
    top = top_of_reserve(core, game)
    for step in range(1, depth + 1):
        card = ONE << chain[0, step]
        tableau |= card
        if chain[0, step - 1] & U(2):
            higher |= card
    while fits:
        card = fits & (~fits + ONE)
        fits ^= card
        on_higher = higher | card if chain[0, depth] & U(2) else higher
        now_bottoms = bottoms if card == top else (bottoms & ~card) | top
        after = up_word - (ONE << UPPER_SHIFT) if top else up_word
        child = after, tableau | card | top, now_bottoms, on_higher
        if put_core(child, at, room, memory, status, game):
            return True
    return False
