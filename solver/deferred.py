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
this end, each at the top at a time no earlier than the one under it; at the same time only if it had been under that
in the waste. (4) A stock card goes up from a tail or from the waste: it was laid, or is at the top, in the closure, too.
(5) A space is filled by the top of the waste: as in (4). (6) The reserve fills emptied piles of the play and of the row
alike, and what became an end does so at the same time or earlier. In (3) to (5) the row plays at the first time at
which the closure allows it, so that its time is no later; what the closure allows at some time, it allows a row without
later times at that time or before: so a row dominates those with later times.

*What goes up at once.* Nothing is laid on a card any more that cardsets.is_rigid_safe tells of a core (with what is
attached there, which is attached in the position, too). So rows may be ahead of the play: let E be cards that are up in
the row alone, on which the win lays none but cards of E, and on which no others lie. Take E off the position before its
core is taken; the moves of cards of E are nothing to the row. What lies under one is an end of the row earlier than in
the play. Where one is alone in a pile, or the reserve's top, the row has the next card of the reserve in its place, from
where that leaves for wherever the win takes it from the reserve; or a space. A stock card of E covers nothing in the
row's waste. So the proof above holds, and E may grow by every safe card that can go up in the row: an end or the
reserve's top at once (cores.settled_core), a stock card when it is first at hand. If the win changes the core before
that, the row does; if not, its next change is no earlier, so that nothing else has to be tried from then on.

In the same way is_rigid_dead and is_stuck may be asked of a core: what waits in a circle, or is stuck with the tails in
hand, is so in the position.

*Without a limit on passes* every stock card comes to the top again and again if one card is drawn at a time; for larger
draws that is generous once more, as in the draw-one relaxation. So all stock cards are at hand at any time, times say
nothing and are left 0, and the search ends as "may be won" when the reserve is empty.

Conditions: one deck in alternate colours, whole piles move, emptied piles are filled from the reserve, nothing returns,
at most four piles; passes without limit, or a draw of one.

