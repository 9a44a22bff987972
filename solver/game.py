"""The plain reference game: what may be played, written to be checked against the rule page line by line.

Everything here is ordinary Python on :class:`Position` tuples; speed belongs to the packed engine, which is tested
against this file. Two notions of a move:

* *elementary*: one turn of the stock (:func:`turn`) or one play of cards on the table (:func:`card_moves`);
* *the solver's* (:func:`legal_moves`): turn the stock ``turns`` times, then play the waste's top card. Turning alone
  gains nothing and takes nothing but passes, so it is only worth doing for the card that it brings up. Both notions
  win the same deals.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from solver.cards import SUIT_NAMES, BadInput, card_name, make_card, rank_of, suit_of
from solver.position import Position
from solver.rulesets import BOUNDS, Rules

RESERVE = "reserve"
WASTE = "waste"
TABLEAU = tuple(f"tableau {number}" for number in range(1, BOUNDS["piles"][1] + 1))
FOUNDATIONS = tuple(f"foundation {name}" for name in SUIT_NAMES)

_PILE_INDEX = {name: index for index, name in enumerate(TABLEAU)}
_SUIT_INDEX = {name: suit for suit, name in enumerate(FOUNDATIONS)}


class Move(NamedTuple):
    """One move: turn the stock, then carry cards from one place to another.

    turns: turns of the stock made first, 0 for none; card: the lowest card of the unit, the one that lands on the
    target; count: cards carried; source: ``"reserve"``, ``"waste"``, ``"tableau 1"``.. or ``"foundation S"``;
    target: ``"tableau 1"``.. or ``"foundation S"`` (S one of C D S H; with several decks whichever foundation of the
    suit fits); fill: the reserve card that falls into the emptied pile as part of this move, None where none does.
    """

    turns: int
    card: int
    count: int
    source: str
    target: str
    fill: int | None = None


class IllegalMove(BadInput):
    """A move that the rules do not allow; the message is one line that says which rule it breaks."""


def score(position: Position) -> int:
    """Cards on the foundations; the dealt base card counts as one."""
    return sum(position.foundations)


def won(position: Position, rules: Rules) -> bool:
    """Are all cards on the foundations?"""
    return score(position) == rules.cards


def stuck(position: Position, rules: Rules) -> bool:
    """Not won, and no card can be played any more, however often the stock is turned."""
    return not won(position, rules) and not legal_moves(position, rules)


def turn(position: Position, rules: Rules) -> Position | None:
    """The position after one turn of the stock, or None where no turn is possible.

    A turn lays up to ``draw`` cards on the waste, one on top of the other. With an empty stock it first turns the
    waste over, order kept, which starts the next pass; that needs a waste with cards and a pass that is left.
    """
    waste, stock, pass_number = position.waste, position.stock, position.pass_number
    if not stock:
        if not waste or rules.passes is not None and pass_number >= rules.passes:
            return None
        waste, stock = (), waste[::-1]
        if rules.passes is not None:
            pass_number += 1
    turned = stock[-rules.draw:]
    return replace(position, waste=waste + turned[::-1], stock=stock[:-rules.draw], pass_number=pass_number)


def card_moves(position: Position, rules: Rules) -> list[Move]:
    """All legal moves without a turn of the stock; none once the game is won.

    Equal moves to different piles are listed each, also to different spaces. Moves of several decks' equal
    foundations are listed once, for nothing tells those foundations apart.
    """
    if won(position, rules):
        return []
    return _plays(position, rules, WASTE) + _plays_without_waste(position, rules)


def legal_moves(position: Position, rules: Rules) -> list[Move]:
    """All moves in the solver's sense; none once the game is won.

    Every place in the order of stock and waste that turning can bring to the top counts once, with the smallest
    number of turns that does it: more turns would lead to the same cards with fewer passes left. All other moves
    have ``turns`` 0.
    """
    if won(position, rules):
        return []
    moves = _plays_without_waste(position, rules)
    for turns, turned in _turned_positions(position, rules):
        moves += [move._replace(turns=turns) for move in _plays(turned, rules, WASTE)]
    return moves


def apply(position: Position, rules: Rules, move: Move) -> Position:
    """The position after ``move``. Raises IllegalMove unless every detail of it is right, the fill included.

    Turns of the stock may come before any move, also one that does not use the waste.
    """
    if won(position, rules):
        raise IllegalMove("the game is won already")
    if type(move.turns) is not int or move.turns < 0:
        raise IllegalMove(f"{move.turns!r} turns of the stock: it must be 0 or more")
    for done in range(move.turns):
        turned = turn(position, rules)
        if turned is None:
            cause = f"all {rules.passes} passes are used up" if position.waste else "stock and waste are empty"
            raise IllegalMove(f"the stock cannot be turned {move.turns} times: after {done} {cause}")
        position = turned
    objection = _object_to_source(position, rules, move) or _object_to_target(position, rules, move)
    if objection is None and move.fill != _fill_after(position, rules, move.source, move.count):
        objection = _object_to_fill(position, rules, move)
    if objection is not None:
        raise IllegalMove(objection)
    return carry_out(position, rules, move)


def carry_out(position: Position, rules: Rules, move: Move) -> Position:
    """The position after a move without turns that is known to be legal, such as one out of :func:`card_moves`."""
    foundations, tableau = list(position.foundations), list(position.tableau)
    reserve, waste = position.reserve, position.waste
    if move.source == WASTE:
        waste = waste[:-1]
        unit = (move.card,)
    elif move.source == RESERVE:
        reserve = reserve[:-1]
        unit = (move.card,)
    elif move.source in _PILE_INDEX:
        index = _PILE_INDEX[move.source]
        unit = tableau[index][-move.count:]
        tableau[index] = tableau[index][:-move.count]
        if move.fill is not None:
            tableau[index] = reserve[-1:]
            reserve = reserve[:-1]
    else:
        foundations[_foundation_showing(position, rules, move.card)] -= 1
        unit = (move.card,)
    if move.target in _PILE_INDEX:
        tableau[_PILE_INDEX[move.target]] += unit
    else:
        foundations[_foundation_taking(position, rules, move.card)] += 1
    return Position(tuple(foundations), tuple(tableau), reserve, waste, position.stock, position.base,
                    position.pass_number)


def perft(position: Position, rules: Rules, depth: int) -> int:
    """Number of sequences of exactly ``depth`` legal moves (:func:`legal_moves`); a won game goes no further."""
    if depth == 0:
        return 1
    moves = legal_moves(position, rules)
    if depth == 1:
        return len(moves)
    return sum(perft(apply(position, rules, move), rules, depth - 1) for move in moves)


# What the rules say, one question a function; both the lists of moves and the checks of `apply` ask here.


def _unit_sizes(pile_size: int, rules: Rules) -> tuple[int, ...] | range:
    """How many of a pile's last cards may move to another pile together."""
    if rules.unit == "suffix":
        return range(1, pile_size + 1)
    if rules.unit == "top-or-pile" and pile_size > 1:
        return (1, pile_size)
    return (pile_size,) if pile_size else ()


