"""Chains: stock cards of a tail, one on the other from the end on, each laid after the one under it (see deferred.py).

What is built on a chain binds it: its cards are part of the core from then on. So does a card that goes up from it, and
a watched card when it is laid to get at what it covers in the waste.
"""

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit
from solver.cardsets import UPPER_SHIFT
from solver.cores import above, count_up, top_of_reserve
from solver.fronts import left_in_front, note_without
from solver.packed import PASSES
from solver.rows import CODE, NO_END, SINCE, note_core

NO_INDEX = 63
"""Stands for the index of an end where that of a stock card laid on it is asked for."""
# Rows of Room.chain, by step, the end first: the card's code; what may still be laid on it; the stock cards up to it;
# the event at which it was laid and its index; the suspects so far.
CHAIN_CODE, CHAIN_GUESTS, CHAIN_TAKEN, CHAIN_LAID, CHAIN_SUSPECTS = range(5)


@inlined
def try_chains(core, end, units, hosts, lifted, left, now, events, game, sets, room):
    """For every chain on an end that can be laid before event number ``events``, note the cores after one of ``units``
    was built on it, one of the stock cards ``lifted`` went up from it, or its last card was laid to get at others. Depth
    first.

    hosts: what chains may be made of; left: all stock cards that are left; now: the event at the time of the core.
    """
    chain = room.chain
    depth, host, taken, arrived = I(0), room.ends[CODE + end], ZERO, True
    event, index = first_event(end, events, room), I(NO_INDEX)
    while depth >= 0:
        if arrived:
            note_step(depth, host, taken, event, index, end, game, sets, room)
            going, fits = chain[CHAIN_GUESTS, depth] & lifted, game.carries[host] & units
            chain[CHAIN_GUESTS, depth] &= hosts
            if going | fits | room.watched & taken:
                change_chain(core, end, depth, fits, going, event, index, left, now, events, game, sets, room)
        rest = chain[CHAIN_GUESTS, depth]
        if rest == ZERO:
            depth, arrived = depth - 1, False
            continue
        bit = rest & (~rest + ONE)
        chain[CHAIN_GUESTS, depth] ^= bit
        event, index = I(chain[CHAIN_LAID, depth]) // (NO_INDEX + 1), I(chain[CHAIN_LAID, depth]) % (NO_INDEX + 1)
        event = next_laying(bit, event, index, events, game, room)
        arrived = event < events
        if arrived:
            index = lowest_bit(bit)
            host, taken = I(game.stock[index]), chain[CHAIN_TAKEN, depth] | bit
            depth += 1


@inlined
def first_event(end, events, room):
    """The first event from the time on at which an end became one."""
    event = I(0)
    while event < events and room.events[event] < room.ends[SINCE + end]:
        event += 1
    return event


@inlined
def change_chain(core, end, depth, fits, going, event, index, left, now, events, game, sets, room):
    """Note the cores that the changes of a chain lead to, as early as they can be made, and after each renewal of the
    end."""
    first = max(now, event) if depth else now
    for number in range(room.renewals[end, 0] + 1):
        at = max(first, room.renewals[end, number]) if number else first
        if number and (at == first or at >= events):
            continue
        if fits:
            build_on_chain(core, depth, fits, at, game, sets, room)
        if going:
            raise_from_chain(core, end, depth, going, event, index, at, game, events, room)
        if depth:
            bind_watched(core, depth, index, at, left, events, room)


@inlined
def next_laying(bit, event, index, events, game, room):
    """The first event from this one on at which a stock card can be laid on the one with this index, which is laid
    then; at the same time only if it was under that in the waste. ``events`` where there is none."""
    if lowest_bit(bit) >= index and game.spec[PASSES]:
        event += 1
    return event_with(bit, event, events, room)


@inlined
def event_with(bit, event, events, room):
    """The first event from this one on with a stock card at the top; ``events`` where there is none."""
    while event < events and room.tops[event] & bit == ZERO:
        event += 1
    return event


@inlined
def note_step(depth, host, taken, event, index, end, game, sets, room):
    """Enter a card of a chain, ``depth`` cards above the end."""
    room.chain[CHAIN_CODE, depth], room.chain[CHAIN_TAKEN, depth] = U(host), taken
    room.chain[CHAIN_GUESTS, depth] = room.tails[end] & sets.guests[host] & ~taken
    room.chain[CHAIN_LAID, depth] = U(event * (NO_INDEX + 1) + index)
    room.chain[CHAIN_SUSPECTS, depth] = ZERO
    if depth:
        room.chain[CHAIN_SUSPECTS, depth] = room.chain[CHAIN_SUSPECTS, depth - 1] | above(index, room.laid[event])


@inlined
def with_chain(core, depth, room):
    """The tableau and the cards on higher twins with the chain of ``room`` on its end."""
    _, tableau, _, higher = core
    for step in range(1, depth + 1):
        card = ONE << room.chain[CHAIN_CODE, step]
        tableau |= card
        if room.chain[CHAIN_CODE, step - 1] & U(2):
            higher |= card
    return tableau, higher


@inlined
def build_on_chain(core, depth, fits, at, game, sets, room):
    """Note the cores after each card of ``fits`` is built on the chain in ``room`` at this event."""
    up_word, _, bottoms, _ = core
    tableau, higher = with_chain(core, depth, room)
    top = top_of_reserve(core, game)
    after = up_word - (ONE << UPPER_SHIFT) if top else up_word
    while fits:
        card = fits & (~fits + ONE)
        fits ^= card
        on_higher = higher | card if room.chain[CHAIN_CODE, depth] & U(2) else higher & ~card
        suspects = room.chain[CHAIN_SUSPECTS, depth]
        if card & left_in_front(core, room):
            note_without(card, (up_word, tableau | card, bottoms, on_higher), core, at, suspects, game, sets, room)
            continue
        if card & core[1] & ~bottoms:  # a part of a pile
            built = up_word, tableau, bottoms, on_higher
        else:
            built = after, tableau | card | top, bottoms if card == top else (bottoms & ~card) | top, on_higher
        note_core(built, at, suspects, NO_END, room)


@inlined
def raise_from_chain(core, end, depth, going, event, index, at, game, events, room):
    """Note the cores after each of these stock cards went up at the event noted for it, but not before ``at``, if it
    can have been laid on the chain in ``room`` before it was noted. The chain is bound, and what the card lay on an end
    from then on."""
    up_word, _, bottoms, _ = core
    tableau, higher = with_chain(core, depth, room)
    while going:
        bit = going & (~going + ONE)
        going ^= bit
        rises = room.rises[lowest_bit(bit)]
        laid = next_laying(bit, event, index, events, game, room)
        if laid < rises:
            rises = max(rises, at)
            card = ONE << U(game.stock[lowest_bit(bit)])
            suspects = room.chain[CHAIN_SUSPECTS, depth] | above(lowest_bit(bit), room.laid[laid])
            note_core((count_up(card, up_word, room.counts[rises]) | card, tableau, bottoms, higher), rises, suspects,
                      room.ends[CODE + end], room)


@inlined
def bind_watched(core, depth, index, event, left, events, room):
    """Note the core after the chain in ``room`` was bound when its last card was laid, at this event or later, to get
    at what that covers in the waste."""
    bit = ONE << U(index)
    if bit & room.watched == ZERO or left & (bit - ONE) == ZERO:
        return
    event = event_with(bit, event, events, room)
    if event < events:
        up_word, _, bottoms, _ = core
        tableau, higher = with_chain(core, depth, room)
        note_core((up_word, tableau, bottoms, higher), event, room.chain[CHAIN_SUSPECTS, depth], NO_END, room)
