"""Turning the stock once more, from the time of a core on: which stock cards come to the top of the waste when, which
of them may lie in the tails or float, and what may leave the core (see deferred.py)."""

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit
from solver.cardsets import CARDS, next_cards
from solver.cores import (AFLOAT_BITS, above, count_up, ends_of_core, floating_cards, put_into_space, safe_among,
                          send_up, top_of_reserve)
from solver.packed import PASSES
from solver.rows import CODE, NO_END, note_core
from solver.setsearch import deck_of
from solver.stages import cards_of, indices_of
from solver.tails import first_time, lay_at_will, lay_what_comes_up, next_opening, taken_by_ends


@inlined
def turn_on(core, counts, suspects, codes, most_up, of_use, filling, count, now, game, sets, room):
    """Turn the stock from the time at which the first end became one, note as events when something changes, and from
    that of the core on the cores after other than stock cards went up, or stock cards filled a space.

    codes: the stock cards neither counted up nor in the core, as a set of cards; most_up: all cards that may be up when
    no others go up; by index, of_use: the stock cards of which it matters when they come to the top; filling: those
    that may fill a space. Returns the number of events before the one from which on nothing else is to be tried, the
    event at the time of the core, and the stock cards that may go up from tails.
    """
    deck, left, way = deck_of(game.spec), indices_of(codes, sets), I(len(game.stock)) + 1
    up, floating = core[0] & CARDS, floating_cards(core[0], counts)
    gone = indices_of(floating, sets)
    risen = gone, floating, counts, suspects
    may_leave = others_to_rise(core, most_up, game)
    leaving, safe_up, lifted, ready, events, now_event, changed = may_leave, up, ZERO, ZERO, I(0), I(0), True
    at = first_time(now, count, room)
    began, opening = at // way * way, next_opening(at, now, count, room)
    takes, wanted = taken_by_ends(at, count, room), ZERO
    while at < game.spec[PASSES] * way:
        if at == now:
            wanted = indices_of(next_cards(up | risen[1], deck) & codes, sets)
        turned, grown = left & ((ONE << U(at - began)) - ONE), True
        while grown:
            seen, gone, takes = lay_what_comes_up(turned, gone, takes, count, at, sets, game, room)
            rising = wanted & seen
            grown = rising != ZERO
            if grown:
                risen = float_up(rising, risen, turned & gone & ~risen[0], sets)
                gone |= rising
                wanted, changed = indices_of(next_cards(up | risen[1], deck) & codes, sets), True
        afloat, floating, counts, suspects = risen
        if up | floating == deck:
            note_win(events, suspects, game, room)
            return now_event, now_event, lifted
        if changed or at == now or seen & (of_use | filling):
            note_event(events, at, seen & of_use, turned & gone & ~afloat, counts, suspects, room)
            if at == now:
                now_event = events
            if at >= now:
                renewed = renew_ends(afloat, at == now, count, events, room) & may_leave
                leaving |= renewed
                changed = changed or renewed != ZERO
            if at >= now and changed:
                safe_up, safe = grow_safe(core, safe_up, floating, leaving, game)
                going = safe & (~safe + ONE) if safe else next_cards(up | floating, deck)
                raise_others(going & leaving, core, events, game, room)
                if safe:
                    return events, now_event, lifted
                next_stock, leaving, changed = indices_of(going & codes, sets), leaving & ~going, False
                lifted |= note_rises(next_stock & ~(ready | seen), events, room)
                ready |= next_stock
            if at >= now and filling & seen:
                fill_space(core, filling & seen, events, game, room)
                filling &= ~seen
            events += 1
            if at >= now and of_use | filling == ZERO and leaving == ZERO and most_up != deck:
                break
        # Before the time of the core it matters only when a card is turned that can be laid then, or that may have
        # been: watched cards are not gone then.
        at, began = next_turning(left if at >= now else left & (takes | gone | room.watched), at, began, way)
        if at >= opening:
            at = opening
            began, opening = at // way * way, next_opening(at, now, count, room)
            takes = taken_by_ends(at, count, room)
    return events, now_event, lifted


@inlined
def have_at_hand(core, codes, most_up, of_use, count, game, sets, room):
    """As :func:`turn_on`, without a limit on passes: ``codes`` are at the top at any time, so that there is one event,
    and all that can float does."""
    left, up = indices_of(codes, sets), core[0] & CARDS
    lay_at_will(left, count, sets, game, room)
    if most_up == deck_of(game.spec):
        note_win(I(0), ZERO, game, room)
        return I(0), I(0), ZERO
    note_event(I(0), I(0), left & of_use, ZERO, suits_of(most_up ^ up), ZERO, room)
    room.renewals[:, 0] = 0
    leaving = others_to_rise(core, most_up, game)
    _, safe = grow_safe(core, up, most_up ^ up, leaving, game)
    raise_others(safe & (~safe + ONE) if safe else leaving, core, I(0), game, room)
    return I(0) if safe else I(1), I(0), ZERO


