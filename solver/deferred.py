"""Deferred laying: a relaxation in which stock cards are laid when something is built on them, and not before.

When a stock card may be laid, a player need not: it serves only as a host, for what is built on it later, or to get at
what it covers in the waste. So this search knows cores only (cores.py), and plays what changes a core:

* a card goes up: an end, the reserve's top, or a stock card;
* the reserve's top or a whole pile is built on an end, over a *chain* of stock cards of its tail, which so become part
  of the core;
* a stock card fills a space, once the reserve is empty.

Which stock cards may lie in the tails is told by turning the stock again (tails.py). Every change is played as early as
it can be.

Claim: if a position can be won, so can its core at its time. Proof: play a win, and follow it with a row: its core is
that of the position, perhaps with idle cards, its time no later than the position's, and each of its ends is one since
no later than in the play. Let I be the cards of the position that are not in the row's core, idle ones. (1) The closure
from the row, up to the time of the position, lays all of I: take them in the order of their being laid. When c of I was
laid, what had been above it in the waste was up, part of the core by now (both are no longer in the row's stock), or an
idle card laid before c; so c is at the top here no later. It was laid on an end of today's core, which has been one
since (what is built on an end stays idle or joins the core), or on an idle card that was laid before. If the end is new
since, then c was laid after that. (2) Turning and laying change no core: the row stays. (3) A pile or the reserve's top
is built on the last card of a tail, or on an end: those cards of the tail lay there one on the other, laid in this
order, so that the closure has them all in the tail of this end, each at the top at a time no earlier than the one under
it; at the same time only if it had been under that in the waste. (4) A stock card goes up from the waste, or from a
tail: it is at the top, or was laid, in the closure, too. If it was laid at the time of the row or later, the row sends
it up when it is at the top then. If it was laid before, the row does so at its own time, and *binds* what the card lay
on, the cards of a chain: these lie there in the play as well, so that they are in the core and not in I from now on;
what the card lay on is an end as of now. (5) A space is filled by the top of the waste: as in (4). (6) The reserve
fills emptied piles of the play and of the row alike, and what became an end does so at the same time or earlier. In (3)
to (5) the row plays at the first time at which the closure allows it, so that its time is no later; what the closure
allows at some time, it allows a row without later times at that time or before: so a row dominates those with later
times.

*What goes up at once.* Nothing is laid on a card any more that cardsets.is_rigid_safe tells of a core (with what is
attached there, which is attached in the position, too). So rows may be ahead of the play: let E be cards that are up in
the row alone, on which the win lays none but cards of E, and on which no others lie. Take E off the position before its
core is taken; the moves of cards of E are nothing to the row. What lies under one is an end of the row earlier than in
the play. Where one is alone in a pile, or the reserve's top, the row has the next card of the reserve in its place,
from where that leaves for wherever the win takes it from the reserve; or a space. A stock card of E covers nothing in
the row's waste. So the proof above holds, and E may grow by every safe card that can go up in the row: an end or the
reserve's top at once (cores.settled_core), a stock card when it is first at the top. If the win changes the core before
that, the row does; if not, its next change is no earlier, so that nothing else has to be tried from then on.

In the same way is_rigid_dead and is_stuck may be asked of a core: what waits in a circle, or is stuck with the tails in
hand, is so in the position.

*Without a limit on passes* every stock card comes to the top again and again if one card is drawn at a time; for larger
draws that is generous once more, as in the draw-one relaxation. So all stock cards are at hand at any time, times say
nothing and are left 0, and the search ends as "may be won" when the reserve is empty.

Conditions: one deck in alternate colours, whole piles move, emptied piles are filled from the reserve, nothing returns,
at most four piles; passes without limit, or a draw of one.

Rows are expanded level by level, lowest first, so that of each core only rows which no other dominates are expanded.
"""

