"""The set game's sets against the piles that they stand for, and its claim about twins against brute force."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, check, judge_seeds
from numba import config
from playouts import random_positions, small_positions

from solver import moves, prunings, table
from solver.bits import U
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, PASS, STOCK, TABLEAU, UP, UPPER_SHIFT, ends_of, fitting_cards,
                             free_hosts, is_rigid_dead, may_wind, next_cards, pack_card_sets, safe_cards,
                             waste_class, waste_tops)
from solver.packed import card_code, next_up, pack_game
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules

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
    """A position twice: as piles of codes, and as the words of the set game."""

    def __init__(self, position: Position, rule_set: Rules):
        self.rules = rule_set
        self.piles = [[card_code(card, position.base, rule_set.ranks) for card in pile] for pile in position.tableau]
        self.game, self.words = pack_card_sets(position, rule_set)
        self.tableau, self.bottoms, self.higher = self.words[TABLEAU], self.words[BOTTOMS], self.words[HIGHER]
        self.last = U(4 * (rule_set.ranks - 1))
        self.deck = U((1 << 4 * rule_set.ranks) - 1)
        self.suffix = rule_set.unit == "suffix"
        self.ends = {pile[-1] for pile in self.piles if pile}

    def free(self) -> tuple[np.uint64, np.uint64]:
        lower, upper = free_hosts(self.tableau, self.bottoms, self.higher, self.last, self.suffix)
        return U(lower), U(upper)


def members(cards: np.uint64) -> set[int]:
    return set(codes(cards))


def codes(cards: np.uint64) -> list[int]:
    return [code for code in range(64) if int(cards) >> code & 1]


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


def test_free_hosts_are_the_ends_of_piles() -> None:
    for position, rule_set in positions():
        here = Table(position, rule_set)
        lower, upper = here.free()
        if here.suffix:
            assert members(lower) == {class_bit(code) for code in here.ends} and upper == 0
        else:
            assert members(lower) == {class_bit(code) for code in here.ends if not code & 2}
            assert members(upper) == {class_bit(code) for code in here.ends if code & 2}


def test_cards_that_can_leave_as_a_last_card() -> None:
    for position, rule_set in positions():
        here = Table(position, rule_set)
        leaving = members(ends_of(*here.free(), here.tableau, here.suffix))
        if here.suffix:  # a covered card as well, when its cover can go to the free twin
            assert leaving == {code for pile in here.piles for code in pile if {code, code ^ 2} & here.ends}
        else:
            assert leaving == here.ends


def test_cards_that_fit_are_those_that_an_end_carries() -> None:
    for position, rule_set in positions():
        here = Table(position, rule_set)
        for classes, ends in zip(here.free(), ({code for code in here.ends if here.suffix or not code & 2},
                                               {code for code in here.ends if not here.suffix and code & 2})):
            found = members(fitting_cards(classes, here.last, rule_set.cover_base))
            assert found == {code for code in range(4 * rule_set.ranks)
                             if any(rule_set.carries(end, code, base=0) for end in ends)}


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


def winds(tableau: set[int], ranks: int) -> bool:
    """Naively: is there a run, class by class downwards, that comes to a class which carries its own head?"""
    present = {(code >> 2, code & 1) for code in tableau}
    for rank, colour in present:
        host = ((rank + 1) % ranks, 1 - colour)
        here = (rank, colour)
        while here in present and here != host:
            here = ((here[0] - 1) % ranks, 1 - here[1])
            if here == (rank, colour):
                break
        if here == host and host in present:
            return True
    return False


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 12, 13])
def test_runs_that_could_wind(ranks: int) -> None:
    rng = np.random.default_rng(ranks)
    deck = U((1 << 4 * ranks) - 1)
    found = Counter()
    for _ in range(2000 if not config.DISABLE_JIT else 500):
        absent = rng.random() * 0.5
        cards = {code for code in range(4 * ranks) if rng.random() > absent}
        winding = bool(may_wind(U(sum(1 << code for code in cards)), deck, ranks % 2 == 1))
        assert winding == winds(cards, ranks)
        found[winding] += 1
    assert min(found.values()) > 5


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
        if rule_set.cover_base and may_wind(here.tableau, here.deck, rule_set.ranks % 2 == 1):
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
