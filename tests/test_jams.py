"""Jams: what is_jammed says so of is lost by brute force, and mistakes in what it is told are found."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT
from playouts import small_positions

from solver.game import apply
from solver.jams import ROOM, is_jammed
from solver.packed import pack_game
from solver.position import Position
from solver.prunings import JAMS, prunings_for
from solver.rulesets import VARIANTS, Rules, rules
from solver.solving import UNDECIDED, UNWINNABLE, WINNABLE, solve
from solver.sources import deal

PINNED = {"fill": "auto", "foundation_return": False}
GROUPS = {"one pass": {"passes": 1}, "two passes": {"passes": 2}, "three passes": {"passes": 3, "draw": 3},
          "last cards": {"passes": 1, "unit": "top-or-pile", "space": "any", "ranks": 4},
          "parts": {"passes": 2, "unit": "suffix", "ranks": 4}, "suits": {"passes": 2, "build": "suit", "ranks": 5},
          "any suit": {"passes": 1, "build": "any", "ranks": 5}, "covers": {"passes": 2, "cover_base": True},
          "two decks": {"passes": 2, "decks": 2}, "three decks": {"passes": 1, "decks": 3}}
NAMED = {"rainbow", "storehouse", "chameleon", "american-toad", "variegated"}


@cache
def true_verdict(position: Position, rule_set: Rules) -> str | None:
    """By brute force."""
    return decide(position, rule_set, LIMIT)


def jammed(position: Position, rule_set: Rules, told: dict | None = None) -> bool:
    """What is_jammed says of a position. told: arrays of the game to be told instead of its own."""
    game, state = pack_game(position, rule_set)
    game = game._replace(**{name: change(getattr(game, name)) for name, change in (told or {}).items()})
    return bool(is_jammed(state, game, np.empty(ROOM, np.int64)))


def count_positions(seeds: range, every: int = 4, told: dict | None = None, **pinned: object) -> Counter:
    """Positions of random games by (jammed, verdict of brute force)."""
    counts: Counter = Counter()
    for number, (position, rule_set) in enumerate(small_positions(seeds, **PINNED, **pinned)):
        if number % every == 0:
            verdict = true_verdict(position, rule_set)
            counts[jammed(position, rule_set, told), verdict] += verdict is not None
    return counts


@pytest.mark.parametrize("name", list(GROUPS))
def test_what_is_jammed_is_lost(name: str) -> None:
    counts = count_positions(range(7000, 7120), **GROUPS[name])
    assert counts[True, "winnable"] == 0, counts
    assert counts[True, "unwinnable"] > 20 and counts[False, "winnable"] > 100, counts


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GROUPS))
def test_what_is_jammed_is_lost_in_many_positions(name: str) -> None:
    counts = count_positions(range(20_000, 20_600), 2, **GROUPS[name])
    assert counts[True, "winnable"] == 0, counts
    assert counts[True, "unwinnable"] > 200 and counts[False, "winnable"] > 1000, counts


@pytest.mark.parametrize("told", [{"reserve": np.flip}, {"stock": lambda stock: np.roll(stock, 1)},
                                  {"carries": np.zeros_like}], ids=["reserve", "stock", "carries"])
def test_mistakes_are_found(told: dict) -> None:
    counts = count_positions(range(7000, 7120), told=told, **GROUPS["one pass"])
    assert counts[True, "winnable"] > 0, counts


@pytest.mark.parametrize("name", sorted(NAMED))
def test_no_position_of_a_win_is_jammed(name: str) -> None:
    """Wins of real deals, found without the test."""
    rule_set, asked = VARIANTS[name], 0
    for seed in range(12 if name != "chameleon" else 60):
        position = deal(seed, rule_set)
        result = solve(position, rule_set, nodes=5000, prunings=prunings_for(rule_set) & ~JAMS)
        for move in result.solution or ():
            assert not jammed(position, rule_set), (seed, position)
            position = apply(position, rule_set, move)
            asked += 1
    assert asked > 100


def test_the_order_of_the_stock_decides() -> None:
    """A deal of `rainbow` that is lost at first sight, and is won where the stock may be turned again."""
    rule_set, position = VARIANTS["rainbow"], deal(228, VARIANTS["rainbow"])
    assert jammed(position, rule_set)
    result = solve(position, rule_set, nodes=1)
    assert (result.verdict, result.nodes) == (UNWINNABLE, 1)
    assert solve(position, rules("rainbow", passes=None), nodes=100_000).verdict == WINNABLE


def test_decides_what_the_search_alone_does_not() -> None:
    rule_set = VARIANTS["storehouse"]
    without, decided = prunings_for(rule_set) & ~JAMS, 0
    for seed in range(100):
        result = solve(deal(seed, rule_set), rule_set, nodes=3000)
        other = solve(deal(seed, rule_set), rule_set, nodes=3000, prunings=without)
        assert UNDECIDED in (result.verdict, other.verdict) or result.verdict == other.verdict
        decided += other.verdict == UNDECIDED != result.verdict
    assert decided > 10


@pytest.mark.slow
def test_a_lost_deal_of_two_decks() -> None:
    """Every beam misses it, as its reserve never comes out."""
    rule_set = VARIANTS["variegated"]
    assert solve(deal(1054, rule_set), rule_set, nodes=3_000_000).verdict == UNWINNABLE


def test_rule_sets_in_which_it_is_in_force() -> None:
    assert {name for name, variant in VARIANTS.items() if prunings_for(variant) & JAMS} == NAMED


@pytest.mark.parametrize("rule_set, holds", [
    (rules("variegated", passes=1), True), (rules("double", passes=3), True), (rules("double"), False),
    (rules("rainbow", foundation_return=True), False), (rules("rainbow", fill="free"), False),
    (rules("canfield-draw1"), False)])
def test_conditions(rule_set: Rules, holds: bool) -> None:
    assert bool(prunings_for(rule_set) & JAMS) == holds
