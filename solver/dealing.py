"""From a dealing order of all the cards to the position that starts the game, and back.

The dealing order is: the reserve (first card at the bottom), the base card, the piles from left to right, the stock
(its first card is the first one turned). Where the rule set fixes the base rank, the cards of that rank are taken out
of the order first, wherever they stand, and the rest keeps its order.
"""

from collections import Counter
from collections.abc import Sequence

from solver.cards import BadInput, card_name, full_deck, make_card, parse_rank, rank_of, suit_of
from solver.position import Position
from solver.rulesets import Rules


def lay_out(order: Sequence[int], rules: Rules) -> Position:
    """The position that starts the game when the ``rules.cards`` cards of ``order`` are dealt, first card first.

    Raises BadInput that names the first card that is there too often, is not of this deck, or is missing.
    """
    _check_whole_deck(order, rules)
    reserve_cards = rules.reserve
    if rules.base == "dealt":
        base_card = order[reserve_cards]
        base = rank_of(base_card)
        rest = [*order[:reserve_cards], *order[reserve_cards + 1:]]
        foundations = [0] * (4 * rules.decks)
        foundations[suit_of(base_card) * rules.decks] = 1
    else:
        base = parse_rank(rules.base)
        rest = [card for card in order if rank_of(card) != base]
        foundations = [1] * (4 * rules.decks)
    piles_end = reserve_cards + rules.piles
    return Position(
        foundations=tuple(foundations),
        tableau=tuple((card,) for card in rest[reserve_cards:piles_end]),
        reserve=tuple(rest[:reserve_cards]),
        waste=(),
        stock=tuple(rest[:piles_end - 1:-1]),
        base=base,
    )


def dealing_order(position: Position, rules: Rules) -> list[int]:
    """The order of cards that ``lay_out`` makes ``position`` of; cards of a fixed base rank come first, in suit order.

    Raises BadInput when the position is not one that starts a game.
    """
    _check_start(position, rules)
    piles = [pile[0] for pile in position.tableau]
    if rules.base == "dealt":
        base_suit = position.foundations.index(1) // rules.decks
        return [*position.reserve, make_card(position.base, base_suit), *piles, *reversed(position.stock)]
    starters = [make_card(position.base, suit) for suit in range(4) for _ in range(rules.decks)]
    return [*starters, *position.reserve, *piles, *reversed(position.stock)]


def _check_whole_deck(order: Sequence[int], rules: Rules) -> None:
    """Raise BadInput unless ``order`` holds every card of the rule set's decks, none too often."""
    deck = full_deck(rules.decks, rules.ranks)
    if sorted(order) == deck:
        return
    left = Counter(deck)
    for place, card in enumerate(order, 1):
        if card not in left:
            raise BadInput(f"card {place}, {card_name(card)}, does not belong to a deck of {rules.ranks} ranks")
        if not left[card]:
            raise BadInput(f"card {place}, {card_name(card)}, is there once too often")
        left[card] -= 1
    missing = [card_name(card) for card in left.elements()]
    raise BadInput(f"{len(order)} cards where the deck has {rules.cards}, missing {' '.join(missing)}")


def _check_start(position: Position, rules: Rules) -> None:
    """Raise BadInput unless ``position`` is as dealt: nothing turned, nothing moved."""
    faults = []
    if sum(position.foundations) != rules.starters or max(position.foundations) > 1:
        faults.append(f"{sum(position.foundations)} cards on the foundations, not {rules.starters}")
    faults += [f"tableau {number} holds {len(pile)} cards, not one"
               for number, pile in enumerate(position.tableau, 1) if len(pile) != 1]
    if len(position.reserve) != rules.reserve:
        faults.append(f"the reserve holds {len(position.reserve)} cards, not {rules.reserve}")
    if position.waste:
        faults.append("cards lie on the waste")
    if len(position.stock) != rules.stock:
        faults.append(f"the stock holds {len(position.stock)} cards, not {rules.stock}")
    if position.pass_number != 1:
        faults.append(f"pass {position.pass_number} through the stock")
    if faults:
        raise BadInput(f"a game in progress has no dealing order: {faults[0]}")