from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit, popcount
from solver.cardsets import CARDS, UPPER_SHIFT, is_rigid_safe, next_cards
from solver.cores import (BOTTOMS, CODE, CORE_LEVELS, DOMINATED, HALF, HIGHER, LINKS, LOWEST, NOTHING, SINCE, TABLEAU,
                          TIME_MASK, TIMES, UP, borrow_cores, borrow_room, ends_of_core, put_core, send_up,
                          top_of_reserve)
from solver.deadends import is_stuck
from solver.packed import COVER, PASSES, PILES, PRUNINGS, RANKS, borrow_game
from solver.prunings import STUCK_RESERVE
from solver.search import ENTRIES, EXHAUSTED, GO_ON, NODES, STACK_TOP, WON, reason_to_stop
from solver.setsearch import deck_of
from solver.stages import borrow_sets, indices_of
from solver.tails import (CHAIN_CODE, CHAIN_GUESTS, CHAIN_LAID, CHAIN_TAKEN, NO_INDEX, find_ends, first_event,
                          first_time, hosts_for, lay_in_tails, lay_what_comes_up, movable_units, next_laying, note_step,
                          open_ends, with_chain)

MOST_CHANGES = 4096
"""More changes than cores have as a rule."""


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
        level = lowest_level(heads)
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
def lowest_level(heads):
    """The level to expand next, NOTHING where no row waits."""
    for level in range(CORE_LEVELS):
        if heads[level] != NOTHING:
            return I(level)
    return I(NOTHING)


@inlined
def expand_core(core, times, memory, status, game, sets, room):
    """Enter all cores that one change leads to; True when a win is among them."""
    spec = game.spec
    # The stock cards that are neither up nor in the core, and those of them that may go up next, also by index.
    codes = sets.stock & ~(core[0] | core[1])
    next_codes = codes & next_cards(core[0] & CARDS, deck_of(spec))
    left, rising = indices_of(codes, sets), indices_of(next_codes, sets)
    count, now = find_ends(core, times, game, sets, room), I(times & TIME_MASK)
    movable, safe = movable_units(core, count, game, room), safe_stock(core, rising, game)
    hosts = hosts_for(movable | next_codes, codes, sets, spec)
    if spec[PASSES] == 0:
        events, limit, won = turn_for_ever(core, left, rising, safe, count, memory, status, game, sets, room)
        rising = ZERO
    else:
        events, limit, won, rising = turn_on(core, left, rising, safe, hosts, count, now, memory, status, game, sets,
                                             room)
    if won or limit == 0:
        return won
    if now < limit and raise_others(core, now, memory, status, game, room):
        return True
    if now >= limit:
        rising = ZERO
    for end in range(count):
        units = movable & ~(ONE << U(room.ends[LOWEST + end]))
        if try_chains(core, end, units, hosts, rising, now, events, limit, memory, status, game, sets, room):
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
def turn_on(core, left, rising, safe, hosts, count, now, memory, status, game, sets, room):
    """Turn the stock from the time at which the first end became one, see what may lie in the tails, and enter the
    cores after stock cards went up from the waste or into a space. hosts: what chains may be made of.

    Returns how many events were noted, the time from which on nothing else is to be tried, whether a core is won, and
    those of ``rising`` that did not go up.
    """
    spec = game.spec
    way, laid, events = I(len(game.stock)) + 1, ZERO, I(0)
    stop, in_chains, waiting = spec[PASSES] * way, hosts | rising, left if has_space(core, spec) else ZERO
    at = first_time(now, count, room)
    began = at // way * way
    takes, next_time = open_ends(at, now, count, room)
    while at < stop:
        turned = left & ((ONE << U(at - began)) - ONE)
        seen, laid, takes = lay_what_comes_up(turned, laid, takes, count, at, sets, game, room)
        if seen & in_chains:
            room.events[events], room.tops[events] = at, seen & in_chains
            events += 1
        if at >= now:
            ready = safe & seen
            if ready:
                won = raise_stock(core, ready & (~ready + ONE), at, room, memory, status, game)
                return events, at, won, rising & ~ready
            if (raise_stock(core, rising & seen, at, room, memory, status, game)
                    or fill_space(core, waiting & seen, at, room, memory, status, game)):
                return events, at, True, rising
            rising &= ~seen
            waiting &= ~seen
            if hosts | rising | waiting == ZERO:
                break
        # The next time at which something can change: a stock card is turned, or see open_ends.
        ahead = left >> U(at - began)
        if ahead:
            at += lowest_bit(ahead) + 1
        else:
            began += way
            at = began + (lowest_bit(left) + 1 if left else way)
        if at >= next_time:
            at = next_time
            began = at // way * way
            takes, next_time = open_ends(at, now, count, room)
    return events, stop, False, rising


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
def try_chains(core, end, units, hosts, rising, now, events, limit, memory, status, game, sets, room):
    """For every chain on an end that can be laid before ``limit``, enter the cores after one of ``units`` was built on
    it, or one of the stock cards ``rising`` went up from it; True when one is won. Depth first."""
    chain = room.chain
    depth, host, taken, arrived = I(0), room.ends[CODE + end], ZERO, True
    event, index = first_event(end, events, room), I(NO_INDEX)
    while depth >= 0:
        if arrived:
            note_step(depth, host, taken, event, index, end, game, sets, room)
            going, at = chain[CHAIN_GUESTS, depth] & rising, max(now, room.events[event]) if depth else now
            chain[CHAIN_GUESTS, depth] &= hosts
            fits = game.carries[host] & units
            if fits and at < limit and build_on_chain(core, depth, fits, at, memory, status, game, room):
                return True
            if going and raise_from_chain(core, end, depth, going, event, index, now, events, memory, status, game,
                                          room):
                return True
        rest = chain[CHAIN_GUESTS, depth]
        if rest == ZERO:
            depth, arrived = depth - 1, False
            continue
        bit = rest & (~rest + ONE)
        chain[CHAIN_GUESTS, depth] ^= bit
        event, index = I(chain[CHAIN_LAID, depth]) // (NO_INDEX + 1), I(chain[CHAIN_LAID, depth]) % (NO_INDEX + 1)
        event = next_laying(bit, event, index, events, game, room)
        arrived = event < events and room.events[event] < limit
        if arrived:
            index = lowest_bit(bit)
            host, taken = I(game.stock[index]), chain[CHAIN_TAKEN, depth] | bit
            depth += 1
    return False


