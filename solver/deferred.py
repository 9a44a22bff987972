"""Deferred laying: a relaxation in which stock cards are laid when something is built on them, and not before.

When a stock card may be laid, a player need not: it serves only as a host, for what is built on it later, or to get at
what it covers in the waste. When it may go up from the waste, that need not be settled either before another card goes
up on it. So this search knows cores only (cores.py), and plays what changes a core:

* an end or the reserve's top goes up; what floats under it is counted up then;
* the reserve's top or a whole pile is built on an end, over a *chain* of stock cards of its tail, which are *bound*,
  part of the core from then on;
* a stock card that was laid goes up from a tail; the chain that it lay on is bound;
* a stock card fills a space, once the reserve is empty;
* a *watched* stock card is bound, with the chain under it, when it is laid;
* part of a pile makes way for the card that it lies on, where parts may move: see below.

Which stock cards may lie in the tails or float is told by turning the stock again (tails.py, turning.py). Every change
is played as early as it can be.

Claim: if a position can be won, so can its core at its time. Proof: play a win, and follow it with a row: its core is
that of the position, perhaps with idle cards, its time no later than the position's, and each of its ends is one since
no later than in the play. Let I be the idle cards of the position and J those that float. The
closure from the row, up to the time of the position, lets I into the tails and J float: take these events in their
order. When c came to the top of the waste, what had been above it was counted up or in the core (and is no longer in
the row's stock), in J or in I, before c; so c is at the top here no later. In the play c lay on an end of today's core,
which has been one since, or on a card of I. A card of J went up from the waste, on one that is counted up or in J.

Now the changes. Turning, laying and floating are none: the row stays. Nor is it one when a card goes up from a tail
that floats in the closure by then: it joins J. Every other change, of a pile, the reserve or by a card from a tail,
the row makes as well, at the first time at which the closure allows it; a card from a tail at the first time at which
it could go up, if it was laid before that (later it would float when it came to the top). What must be seen is that I
and J are still in the closure of the new row when the play has made the change:

* What floated by the time of the new row does so there from the start. So let j float later. If it went up from the
  waste: what was above it is gone in the new closure, too, unless that lay on the end that the change concerns.
* If it went up from the tail of an end that is still there, it is in this tail in the new closure, and its going up is
  made up for as a change from the new row, no later than in the play; the two changes do not touch each other.
* On the end that the change concerns nothing lies any more but what is bound. All that lay there and left was in this
  tail and afloat before the play made the change. So the row makes each change of an end once more whenever more of
  its tail floats (*renewals*), and one of these new rows has them all.

What the closure allows at some time, it allows a row with no later times and no fewer cards afloat at that time or
before: so this row dominates the other. Times that say nothing (cores.py) may be any.

*Watched cards* do not uncover what lies under them when they are in a tail. If in the play a card leaves the waste that
such a card covered when it was laid, and it still lies there idle, then the row follows its laying as a change.
Which cards are watched is free: at first none are, and when the easier game may be won, those that uncovered something
in this win (*suspects*) are, and the search begins again (setengines.Deferred).

*What goes up at once.* Nothing is laid on a card any more that cardsets.is_rigid_safe tells of a core (with what is
attached there, which is attached in the position, too). So rows may be ahead of the play: let E be cards that are up in
the row alone, on which the win lays none but cards of E, and on which no others lie. Take E off the position before its
core is taken; the moves of cards of E are nothing to the row. What lies under one is an end of the row earlier than in
the play. Where one is alone in a pile, or the reserve's top, the row has the next card of the reserve in its place,
from where that leaves for wherever the win takes it from the reserve; or a space. A stock card of E covers nothing in
the row's waste. So the proof above holds, and E may grow by every safe card that can go up in the row: those of the
core at once (cores.settled_core), or when those that float under them are safe as well. If the win changes the core
before that, the row does; if not, its next change is no earlier, so that nothing else has to be tried from then on.

In the same way is_rigid_dead and is_stuck may be asked of a core: what waits in a circle, or is stuck with the tails
and what floats in hand, is so in the position.

*Without a limit on passes* every stock card comes to the top again and again if one card is drawn at a time; for larger
draws that is generous once more, as in the draw-one relaxation, so that the first ones are taken by the true rules
(fronts.py). All others, the *loose* ones, are at hand at any time: there are no times, and what can float does so from
the start of each row. A loose card is then idle again when only idle cards lie on it any more: it is in the tail of
the end under it in any closure, so that the core lets it go (cores.settled_core). In a space it is idle until something
else is built on it, a change that may use any loose card there (chains.try_chains); from then on it is part of the core
to stay. With no front the search ends as "may be won" when the reserve is empty, as more shows hardly anything.

*Where any part of a pile may move* and no base card is covered it does not matter which twin a card lies on, so that a
win is as good as one in which a part leaves a twin, for the other or for a space, only when the card that it lay on
goes up next (cardsets.py, (a); cardsets.parts_to_move). So this is a change, too: a part that lies on a card that could
go up is built on an end or on a chain, or put into a space. Attached cards do not only leave by going up there, so that
of the cards above only those are safe on which nothing can be laid that is not up, and no core is dead for its rigid
piles.

Conditions: one deck in alternate colours, emptied piles are filled from the reserve, nothing returns, at most four
piles; whole piles move, and passes are without limit or the draw is one, or parts of piles move, base cards are not
covered, and passes are without limit.

Rows are expanded level by level, lowest first, so that of each core only rows which no other dominates are expanded.
"""