def _space_takes_from(position: Position, rules: Rules, source: str) -> bool:
    """May a card or unit from ``source`` be put into a space (moving a whole pile there is no move all the same)?"""
    if rules.fill == "free":
        return True
    if position.reserve:
        return False  # Automatic fills leave no space while the reserve has cards.
    return rules.space == "any" or source == WASTE


def _foundation_taking(position: Position, rules: Rules, card: int) -> int | None:
    """Index of the first foundation on which ``card`` comes next, None where it does not fit."""
    first = suit_of(card) * rules.decks
    height = (rank_of(card) - position.base) % rules.ranks
    for index in range(first, first + rules.decks):
        if position.foundations[index] == height:
            return index
    return None


def _foundation_showing(position: Position, rules: Rules, card: int) -> int | None:
    """Index of the last foundation whose top is ``card``, None where there is none.

    The first one takes a card and the last one gives it back: so the heights of a suit stay in falling order.
    """
    first = suit_of(card) * rules.decks
    height = (rank_of(card) - position.base) % rules.ranks + 1
    for index in reversed(range(first, first + rules.decks)):
        if position.foundations[index] == height:
            return index
    return None


def _fill_after(position: Position, rules: Rules, source: str, count: int) -> int | None:
    """The reserve card that falls into pile ``source`` when its last ``count`` cards leave it, if one does."""
    index = _PILE_INDEX.get(source)
    if rules.fill != "auto" or index is None or count < len(position.tableau[index]) or not position.reserve:
        return None
    return position.reserve[-1]


def _may_land(position: Position, rules: Rules, card: int, count: int, source: str, target: int) -> bool:
    """May ``count`` cards headed by ``card`` go from ``source`` to the pile with index ``target``?"""
    pile = position.tableau[target]
    if TABLEAU[target] == source:
        return False
    if pile:
        return rules.carries(pile[-1], card, position.base)
    whole_pile = source in _PILE_INDEX and count == len(position.tableau[_PILE_INDEX[source]])
    return not whole_pile and _space_takes_from(position, rules, source)


# Lists of moves.


def _plays_without_waste(position: Position, rules: Rules) -> list[Move]:
    """All moves of the reserve, the tableau and, where cards may return, the foundations."""
    sources = (RESERVE, *TABLEAU[:rules.piles])
    if rules.foundation_return:
        sources += FOUNDATIONS
    return [move for source in sources for move in _plays(position, rules, source)]


def _plays(position: Position, rules: Rules, source: str) -> list[Move]:
    """All moves from one place: to the foundation first, then unit by unit to the piles from left to right."""
    moves = []
    if source not in _SUIT_INDEX:
        cards = _cards_at(position, source)
        if cards and _foundation_taking(position, rules, cards[-1]) is not None:
            fill = _fill_after(position, rules, source, 1)
            moves.append(Move(0, cards[-1], 1, source, FOUNDATIONS[suit_of(cards[-1])], fill))
    for card, count in _units(position, rules, source):
        for target in range(rules.piles):
            if _may_land(position, rules, card, count, source, target):
                fill = _fill_after(position, rules, source, count)
                moves.append(Move(0, card, count, source, TABLEAU[target], fill))
    return moves


