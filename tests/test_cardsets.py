"""The set game's sets against the piles that they stand for, and its claims against brute force."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, check, judge_seeds
from longruns import long_run_case
from numba import config
from playouts import random_positions, small_positions

from solver import moves, prunings, table
from solver.bits import U
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STOCK, TABLEAU, UP, UPPER_SHIFT, ends_of, fitting_cards,
                             free_hosts, is_rigid_dead, next_cards, pack_card_sets, safe_cards, unit_of, waste_class,
                             waste_tops, winding_cards)
from solver.packed import CLASSES, card_code, next_up, pack_game
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules
from solver.setsearch import is_doubtful

# Interpreted runs take a few games only.
GAMES, SMALL = (range(6), range(60)) if not config.DISABLE_JIT else (range(2), range(40))
NAMES = [name for name, variant in VARIANTS.items() if prunings.has_card_sets(variant)]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@cache
def positions() -> list[tuple[Position, Rules]]:
    """Positions of named variants and of small decks, all of them built in alternate colours."""
    found = [(position, VARIANTS[name]) for name in NAMES
             for position in random_positions(VARIANTS[name], GAMES, share=0.15)]
    return found + list(small_positions(SMALL, build="alternate"))


class Table:
    """A position twice: as piles of codes, and as the words of the set game, under suffix rules with ``classes`` only
    or with twins told apart."""

    def __init__(self, position: Position, rule_set: Rules, classes: bool = True):
        self.rules = rule_set
        self.piles = [[card_code(card, position.base, rule_set.ranks) for card in pile] for pile in position.tableau]
        self.game, self.words = pack_card_sets(position, rule_set, classes=classes)
        self.tableau, self.bottoms, self.higher = self.words[TABLEAU], self.words[BOTTOMS], self.words[HIGHER]
        self.last = U(4 * (rule_set.ranks - 1))
        self.deck = U((1 << 4 * rule_set.ranks) - 1)
        self.classes = bool(self.game.spec[CLASSES])
        self.ends = {pile[-1] for pile in self.piles if pile}

    def free(self) -> tuple[np.uint64, np.uint64]:
        lower, upper = free_hosts(self.tableau, self.bottoms, self.higher, self.last, self.classes)
        return U(lower), U(upper)


def tables() -> Iterator[Table]:
    """All positions, those under suffix rules twice."""
    for position, rule_set in positions():
        yield Table(position, rule_set)
        if rule_set.unit == "suffix":
            yield Table(position, rule_set, classes=False)


def members(cards: np.uint64) -> set[int]:
    return set(codes(cards))


def codes(cards: np.uint64) -> list[int]:
    return [code for code in range(64) if int(cards) >> code & 1]


def set_of(cards: set[int]) -> np.uint64:
    return U(sum(1 << code for code in cards))


def class_bit(code: int) -> int:
    """Index of the class bit of a card: rank and colour."""
    return code & ~2


def test_the_words_of_a_state() -> None:
    position = Position((2, 0, 1, 0), ((3, 48), (), (15,), (5, 50)), (9, 10), (20, 21, 22), (24, 23), 0, 2)
    _, words = pack_card_sets(position, rules("solvitaire-strict", passes=3))
    assert members(words[UP] & CARDS) == {0, 4, 2} and int(words[UP] >> UPPER_SHIFT) == 2
    assert int(words[STOCK] & CARDS) == 0b11111 and int(words[STOCK] >> UPPER_SHIFT) == 3
    assert members(words[TABLEAU]) == {3, 48, 15, 5, 50} and members(words[BOTTOMS]) == {3, 15, 5}
    assert members(words[HIGHER]) == {48}  # on a heart; the other one lies on a diamond
    assert int(words[PASS]) == 2
    assert int(pack_card_sets(position, rules("second-life"))[1][HIGHER]) == 0
    assert members(pack_card_sets(position, rules("second-life"), classes=False)[1][HIGHER]) == {48}


@pytest.mark.parametrize("unit, classes, known", [
    ("suffix", True, True), ("suffix", False, False), ("pile", True, False), ("top-or-pile", True, False)])
def test_twins_are_left_out_under_suffix_rules_only(unit: str, classes: bool, known: bool) -> None:
    position, rule_set = long_run_case(1, unit=unit)
    game, _ = pack_card_sets(position, rule_set, classes=classes)
    assert bool(game.spec[CLASSES]) == known


def test_free_hosts_are_the_ends_of_piles() -> None:
    for here in tables():
        lower, upper = here.free()
        if here.classes:
            assert members(lower) == {class_bit(code) for code in here.ends} and upper == 0
        else:
            assert members(lower) == {class_bit(code) for code in here.ends if not code & 2}
            assert members(upper) == {class_bit(code) for code in here.ends if code & 2}


def test_cards_that_can_leave_as_a_last_card() -> None:
    for here in tables():
        leaving = members(ends_of(*here.free(), here.tableau, here.classes))
        if here.classes:  # a covered card as well, when its cover can go to the free twin
            assert leaving == {code for pile in here.piles for code in pile if {code, code ^ 2} & here.ends}
        else:
            assert leaving == here.ends


def test_cards_that_fit_are_those_that_an_end_carries() -> None:
    for here in tables():
        for classes, ends in zip(here.free(), ({code for code in here.ends if here.classes or not code & 2},
                                               {code for code in here.ends if not here.classes and code & 2})):
            found = members(fitting_cards(classes, here.last, here.rules.cover_base))
            assert found == {code for code in range(4 * here.rules.ranks)
                             if any(here.rules.carries(end, code, base=0) for end in ends)}


def test_next_cards_and_safe_cards_are_those_of_the_pile_game() -> None:
    safe_met = 0
    for position, rule_set in positions():
        here = Table(position, rule_set)
        game, state = pack_game(position, rule_set)
        waiting = members(next_cards(here.words[UP] & CARDS, here.deck))
        assert waiting == members(next_up(state[0], game.spec))
        safe = waiting & members(safe_cards(here.words[UP] & CARDS, here.last, rule_set.cover_base))
        assert safe == {code for code in waiting if prunings.is_safe_up(np.int64(code), state[0], game)}
        safe_met += len(safe)
    assert safe_met > 10


def test_rigid_piles_are_those_of_the_pile_game() -> None:
    found = Counter()
    for position, rule_set in small_positions(range(60), build="alternate", unit="pile", cover_base=True):
        here = Table(position, rule_set)
        game, state = pack_game(position, rule_set)
        dead = bool(is_rigid_dead(here.words[UP] & CARDS, here.tableau, here.bottoms, here.higher, here.last,
                                  here.deck))
        assert dead == prunings.is_rigid_dead(state, game)
        found[dead] += 1
    assert min(found[False], found[True]) > 3, found


def test_the_waste_is_that_of_the_pile_game() -> None:
    tops = np.empty(256, np.uint64)
    for position, rule_set in positions():
        here = Table(position, rule_set)
        game, state = pack_game(position, rule_set)
        found = [(int(top) & 255, int(top) >> 8) for top in tops[:moves.waste_tops(state, game.spec, tops)]]
        now, later = waste_tops(here.words[STOCK], rule_set.draw, moves.may_redeal(state, game.spec))
        assert [(index, 0) for index in codes(now)] == [top for top in found if not top[1]]
        assert [(index, 1) for index in codes(later)] == [top for top in found if top[1]]
        unlimited = rule_set.passes is None
        assert (tuple(map(int, waste_class(here.words[STOCK], here.words[PASS], rule_set.draw, unlimited)))
                == tuple(map(int, table.waste_class(state, game.spec))))


# Runs that wind round.


def family_of(code: int, ranks: int) -> set[tuple[int, int]]:
    """The classes (rank, colour) that runs downwards from a card pass through, round and round."""
    family, here = set(), (code >> 2, code & 1)
    while here not in family:
        family.add(here)
        here = ((here[0] - 1) % ranks, 1 - here[1])
    return family


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 12, 13])
def test_winding_cards_are_those_whose_families_are_attached_but_for_one_class(ranks: int) -> None:
    rng = np.random.default_rng(ranks)
    deck = U((1 << 4 * ranks) - 1)
    found = Counter()
    for _ in range(2000 if not config.DISABLE_JIT else 500):
        absent, bottom = rng.random(2) * 0.8
        tableau = {code for code in range(4 * ranks) if rng.random() > absent}
        bottoms = {code for code in tableau if rng.random() < bottom}
        attached = {(code >> 2, code & 1) for code in tableau - bottoms}
        winding = members(winding_cards(set_of(tableau), set_of(bottoms), deck, ranks % 2 == 1))
        assert winding == {code for code in tableau if len(family_of(code, ranks) - attached) <= 1}
        found[len(winding) > 0] += 1
        found["some"] += 0 < len(winding) < len(tableau)
    assert min(found[False], found[True]) > 5
    assert (found["some"] > 5) == (ranks % 2 == 0)


def holds_own_host(unit: list[int], rule_set: Rules) -> bool:
    """Does a run hold a card that could carry its first one?"""
    return any(rule_set.carries(card, unit[0], base=0) for card in unit)


def test_runs_that_hold_their_own_host_are_of_winding_cards() -> None:
    """The search follows just these card by card, or leaves them out."""
    found = Counter()
    for seed in range(600):
        here = Table(*long_run_case(seed))
        winding = members(winding_cards(here.tableau, here.bottoms, here.deck, here.rules.ranks % 2 == 1))
        for pile in here.piles:
            for depth in range(len(pile)):
                if holds_own_host(pile[depth:], here.rules):
                    assert set(pile[depth:]) <= winding, (seed, pile)
                    found[depth > 0] += 1
    assert min(found[False], found[True]) > 50, found


def test_a_unit_is_a_card_with_all_that_lies_on_it() -> None:
    wound = 0
    cases = [long_run_case(seed) for seed in range(300)]
    for position, rule_set in positions() + cases:
        here = Table(position, rule_set, classes=False)
        for pile in here.piles:
            for depth, code in enumerate(pile):
                unit = unit_of(U(1 << code), here.tableau, here.bottoms, here.higher, here.last, rule_set.cover_base)
                assert members(unit) == set(pile[depth:]), (position, rule_set)
                wound += holds_own_host(pile[depth:], rule_set)
    assert wound > 100


# The claim.


def with_covers_exchanged(position: Position) -> Iterator[Position]:
    """Positions with the same sets: what lies on a card and what lies on its twin in another pile changes places."""
    places = {card: (number, depth) for number, pile in enumerate(position.tableau) for depth, card in enumerate(pile)}
    for card, (number, depth) in places.items():
        other = places.get(card ^ 2)
        if card & 2 == 0 and other is not None and other[0] != number:
            piles = list(position.tableau)
            piles[number] = position.tableau[number][:depth + 1] + position.tableau[other[0]][other[1] + 1:]
            piles[other[0]] = position.tableau[other[0]][:other[1] + 1] + position.tableau[number][depth + 1:]
            yield replace(position, tableau=tuple(piles))


def test_positions_with_the_same_sets_have_the_same_verdict() -> None:
    """Suffix rules: where no run can wind, it does not matter which twin a card lies on."""
    compared = Counter()
    for position, rule_set in small_positions(range(150), build="alternate", unit="suffix"):
        here = Table(position, rule_set)
        if is_doubtful(here.tableau, here.bottoms, here.game.spec):
            continue
        for other in with_covers_exchanged(position):
            if other.tableau != position.tableau and compared.total() < 400:
                assert (pack_card_sets(other, rule_set)[1] == here.words).all()
                verdicts = {decide(position, rule_set, LIMIT), decide(other, rule_set, LIMIT)} - {None}
                assert len(verdicts) < 2, (position, other, rule_set)
                compared[verdicts.pop() if verdicts else None] += 1
    assert min(compared["winnable"], compared["unwinnable"]) > 20, compared


@pytest.mark.parametrize("unit", ["pile", "top-or-pile", "suffix"])
@pytest.mark.parametrize("cover_base", [False, True])
def test_the_set_game_against_brute_force(unit: str, cover_base: bool) -> None:
    """Ranks 3 to 5, draws, passes, fills, returns and all else at random."""
    check(judge_seeds(range(20_000, 20_200), {"build": "alternate", "unit": unit, "cover_base": cover_base}), 200,
          open_share=0.02, skipped_share=0.1)
