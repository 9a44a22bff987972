"""The invariant checker of positions names every kind of fault."""

from dataclasses import replace

import pytest

from solver.cards import card_name, parse_card
from solver.position import Position, faults
from solver.rulesets import Rules, rules


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


SMALL = rules(ranks=3, piles=3, reserve=2, passes=2)
# Aces, twos and threes with base 2: the clubs are up, and of the spades two.
SOUND = Position(
    foundations=(3, 0, 2, 0),
    tableau=(cards("2H AS"), (), cards("3D")),
    reserve=cards("3H"),
    waste=(),
    stock=cards("AH AD 2D"),
    base=1,
)


def test_a_sound_position_has_no_faults() -> None:
    assert faults(SOUND, SMALL) == []


@pytest.mark.parametrize("changes, lines", [
    ({"tableau": SOUND.tableau[::2]}, ["2 piles where the rule set has 3"]),
    ({"foundations": (3, 0, 2)}, ["3 foundations where the rule set has 4"]),
    ({"foundations": (3, 0, 4, 0)}, ["foundation S holds 4 cards, not 0 to 3", "AS occurs twice, once in the deck",
                                     "2S occurs twice, once in the deck"]),
    ({"foundations": (3, 0, -1, 0)}, ["foundation S holds -1 cards, not 0 to 3", "2S is missing", "3S is missing"]),
    ({"foundations": (3, 1, 2, 0)}, ["2D occurs twice, once in the deck"]),
    ({"pass_number": 3}, ["pass 3 where the rule set allows 2"]),
    ({"pass_number": 0}, ["pass 0 where the rule set allows 2"]),
    ({"base": 3}, ["base rank 3 is not one of the 3 ranks"]),
    ({"tableau": (cards("2H 3D"), (), cards("AS"))}, ["tableau 1: 3D may not lie on 2H"]),
    ({"tableau": ((), (), cards("3D AS 2H"))},
     ["tableau 3: AS may not lie on 3D", "tableau 3: 2H may not lie on AS"]),
    ({"reserve": cards("4H")}, ["3H is missing", "4H does not belong to a deck of 3 ranks"]),
    ({"waste": cards("AH AC")}, ["AC occurs twice, once in the deck", "AH occurs twice, once in the deck"]),
    ({"stock": ()}, ["2D is missing", "AD is missing", "AH is missing"]),
    ({"reserve": cards("3H AH AD"), "stock": cards("2D")}, ["a reserve of 3 cards where the rule set deals 2"]),
    ({"reserve": (), "tableau": ((), (), ()), "stock": cards("AH AD 2D 3H 2H AS 3D")},
     ["7 cards on stock and waste where the rule set deals 6"]),
])
def test_every_fault_is_named(changes: dict, lines: list[str]) -> None:
    assert sorted(faults(replace(SOUND, **changes), SMALL)) == sorted(lines)


def test_covered_base_cards_are_faults_where_the_rules_forbid_them() -> None:
    never = replace(SMALL, cover_base=False)
    assert faults(SOUND, never) == ["tableau 1: AS may not lie on 2H"]


def test_the_base_is_the_rule_sets_where_it_fixes_one() -> None:
    fixed = replace(SMALL, base="2")
    assert faults(SOUND, fixed) == []
    assert faults(replace(SOUND, base=0), fixed)[0] == "base A where the rule set has 2"


def test_foundations_of_one_suit_stand_in_order_of_height() -> None:
    double = rules(decks=2, ranks=2, piles=1, reserve=0)
    deck = cards("AC AC 2C 2C AD AD 2D 2D AS AS 2S 2S AH AH 2H 2H")
    left = list(deck)
    for name in ("AC", "2C", "AC"):
        left.remove(parse_card(name))
    position = Position((2, 1, 0, 0, 0, 0, 0, 0), ((left[0],),), (), (), tuple(left[1:]), 0)
    assert faults(position, double) == []
    swapped = replace(position, foundations=(1, 2, 0, 0, 0, 0, 0, 0))
    assert faults(swapped, double) == ["foundations of suit C are not in order of height"]
    short = replace(position, stock=position.stock[:-2])
    assert faults(short, double) == ["2H is missing twice"]


@pytest.mark.parametrize("base, heights, decks, shown", [
    (0, (1, 0, 2, 0), 1, ["AC", "", "AS 2S", ""]),
    (11, (0, 3, 0, 0), 1, ["", "QD KD AD", "", ""]),
    (4, (2, 1, 0, 0, 0, 0, 1, 0), 2, ["5C 6C", "5C", "", "", "", "", "5H", ""]),
])
def test_cards_on_the_foundations(base: int, heights: tuple[int, ...], decks: int, shown: list[str]) -> None:
    variant: Rules = rules(decks=decks)
    position = Position(heights, (), (), (), (), base)
    assert [" ".join(map(card_name, pile)) for pile in position.foundation_cards(variant)] == shown
