"""A position: everything on the table at one moment, as plain tuples of cards, and a check of its soundness."""

from collections import Counter
from dataclasses import dataclass

from solver.cards import SUIT_NAMES, card_name, full_deck, make_card
from solver.rulesets import Rules, rank_letter


@dataclass(frozen=True, slots=True)
class Position:
    """One position of a game under some rule set.

    foundations: heights (cards on each), ``4 * decks`` of them, suit by suit in the order C D S H, higher ones of a
    suit first (with one deck: one height a suit); tableau: the piles left to right, each bottom card first;
    reserve and waste: top card last; stock: the next card to be turned last; base: rank 0..12 that starts the
    foundations; pass_number: which time through the stock this is, from 1 (stays 1 where passes are unlimited).
    """

    foundations: tuple[int, ...]
    tableau: tuple[tuple[int, ...], ...]
    reserve: tuple[int, ...]
    waste: tuple[int, ...]
    stock: tuple[int, ...]
    base: int
    pass_number: int = 1

    def foundation_cards(self, rules: Rules) -> list[list[int]]:
        """The cards on each foundation, lowest first, in the order of ``foundations``."""
        return [
            [make_card((self.base + step) % rules.ranks, index // rules.decks) for step in range(height)]
            for index, height in enumerate(self.foundations)
        ]


def faults(position: Position, rules: Rules) -> list[str]:
    """Every broken invariant of ``position`` under ``rules``, one line each; empty when it is sound."""
    found = []
    if len(position.tableau) != rules.piles:
        found.append(f"{len(position.tableau)} piles where the rule set has {rules.piles}")
    if len(position.foundations) != 4 * rules.decks:
        found.append(f"{len(position.foundations)} foundations where the rule set has {4 * rules.decks}")
        return found
    for index, height in enumerate(position.foundations):
        suit, copy = divmod(index, rules.decks)
        if not 0 <= height <= rules.ranks:
            found.append(f"foundation {SUIT_NAMES[suit]} holds {height} cards, not 0 to {rules.ranks}")
        if copy and height > position.foundations[index - 1]:
            found.append(f"foundations of suit {SUIT_NAMES[suit]} are not in order of height")
    if rules.passes is not None and not 1 <= position.pass_number <= rules.passes:
        found.append(f"pass {position.pass_number} where the rule set allows {rules.passes}")
    if not 0 <= position.base < rules.ranks:
        found.append(f"base rank {position.base} is not one of the {rules.ranks} ranks")
        return found
    if rules.base not in ("dealt", rank_letter(position.base)):
        found.append(f"base {rank_letter(position.base)} where the rule set has {rules.base}")
    for number, pile in enumerate(position.tableau, 1):
        for host, card in zip(pile, pile[1:]):
            if not rules.carries(host, card, position.base):
                found.append(f"tableau {number}: {card_name(card)} may not lie on {card_name(host)}")
    found += _miscounted_cards(position, rules)
    if len(position.reserve) > rules.reserve:
        found.append(f"a reserve of {len(position.reserve)} cards where the rule set deals {rules.reserve}")
    in_hand = len(position.waste) + len(position.stock)
    if in_hand > rules.stock:
        found.append(f"{in_hand} cards on stock and waste where the rule set deals {rules.stock}")
    return found


def _miscounted_cards(position: Position, rules: Rules) -> list[str]:
    """Cards that lie on the table too often, too seldom, or do not belong to the deck."""
    expected = Counter(full_deck(rules.decks, rules.ranks))
    present = Counter(position.reserve + position.waste + position.stock)
    for pile in position.tableau:
        present.update(pile)
    for cards in position.foundation_cards(rules):
        present.update(cards)
    found = []
    for card in sorted(expected.keys() | present.keys()):
        if not expected[card]:
            found.append(f"{card_name(card)} does not belong to a deck of {rules.ranks} ranks")
        elif present[card] > expected[card]:
            found.append(f"{card_name(card)} occurs {_times(present[card])}, {_times(expected[card])} in the deck")
        elif present[card] < expected[card]:
            missing = expected[card] - present[card]
            found.append(f"{card_name(card)} is missing" + (f" {_times(missing)}" if missing > 1 else ""))
    return found


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