Rows are expanded level by level, lowest first, so that of each core only rows which no other dominates are expanded; or
highest first, which soon finds out where a relaxed win is near.
"""

from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel, leading_zeros, lowest_bit, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, is_rigid_safe, next_cards
from solver.cores import (BOTTOMS, CODE, CORE_LEVELS, DOMINATED, HALF, HIGHER, LINKS, LOWEST, NOTHING, SINCE,
                          TABLEAU, TIME_BITS, TIME_MASK, TIMES, UP, borrow_cores, borrow_room, ends_of_core, host_of,
                          put_core, send_up, top_of_reserve)
from solver.deadends import is_stuck
from solver.packed import COVER, PASSES, PILES, PRUNINGS, RANKS, borrow_game
from solver.prunings import STUCK_RESERVE
from solver.search import ENTRIES, EXHAUSTED, GO_ON, LAST_QUEUE, NODES, STACK_TOP, WON, reason_to_stop
from solver.setsearch import deck_of
from solver.stages import borrow_sets

MOST_CHANGES = 4096
"""More changes than cores have as a rule."""
NO_INDEX = 63
"""Stands for the index of an end where that of a stock card laid on it is asked for."""
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
        stop = reason_to_stop(status, status[NODES], status[ENTRIES], memory.index, has_room, FALSE)
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
    safe = safe_stock(core, rising, game)
    count, now = find_ends(core, times, game, sets, room), I(times & TIME_MASK)
    if spec[PASSES] == 0:
        events, limit, won = turn_for_ever(core, left, rising, safe, count, memory, status, game, sets, room)
    else:
        events, limit, won = turn_on(core, left, rising, safe, count, now, memory, status, game, sets, room)
    if won or limit == 0:
        return won
    if now < limit and raise_others(core, now, memory, status, game, room):
        return True
    for end in range(count):
        if build_on_end(core, end, count, now, events, limit, memory, status, game, sets, room):
            return True
    return False


@inlined
def turn_for_ever(core, left, rising, safe, count, memory, status, game, sets, room):
    """As turn_on without a limit on passes, where all stock cards are at hand at once."""
    if core[0] >> UPPER_SHIFT == ZERO:
        return I(0), I(0), True
    if safe:
        return I(0), I(0), raise_stock(core, safe & (~safe + ONE), I(0), room, memory, status, game)
    while lay_in_tails(left, count, I(0), sets, game, room) != ZERO:
        pass
    room.events[0], room.tops[0] = 0, left
    return I(1), I(1), raise_stock(core, rising, I(0), room, memory, status, game)


@inlined
def turn_on(core, left, rising, safe, count, now, memory, status, game, sets, room):
    """Turn the stock from the time at which the first end became one, see what may lie in the tails, and enter the
    cores after stock cards went up or into a space. Returns how many events there were, the time from which on nothing
    else is to be tried, and whether a core is won."""
    spec = game.spec
    way, laid, events = I(len(game.stock)) + 1, ZERO, I(0)
    waiting = left if has_space(core, spec) else ZERO
    at = now
    for end in range(count):
        at = min(at, room.ends[SINCE + end])
    while True:
        passed = at % way
        turned, seen = left & ((ONE << U(passed)) - ONE), ZERO
        while True:
            # What may be at the top: the last card that was not laid, and what lay above it.
            under = turned & ~laid
            reach = turned & ~((ONE << (U(63) - U(leading_zeros(under)))) - ONE) if under else turned
            if reach & ~seen == ZERO:
                break
            laid |= lay_in_tails(reach & ~seen, count, at, sets, game, room)
            seen = reach
        room.events[events], room.tops[events] = at, seen
        events += 1
        if at >= now:
            at_hand = seen | laid
            ready = safe & at_hand
            if ready:
                return events, at, raise_stock(core, ready & (~ready + ONE), at, room, memory, status, game)
            if (raise_stock(core, rising & at_hand, at, room, memory, status, game)
                    or fill_space(core, waiting & seen, at, room, memory, status, game)):
                return events, at, True
            rising &= ~at_hand
            waiting &= ~seen
        at = next_event(at, left, now, count, way, room)
        if at >= spec[PASSES] * way:
            return events, spec[PASSES] * way, False


@inlined
def safe_stock(core, rising, game):
    """Those of the stock cards ``rising`` on which nothing is laid any more."""
    up_word, tableau, bottoms, higher = core
    spec = game.spec
    last, deck, safe = U(4 * (spec[RANKS] - 1)), deck_of(spec), ZERO
    while rising:
        bit = rising & (~rising + ONE)
        rising ^= bit
        card = ONE << U(game.stock[lowest_bit(bit)])
        if is_rigid_safe(card, up_word & CARDS, tableau, bottoms, higher, last, spec[COVER], deck):
            safe |= bit
    return safe


@inlined
def next_event(at, left, now, count, way, room):
    """The next time after ``at`` at which tails or what can be played may change: a stock card is turned, an end is one
    now, or it is the time of the core."""
    start, passed = at // way * way, at % way
    ahead = left >> U(passed)
    if ahead:
        following = at + lowest_bit(ahead) + 1
    else:
        following = start + way + (lowest_bit(left) + 1 if left else way)
    if at < now:
        following = min(following, now)
    for end in range(count):
        if room.ends[SINCE + end] > at:
            following = min(following, room.ends[SINCE + end])
    return following


@inlined
def has_space(core, spec):
    """Is there a space for a stock card?"""
    return core[0] >> UPPER_SHIFT == ZERO and popcount(core[2]) < spec[PILES]


@inlined
def fill_space(core, filling, at, room, memory, status, game):
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
        rest = cards & ~room.tails[end] & room.guests[end]
        while rest:
            index = I(63) - leading_zeros(rest)
            bit = ONE << U(index)
            room.tails[end] |= bit
            room.guests[end] |= sets.guests[game.stock[index]]
            laid |= bit
            rest = cards & ~room.tails[end] & room.guests[end] & (bit - ONE)
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
def raise_stock(core, ready, at, room, memory, status, game):
    """Enter the cores after each of these stock cards went up; True when one is won."""
    up_word, tableau, bottoms, higher = core
    while ready:
        card = ONE << U(game.stock[lowest_bit(ready)])
        ready &= ready - ONE
        if put_core((up_word | card, tableau, bottoms, higher), at, room, memory, status, game):
            return True
    return False


@inlined
def build_on_end(core, end, count, now, events, limit, memory, status, game, sets, room):
    """Enter the cores after the reserve's top or a pile is built on an end, over every chain of its tail that can be
    laid before ``limit``; True when one is won.

    Depth first through the tail; room.chain has for each card of the chain, the end first, its code, what may still be
    laid on it, all stock cards up to it, and the event at which it was laid with its index.
    """
    chain = room.chain
    movable = top_of_reserve(core, game)
    for other in range(count):
        if other != end:
            movable |= ONE << U(room.ends[LOWEST + other])
    depth, host, taken, arrived = I(0), room.ends[CODE + end], ZERO, True
    event, index = I(0), I(NO_INDEX)
    while room.events[event] < room.ends[SINCE + end]:
        event += 1
    while depth >= 0:
        if arrived:
            chain[0, depth], chain[2, depth], chain[3, depth] = U(host), taken, U(event * (NO_INDEX + 1) + index)
            chain[1, depth] = room.tails[end] & sets.guests[host] & ~taken
            fits, at = game.carries[host] & movable, max(now, room.events[event])
            if fits and at < limit and commit_chain(core, depth, fits, at, memory, status, game, room):
                return True
        rest = chain[1, depth]
        if rest == ZERO:
            depth, arrived = depth - 1, False
            continue
        bit = rest & (~rest + ONE)
        chain[1, depth] ^= bit
        event, index = I(chain[3, depth]) // (NO_INDEX + 1), I(chain[3, depth]) % (NO_INDEX + 1)
        event = next_laying(bit, event, index, events, game, room)
        arrived = event < events and room.events[event] < limit
        if arrived:
            index = lowest_bit(bit)
            host, taken = I(game.stock[index]), chain[2, depth] | bit
            depth += 1
    return False


@inlined
def next_laying(bit, event, index, events, game, room):
    """The first event from this one on at which a stock card can be laid on the one with this index, which is laid
    then; at the same time only if it was under that in the waste. ``events`` where there is none."""
    if lowest_bit(bit) >= index and game.spec[PASSES]:
        event += 1
    while event < events and room.tops[event] & bit == ZERO:
        event += 1
    return event


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