@inlined
def float_up(rising, risen, laid, sets):
    """What floats (stock cards by index, cards, how many of each suit) and the suspects, after the stock cards
    ``rising`` went up from the waste as well. laid: those turned that were laid instead."""
    afloat, floating, counts, suspects = risen
    cards = cards_of(rising, sets)
    return afloat | rising, floating | cards, counts + suits_of(cards), suspects | above(lowest_bit(rising), laid)


@inlined
def next_turning(coming, at, began, way):
    """The next time at which one of the stock cards ``coming`` is turned, or a pass begins; and when its pass began."""
    ahead = coming >> U(at - began)
    if ahead:
        return at + lowest_bit(ahead) + 1, began
    began += way
    return began + (lowest_bit(coming) + 1 if coming else way), began


@inlined
def rise_over(up, cards, deck):
    """The cards up after all of ``cards`` that can went up."""
    rising = next_cards(up, deck) & cards
    while rising:
        up |= rising
        rising = next_cards(up, deck) & cards
    return up


@inlined
def suits_of(cards):
    """How many of these cards are of each suit, as word FLOATING of a row."""
    counts = ZERO
    while cards:
        counts += ONE << AFLOAT_BITS * U(lowest_bit(cards) & 3)
        cards &= cards - ONE
    return counts


@inlined
def note_event(event, at, tops, laid, counts, suspects, room):
    """Write an event into ``room``."""
    room.events[event], room.tops[event], room.laid[event] = at, tops, laid
    room.counts[event], room.suspects[event] = counts, suspects


@inlined
def note_win(event, suspects, game, room):
    """Note that the easier game may be won, as an event and as a core."""
    note_event(event, I(0), ZERO, ZERO, ZERO, suspects, room)
    note_core((deck_of(game.spec), ZERO, ZERO, ZERO), event, ZERO, NO_END, room)


@inlined
def others_to_rise(core, most_up, game):
    """The ends and the reserve's top that go up when all of ``most_up`` is up."""
    return (ends_of_core(core, game.spec) | top_of_reserve(core, game)) & next_cards(most_up, deck_of(game.spec))


@inlined
def renew_ends(afloat, begins, count, event, room):
    """Note the ends in whose tails more of the stock cards ``afloat`` may lie than before; returns them. begins:
    whether this is the time of the core, from which on it is told."""
    ends = ZERO
    for end in range(count):
        in_tail = room.tails[end] & afloat
        if begins:
            room.renewals[end, 0] = 0
        elif in_tail != room.in_tails[end]:
            ends |= ONE << U(room.ends[CODE + end])
            room.renewals[end, 0] += 1
            room.renewals[end, room.renewals[end, 0]] = event
        room.in_tails[end] = in_tail
    return ends


@inlined
def note_rises(rising, event, room):
    """Note from which event on these stock cards might go up from tails; returns them."""
    rest = rising
    while rest:
        room.rises[lowest_bit(rest)] = event
        rest &= rest - ONE
    return rising


@inlined
def grow_safe(core, safe_up, floating, leaving, game):
    """The cards up or afloat that are safe where they are, more than before; and those of ``leaving`` that may safely
    go up on them."""
    deck = deck_of(game.spec)
    while True:
        safe = safe_among(next_cards(safe_up, deck) & (floating | leaving), core, safe_up, game)
        if safe & floating == ZERO:
            return safe_up, safe
        safe_up |= safe & floating


@inlined
def raise_others(rising, core, event, game, room):
    """Note the cores after each of these ends, or the reserve's top, went up."""
    up_word, tableau, bottoms, higher = core
    while rising:
        card = rising & (~rising + ONE)
        rising ^= card
        counted = count_up(card, up_word, room.counts[event]), tableau, bottoms, higher
        note_core(send_up(card, counted, game), event, ZERO, NO_END, room)


@inlined
def fill_space(core, filling, event, game, room):
    """Note the cores after one of these stock cards was put into a space."""
    while filling:
        index = lowest_bit(filling)
        filling &= filling - ONE
        filled = put_into_space(ONE << U(game.stock[index]), core)
        note_core(filled, event, above(index, room.laid[event]), NO_END, room)
