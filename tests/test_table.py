"""The transposition table: its claims about the waste checked by brute force, and what it may and may not forget."""

import random
from functools import cache

import numpy as np
import pytest
from numba import config
from playouts import small_positions

from solver.bits import I, U
from solver.game import turn
from solver.packed import pack_game
from solver.position import Position
from solver.rulesets import Rules, rules
from solver.table import ADDED, MARKED, SEEN, WINDOW, move_entries, new_table, position_key, visit, visit_key

# Words wrap round, in kernels silently; interpreted, numpy warns of it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

SIZES = (1, 2, 4, 5, 7) if not config.DISABLE_JIT else (3, 5)


def waste_position(size: int, turned: int, at_pass: int) -> Position:
    """A position with ``size`` cards on waste and stock, the i-th card of the turning order being card i."""
    return Position((0,) * 4, ((),) * 4, (), tuple(range(turned)), tuple(range(turned, size))[::-1], 0, at_pass)


@cache
def plays(size: int, turned: int, at_pass: int, rule_set: Rules) -> frozenset[tuple[int, int]]:
    """(place of the card, pass) of all cards that turning brings to the top, by the plain game."""
    found, position = set(), waste_position(size, turned, at_pass)
    seen = set()
    while position is not None and position not in seen:
        seen.add(position)
        if position.waste:
            found.add((len(position.waste), position.pass_number))
        position = turn(position, rule_set)
    return frozenset(found)


def after(size: int, states: frozenset, place: int, rule_set: Rules) -> frozenset[tuple[int, int]]:
    """The (turned, pass) that playing the card at ``place`` can lead to from any of ``states``."""
    return frozenset((played - 1, at_pass) for state in states for played, at_pass in plays(size, *state, rule_set)
                     if played == place)


@cache
def covers(size: int, first: frozenset, second: frozenset, rule_set: Rules) -> bool:
    """Can every sequence of cards that can be played from ``second`` be played from ``first`` as well?"""
    for place in range(1, size + 1):
        following = after(size, second, place, rule_set)
        if following:
            same = after(size, first, place, rule_set)
            if not same or not covers(size - 1, same, following, rule_set):
                return False
    return True


def dominates(size: int, first: tuple[int, int], second: tuple[int, int], rule_set: Rules) -> bool:
    return covers(size, frozenset([first]), frozenset([second]), rule_set)


def wastes(size: int, passes: int | None) -> list[tuple[int, int]]:
    """Every (turned, pass)."""
    return [(turned, at_pass) for turned in range(size + 1) for at_pass in range(1, (passes or 1) + 1)]


@cache
def packed_waste(size: int, waste: tuple[int, int], rule_set: Rules) -> tuple[np.ndarray, np.ndarray]:
    game, state = pack_game(waste_position(size, *waste), rule_set)
    return state, game.spec


def visit_waste(table: np.ndarray, size: int, waste: tuple[int, int], rule_set: Rules) -> int:
    return visit(table, *packed_waste(size, waste, rule_set))


@pytest.mark.parametrize("passes", [None, 1, 2, 3])
@pytest.mark.parametrize("draw", [1, 2, 3, 4, 5, 6])
def test_a_dominated_waste_can_do_nothing_that_the_other_cannot(draw: int, passes: int | None) -> None:
    """All pairs: whenever the table calls the second one seen, brute force agrees."""
    rule_set = rules("rule-book", draw=draw, passes=passes)
    claims = 0
    for size in SIZES:
        for first in wastes(size, passes):
            for second in wastes(size, passes):
                table = new_table(WINDOW)
                assert visit_waste(table, size, first, rule_set) == ADDED
                if visit_waste(table, size, second, rule_set) == SEEN:
                    claims += 1
                    assert dominates(size, first, second, rule_set), (size, first, second)
    assert claims > sum(len(wastes(size, passes)) for size in SIZES)  # more than every waste with itself


@pytest.mark.parametrize("passes", [None, 1, 3])
@pytest.mark.parametrize("draw", [1, 3, 6])
def test_several_wastes_met(draw: int, passes: int | None) -> None:
    """An entry remembers several wastes: some one of those met before must dominate what is called seen."""
    rule_set = rules("rule-book", draw=draw, passes=passes)
    rng = random.Random(f"{draw} {passes}")
    answers = set()
    for _ in range(40):
        table, met = new_table(WINDOW), []
        for _ in range(8):
            waste = rng.choice(wastes(7, passes))
            answer = visit_waste(table, 7, waste, rule_set)
            answers.add(answer)
            if answer == SEEN:
                assert any(dominates(7, before, waste, rule_set) for before in met), (met, waste)
            met.append(waste)
    assert {ADDED, SEEN} <= answers


