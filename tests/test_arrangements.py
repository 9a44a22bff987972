"""Arrangements: every real position has one, and the sets and covers against naive twins."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from longruns import long_run_case
from numba import config
from playouts import random_positions, small_positions

from solver.arrangements import (ALL_COVERS, actual_covers, are_apart, covered_bases, first_cover, is_arrangeable,
                                 lasting_covers, possible_covers, tells_covers)
from solver.bits import I, U, ZERO
from solver.cardsets import BOTTOMS, CARDS, HIGHER, TABLEAU, UP, has_card_sets, is_rigid_dead, pack_card_sets
from solver.packed import card_code
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
NAMES = [name for name, variant in VARIANTS.items() if has_card_sets(variant)]
GAMES, SMALL = (range(8), range(100)) if not config.DISABLE_JIT else (range(2), range(40))
LONG = range(800)


def set_of(cards: set[int]) -> np.uint64:
    return U(sum(1 << code for code in cards))


class Shown:
    """A position as piles of codes, and as the arguments that the kernels take."""

    def __init__(self, position: Position, rule_set: Rules):
        self.rules = rule_set
        self.piles = [[card_code(card, position.base, rule_set.ranks) for card in pile] for pile in position.tableau]
        game, words = pack_card_sets(position, rule_set, classes=False)
        self.tableau, self.bottoms, higher = words[TABLEAU], words[BOTTOMS], words[HIGHER]
        self.last, deck = U(4 * (rule_set.ranks - 1)), U((1 << 4 * rule_set.ranks) - 1)
        self.told = bool(tells_covers(game.spec))
        self.covers = U(actual_covers(self.tableau, self.bottoms, higher, self.last))
        self.is_rigid_dead = bool(is_rigid_dead(words[UP] & CARDS, self.tableau, self.bottoms, higher, self.last, deck))
        self.around = I(rule_set.cover_base and not self.told)


@cache
def shown() -> list[Shown]:
    """Positions of named variants, of small decks, and long runs, where base cards are covered."""
    cases = [(position, VARIANTS[name]) for name in NAMES
             for position in random_positions(VARIANTS[name], GAMES, share=0.15)]
    cases += small_positions(SMALL, build="alternate")
    cases += [long_run_case(seed, unit="pile", ranks=3 + seed % 3) for seed in LONG]
    return [Shown(*case) for case in cases]


def live() -> Iterator[Shown]:
    """Those in which piles do not block each other: what is told of covers holds in these only."""
    return (here for here in shown() if not (here.told and here.is_rigid_dead))


# Sets of covers.


def pair_of(number: int) -> tuple[int, int]:
    """Base suit and laid suit of a cover, by its bit."""
    suit = number // 2
    return suit, [other for other in range(4) if other % 2 != suit % 2][number % 2]


def pairs_in(covers: int) -> set[tuple[int, int]]:
    return {pair_of(number) for number in range(8) if int(covers) >> number & 1}


def covers_of(piles: list[list[int]], last: int) -> set[tuple[int, int]]:
    """The covers that piles show."""
    return {(under, card - last) for pile in piles for under, card in zip(pile, pile[1:])
            if under < 4 and card >= last}


def test_each_cover_by_itself() -> None:
    for number in range(8):
        assert tuple(map(int, first_cover(U(1 << number)))) == (*pair_of(number), 1 << number)
    assert len(pairs_in(ALL_COVERS)) == 8


def test_sets_of_covers_against_naive_twins() -> None:
    apart = 0
    for covers in range(256):
        pairs = pairs_in(covers)
        assert {suit for suit in range(4) if int(covered_bases(U(covers))) >> suit & 1} == {suit for suit, _ in pairs}
        naive = not any(one[0] == other[0] or one[1] == other[1] for one, other in combinations(pairs, 2))
        assert bool(are_apart(U(covers))) == naive
        apart += naive
        for complete in range(16):  # suits, of a deck of five ranks
            up = U(complete << 16)
            assert pairs_in(lasting_covers(U(covers), up, U(16))) == {
                (suit, other) for suit, other in pairs if not complete >> other & 1}
    assert apart == 49  # 7 matchings of the red base cards, 7 of the black ones


def test_the_covers_of_positions() -> None:
    met = Counter()
    for here in shown():
        assert pairs_in(here.covers) == covers_of(here.piles, int(here.last))
        met.update(pairs_in(here.covers))
    assert len(met) == 8 and min(met.values()) > 10, met


# Real positions have an arrangement: themselves.


def test_every_position_can_be_arranged() -> None:
    """All its cards attached, or some of them loose and more cards loose; bottoms told, or so many spaces instead."""
    rng = np.random.default_rng(5)
    seen = Counter()
    for here in live():
        attached, ranks = here.tableau & ~here.bottoms, here.rules.ranks
        covers = here.covers if here.told else ZERO
        assert is_arrangeable(attached, ZERO, here.bottoms, I(0), covers, here.around, ranks), here.piles
        piles = sum(1 for pile in here.piles if pile)
        assert is_arrangeable(here.tableau, ZERO, ZERO, I(piles), covers, here.around, ranks), here.piles
        held, others = U(rng.integers(1 << 52)), U(rng.integers(1 << 52)) & ~here.tableau
        loose = (attached & ~held) | others & U((1 << 4 * ranks) - 1)
        more = covers | U(rng.integers(256)) if here.told else ZERO
        assert is_arrangeable(attached & held, loose, here.bottoms, I(0), more, here.around, ranks), here.piles
        seen[here.told, covers != ZERO] += 1
    assert min(seen[False, False], seen[True, False], seen[True, True]) > 40, seen


def test_real_covers_are_possible() -> None:
    rng = np.random.default_rng(6)
    real = possible = 0
    for here in live():
        if here.told:
            held = U(rng.integers(1 << 52))
            attached = here.tableau & ~here.bottoms
            found = possible_covers(attached & held, attached & ~held, here.bottoms, I(0), here.last)
            assert pairs_in(here.covers) <= pairs_in(found), here.piles
            real, possible = real + len(pairs_in(here.covers)), possible + len(pairs_in(found))
    assert 40 < real < possible < 8 * sum(here.told for here in live()) / 2


def test_where_piles_block_each_other_real_covers_may_be_called_impossible() -> None:
    """So the condition above is needed."""
    assert any(pairs_in(here.covers) - pairs_in(possible_covers(here.tableau & ~here.bottoms, ZERO, here.bottoms, I(0),
                                                                here.last))
               for here in shown() if here.told and here.is_rigid_dead)


def test_positions_with_covers_need_them() -> None:
    """The count without covers calls many of these impossible: it is no rubber stamp."""
    refused = sum(1 for here in live() if here.told and here.covers and not is_arrangeable(
        here.tableau & ~here.bottoms, ZERO, here.bottoms, I(0), ZERO, I(0), here.rules.ranks))
    assert refused > 20


# Without covered base cards the count is exact.


def hosts_found(cards: list[int], hosts: set[int], rule_set: Rules) -> int:
    """How many cards find a host of their own: the largest matching, by augmenting paths."""
    carried: dict[int, int] = {}

    def place(card: int, tried: set[int]) -> bool:
        for host in hosts:
            if host not in tried and rule_set.carries(host, card, base=0):
                tried.add(host)
                if host not in carried or place(carried[host], tried):
                    carried[host] = card
                    return True
        return False

    return sum(place(card, set()) for card in cards)


def can_be_arranged(attached: set[int], loose: set[int], bottoms: set[int], spaces: int, rule_set: Rules) -> bool:
    """Try every set of loose cards that may lie there; as no run comes round, hosts for all are enough."""
    for count in range(len(loose) + 1):
        for bridges in combinations(loose, count):
            cards = [*attached, *bridges]
            if len(cards) - hosts_found(cards, bottoms.union(cards), rule_set) <= spaces:
                return True
    return False


def test_the_count_against_all_arrangements() -> None:
    rule_set, rng, found = rules("solvitaire", ranks=4, piles=3, reserve=4), np.random.default_rng(7), Counter()
    for _ in range(400):
        place = rng.choice(4, 16, p=(0.35, 0.25, 0.2, 0.2))
        attached, loose, bottoms = ({code for code in range(16) if place[code] == kind} for kind in range(3))
        spaces = int(rng.choice((0, 0, 1, 2)))
        answer = bool(is_arrangeable(set_of(attached), set_of(loose), set_of(bottoms), I(spaces), ZERO, I(0), 4))
        assert answer == can_be_arranged(attached, loose, bottoms, spaces, rule_set), (attached, loose, bottoms, spaces)
        found[answer] += 1
    assert min(found.values()) > 40, found