@inlined
def build_on_chain(core, depth, fits, at, memory, status, game, room):
    """Enter the cores after each card of ``fits`` is built on the chain in ``room``; True when one is won."""
    up_word, _, bottoms, _ = core
    tableau, higher = with_chain(core, depth, room)
    top = top_of_reserve(core, game)
    after = up_word - (ONE << UPPER_SHIFT) if top else up_word
    while fits:
        card = fits & (~fits + ONE)
        fits ^= card
        on_higher = higher | card if room.chain[CHAIN_CODE, depth] & U(2) else higher
        now_bottoms = bottoms if card == top else (bottoms & ~card) | top
        if put_core((after, tableau | card | top, now_bottoms, on_higher), at, room, memory, status, game):
            return True
    return False


@inlined
def raise_from_chain(core, end, depth, going, event, index, now, events, memory, status, game, room):
    """Enter the cores after each of these stock cards, laid on the chain in ``room`` before now, went up; True when one
    is won. The chain is bound, and what the card lay on an end as of now."""
    up_word, _, bottoms, _ = core
    tableau, higher = with_chain(core, depth, room)
    since, won = room.ends[SINCE + end], False
    room.ends[SINCE + end] = now
    while going and not won:
        bit = going & (~going + ONE)
        going ^= bit
        laid = next_laying(bit, event, index, events, game, room)
        if laid < events and room.events[laid] < now:
            up = up_word | ONE << U(game.stock[lowest_bit(bit)])
            won = put_core((up, tableau, bottoms, higher), now, room, memory, status, game)
    room.ends[SINCE + end] = since
    return won