@pytest.mark.parametrize("first, second, passes, seen", [
    ((3, 1), (6, 1), None, True), ((6, 1), (3, 1), None, True),  # starts of a turn, passes without number
    ((1, 1), (0, 1), None, True), ((0, 1), (1, 1), None, False),
    ((1, 1), (4, 1), None, True), ((4, 1), (1, 1), None, False),
    ((7, 1), (3, 1), None, True),  # all turned
    ((3, 1), (6, 1), 3, True), ((6, 1), (3, 1), 3, False), ((6, 1), (3, 2), 3, True), ((1, 1), (0, 2), 3, True),
    ((1, 1), (0, 1), 3, False), ((4, 1), (1, 2), 3, False), ((1, 2), (4, 1), 3, False), ((1, 1), (1, 2), 3, True),
])
def test_the_cases_of_the_docstring(first: tuple, second: tuple, passes: int | None, seen: bool) -> None:
    rule_set = rules("rule-book", passes=passes)
    table = new_table(WINDOW)
    visit_waste(table, 7, first, rule_set)
    assert (visit_waste(table, 7, second, rule_set) == SEEN) == seen


# Keys.


@pytest.mark.parametrize("decks", [1, 2])
def test_keys_tell_positions_apart(decks: int) -> None:
    """Of one game; a game starts anew with every rule set, which its tables share with no other."""
    played_under, keys = None, {}
    for position, rule_set in small_positions(range(60), decks=decks):
        if rule_set is not played_under:
            played_under, keys = rule_set, {}
        game, state = pack_game(position, rule_set)
        plain = (position.foundations, tuple(sorted(position.tableau)), position.reserve)
        assert keys.setdefault(int(position_key(state, game.spec)), plain) == plain


def test_keys_do_not_depend_on_the_order_of_piles() -> None:
    compared = 0
    for position, rule_set in small_positions(range(40)):
        turned = Position(position.foundations, position.tableau[::-1], position.reserve, position.waste,
                          position.stock, position.base, position.pass_number)
        (game, state), (_, other) = pack_game(position, rule_set), pack_game(turned, rule_set)
        assert position_key(state, game.spec) == position_key(other, game.spec)
        compared += position.tableau != turned.tableau
    assert compared > 50


# Entries.


def key_of(rng: random.Random) -> np.uint64:
    return U(rng.getrandbits(64) | 1)


@pytest.mark.parametrize("entries, keys", [(WINDOW, 40), (64, 200), (1024, 300)])
def test_what_is_called_seen_was_met(entries: int, keys: int) -> None:
    """Also in a table much too small, where entries replace each other."""
    rng = random.Random(entries)
    table, met, pool = new_table(entries), set(), [key_of(rng) for _ in range(keys)]
    answers = []
    for _ in range(3000):
        key, at_pass = rng.choice(pool), rng.randint(1, 3)
        answer = visit_key(table, key, I(0), U(at_pass << 8), False)
        if answer == SEEN:
            assert any((key, earlier) in met for earlier in range(1, at_pass + 1))
        answers.append(answer)
        met.add((key, at_pass))
    assert {SEEN, MARKED} <= set(answers)
    assert answers.count(ADDED) <= min(entries, keys)
    if keys < entries / 2:
        assert answers.count(ADDED) == keys


def test_growing_keeps_every_entry() -> None:
    rng = random.Random(7)
    table, keys = new_table(1 << 10), []
    while len(keys) < 1 << 9:  # half full, as when a search asks for more
        keys.append(key_of(rng))
        assert visit_key(table, keys[-1], I(len(keys) % 4), U(2 << 8 | 5), False) == ADDED
    larger = new_table(1 << 12)
    assert move_entries(table, larger) == len(keys)
    for number, key in enumerate(keys, 1):
        assert visit_key(larger, key, I(number % 4), U(2 << 8 | 5), False) == SEEN
        assert visit_key(larger, key, I(number % 4), U(1 << 8 | 5), False) == MARKED
    assert np.count_nonzero(larger[::2]) == len(keys)