from solver.bits import FALSE, I, ONE, U, ZERO, borrow, inlined, kernel, lowest_bit
from solver.cardsets import CARDS, UPPER_SHIFT, next_cards
from solver.chains import try_chains
from solver.cores import floating_cards, has_space, put_into_space, top_of_reserve
from solver.deadends import is_stuck
from solver.fronts import left_in_front, play_front, tops_of_front
from solver.packed import PASSES, PRUNINGS, UNIT, UNIT_PILE, borrow_game
from solver.prunings import STUCK_RESERVE
from solver.rows import (BOTTOMS, CORE_LEVELS, DOMINATED, FLOATING, HALF, HIGHER, LINKS, MOST_NOTED, NO_END, NOTHING,
                         SUSPECTS, TABLEAU, TIME_MASK, TIMES, UP, borrow_cores, borrow_room, enter_noted, note_core,
                         phase_of)
from solver.search import ENTRIES, EXHAUSTED, GO_ON, NODES, STACK_TOP, WON, reason_to_stop
from solver.setsearch import deck_of
from solver.stages import borrow_sets, cards_of, indices_of
from solver.tails import add_end, find_ends, hosts_for, parts_in_the_way
from solver.turning import have_at_hand, note_win, rise_over, turn_on


@kernel
def search_cores(memory, status, game, sets, reserves, room):
    """Search on until something has to be done outside, with the outcomes of search.search_slice.

    memory: rows.Cores; sets: stages.StockSets; reserves: see deadends.is_stuck; room: rows.Room. WON says no more
    than that the easier game may be won.
    """
    memory, room, status, reserves = borrow_cores(memory), borrow_room(room), borrow(status), borrow(reserves)
    game, sets = borrow_game(game), borrow_sets(sets)
    rows, heads, spec = memory.rows, memory.heads, game.spec
    tests = spec[PRUNINGS] & STUCK_RESERVE != 0 and spec[PASSES] != 1
    while True:
        has_room = status[STACK_TOP] + MOST_NOTED <= len(rows)
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
        note_changes(core, rows[row, TIMES], rows[row, FLOATING], rows[row, SUSPECTS], game, sets, room)
        if enter_noted(core[0], memory, status, game, sets, room):
            return I(WON)


@inlined
def lowest_level(heads):
    """The level to expand next, NOTHING where no row waits."""
    for level in range(CORE_LEVELS):
        if heads[level] != NOTHING:
            return I(level)
    return I(NOTHING)


@inlined
def note_changes(core, times, counts, suspects, game, sets, room):
    """Note all cores that one change leads to."""
    spec = game.spec
    if spec[PASSES] == 0 and room.front == ZERO and core[0] >> UPPER_SHIFT == ZERO:
        note_win(I(0), ZERO, game, room)
        return
    # The stock cards that are neither up, unless they float, nor in the core; those of the front are none of them.
    codes, front = sets.stock & ~(core[0] | core[1] | room.front), left_in_front(core, room)
    now, room.phase[0] = (I(times & TIME_MASK), I(0)) if spec[PASSES] else (I(0), phase_of(times))
    count = find_ends(core, times, game, sets, room)
    most_up, left = rise_over(core[0] & CARDS, codes, deck_of(spec)), indices_of(codes, sets)
    space = has_space(core, spec)
    # What may be built on an end: the reserve's top, whole piles by their first cards, the front, and parts of piles.
    movable = core[2] | top_of_reserve(core, game)
    parts = core[1] & ~core[2] if spec[UNIT] != UNIT_PILE else ZERO
    watched, filling = room.watched & left, left if space and spec[PASSES] else ZERO
    hosts = watched | hosts_for(movable | front | parts | most_up & codes | cards_of(watched, sets), codes, sets, spec)
    of_use = hosts | indices_of(most_up & codes, sets)
    if spec[PASSES]:
        events, now_event, lifted = turn_on(core, counts, suspects, codes, most_up, of_use, filling, count, now, game,
                                            sets, room)
    else:
        events, now_event, lifted = have_at_hand(core, codes, most_up, of_use, count, game, sets, room)
    if now_event >= events:
        return
    if front:
        front = tops_of_front(core, now_event, count, sets, game, room)
        play_front(core, front, space, now_event, game, sets, room)
    if parts:
        up = core[0] & CARDS | floating_cards(core[0], room.counts[now_event])
        parts = parts_in_the_way(core, next_cards(up, deck_of(spec)), spec)
        if space:
            part_to_space(core, parts, now_event, room)
    movable |= front | parts
    # Without a limit on passes a space is one end more, for each card that may be put into it.
    end, spaces = I(0), hosts if space and spec[PASSES] == 0 else ZERO
    while end < count or spaces:
        place, filled = core, ZERO
        if end == count:
            filled = spaces & (~spaces + ONE)
            spaces ^= filled
            code = game.stock[lowest_bit(filled)]
            place = put_into_space(ONE << U(code), core)
            add_end(end, code, left & ~filled, sets, game, room)
        try_chains(place, end, movable & ~room.piles[end], hosts & ~filled, lifted, left & ~filled, now_event, events,
                   game, sets, room)
        if end < count:
            end += 1


@inlined
def part_to_space(core, parts, event, room):
    """Note the cores after each of these parts of piles was put into a space."""
    while parts:
        card = parts & (~parts + ONE)
        parts ^= card
        note_core(put_into_space(card, core), event, ZERO, NO_END, room)