def _units(position: Position, rules: Rules, source: str) -> list[tuple[int, int]]:
    """What may go from ``source`` to a pile: its head card and number of cards, smaller ones first."""
    if source in _SUIT_INDEX:
        suit = _SUIT_INDEX[source]
        heights = position.foundations[suit * rules.decks:(suit + 1) * rules.decks]
        return [(make_card((position.base + height - 1) % rules.ranks, suit), 1)
                for height in sorted(set(heights)) if height]
    cards = _cards_at(position, source)
    if source in _PILE_INDEX:
        return [(cards[-count], count) for count in _unit_sizes(len(cards), rules)]
    return [(cards[-1], 1)] if cards else []


def _cards_at(position: Position, source: str) -> tuple[int, ...]:
    """The cards of the reserve, the waste or a pile, bottom to top."""
    if source == WASTE:
        return position.waste
    if source == RESERVE:
        return position.reserve
    return position.tableau[_PILE_INDEX[source]]


def _turned_positions(position: Position, rules: Rules) -> Iterator[tuple[int, Position]]:
    """Turns and position for every size of the waste that turning can reach, each with its smallest turns.

    Turning keeps the order of waste and stock, so the waste's size tells its cards; once a size comes again, the
    turns after it bring nothing new either.
    """
    turns, sizes = 0, set()
    while position is not None and len(position.waste) not in sizes:
        sizes.add(len(position.waste))
        yield turns, position
        turns, position = turns + 1, turn(position, rules)


# What is wrong with a move.


def _object_to_source(position: Position, rules: Rules, move: Move) -> str | None:
    """Why the cards of ``move`` may not leave its source, None where they may."""
    if type(move.card) is not int or move.card not in range(4 * rules.ranks):
        return f"{_named(move.card)} is no card of this deck"
    card, source, count = card_name(move.card), move.source, move.count
    if type(count) is not int or count < 1:
        return f"{count!r} cards: a move carries 1 card or more"
    if source not in (RESERVE, WASTE, *TABLEAU[:rules.piles], *FOUNDATIONS):
        return f"there is no place {source!r} to take cards from"
    if source in _PILE_INDEX:
        pile = position.tableau[_PILE_INDEX[source]]
        if count > len(pile):
            return f"{source} holds {len(pile)} cards, not {count}"
        if pile[-count] != move.card:
            return f"the card that heads the last {count} of {source} is {card_name(pile[-count])}, not {card}"
        return None
    if count != 1:
        return f"only one card at a time leaves the {source}, not {count}"
    if source in _SUIT_INDEX:
        if not rules.foundation_return:
            return f"{card} may not come back from a foundation"
        if suit_of(move.card) != _SUIT_INDEX[source] or _foundation_showing(position, rules, move.card) is None:
            return f"{card} is not on top of {source}"
        return None
    cards = _cards_at(position, source)
    if not cards:
        return f"the {source} is empty, {card} is not there"
    return None if cards[-1] == move.card else f"the top of the {source} is {card_name(cards[-1])}, not {card}"


def _object_to_target(position: Position, rules: Rules, move: Move) -> str | None:
    """Why the cards of ``move`` may not go to its target, None where they may; its source is known to be right."""
    card, source, count, target = card_name(move.card), move.source, move.count, move.target
    if target in _SUIT_INDEX:
        if source in _SUIT_INDEX:
            return f"{card} may not go from foundation to foundation"
        if count != 1:
            return f"only one card at a time goes to a foundation, not {count}"
        if suit_of(move.card) != _SUIT_INDEX[target] or _foundation_taking(position, rules, move.card) is None:
            return f"{card} does not come next on {target}"
        return None
    if target not in TABLEAU[:rules.piles]:
        return f"there is no place {target!r} to put cards on"
    if source == target:
        return f"{card} is on {target} already"
    if source in _PILE_INDEX:
        size = len(position.tableau[_PILE_INDEX[source]])
        if count not in _unit_sizes(size, rules):
            return f"{count} of the {size} cards of {source} may not move, units are of kind {rules.unit}"
    if _may_land(position, rules, move.card, count, source, _PILE_INDEX[target]):
        return None
    pile = position.tableau[_PILE_INDEX[target]]
    if pile:
        return f"{card} may not be built on {card_name(pile[-1])} of {target}"
    if _space_takes_from(position, rules, source):
        return f"moving the whole of {source} into the space {target} is no move"
    return f"the space {target} may not take {card} from {source}"


def _object_to_fill(position: Position, rules: Rules, move: Move) -> str:
    """What is wrong with the fill that ``move`` names."""
    fill = _fill_after(position, rules, move.source, move.count)
    if fill is None:
        return f"{_named(move.fill)} cannot fill: this move makes no pile that the reserve fills"
    named = "none is named" if move.fill is None else f"not {_named(move.fill)}"
    return f"{card_name(fill)} fills the emptied {move.source}, {named}"


def _named(card: object) -> str:
    """The name of a card, or the thing itself where it is none."""
    return card_name(card) if type(card) is int and 0 <= card < 52 else repr(card)
