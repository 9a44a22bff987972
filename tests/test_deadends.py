"""Dead ends: what is_stuck says so of is lost by brute force, and mistakes in what it is told are found."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT
from playouts import small_positions
from test_setengines import COVERS_TOLD, FULL_RESERVE, PINNED, judge_all

from solver.cardsets import BOTTOMS, HIGHER, PASS, STATE_WORDS, STOCK, TABLEAU, UP
from solver.deadends import is_stuck
from solver.game import apply
from solver.packed import Game
from solver.position import Position
from solver.prunings import STUCK_RESERVE, prunings_for
from solver.rulesets import VARIANTS, Rules
from solver.setengines import SetEngine
from solver.solving import solve
from solver.sources import deal

MEMORY = 1 << 20
GROUPS = {"any": PINNED, "reserve": FULL_RESERVE, "covers": FULL_RESERVE | COVERS_TOLD,
          "suffix": FULL_RESERVE | {"unit": "suffix"}, "passes": PINNED | {"ranks": 4, "passes": 2},
          "draw one": FULL_RESERVE | {"draw": 1, "passes": 2}}


@cache
def true_verdict(position: Position, rule_set: Rules) -> str | None:
    """By brute force."""
    return decide(position, rule_set, LIMIT)


def stuck(position: Position, rule_set: Rules, told: dict, classes: bool = True) -> bool:
    """What is_stuck says of a position. told: arrays of the game to be told instead of its own."""
    engine = SetEngine(position, rule_set, prunings_for(rule_set), MEMORY, classes, STATE_WORDS)
    state, game = engine.rows[0], engine.game
    assert isinstance(game, Game)
    game = game._replace(**{name: change(getattr(game, name)) for name, change in told.items()})
    return bool(is_stuck(state[UP], state[STOCK], state[TABLEAU], state[BOTTOMS], state[HIGHER], state[PASS], game,
                         engine.relaxed.sets))


def count_positions(seeds: range, pinned: dict, **told: object) -> Counter:
    """Positions of random games by (stuck, verdict of brute force)."""
    counts: Counter = Counter()
    for number, (position, rule_set) in enumerate(small_positions(seeds, **pinned)):
        if number % 5 == 0 and position.reserve:
            verdict = true_verdict(position, rule_set)
            counts[stuck(position, rule_set, told), verdict] += verdict is not None
            counts[stuck(position, rule_set, told, False), verdict] += verdict is not None
    return counts


@pytest.mark.parametrize("name", list(GROUPS))
def test_what_is_stuck_is_lost(name: str) -> None:
    counts = count_positions(range(6000, 6120), GROUPS[name])
    assert counts[True, "winnable"] == 0, counts
    assert counts[True, "unwinnable"] > 40 and counts[False, "winnable"] > 30, counts


@pytest.mark.parametrize("name", ["canfield", "canfield-draw1", "second-life", "solvitaire", "solvitaire-strict",
                                  "pysolfc"])
def test_no_position_of_a_win_is_stuck(name: str) -> None:
    """Wins of real deals, found without the test."""
    rule_set, asked = VARIANTS[name], 0
    for seed in range(12):
        position = deal(seed, rule_set)
        result = solve(position, rule_set, nodes=5000, prunings=prunings_for(rule_set) & ~STUCK_RESERVE)
        for move in result.solution or ():
            assert not stuck(position, rule_set, {}), (seed, position)
            position = apply(position, rule_set, move)
            asked += 1
    assert asked > 300


@pytest.mark.parametrize("told", [{"reserve": np.flip}, {"stock": lambda stock: np.roll(stock, 1)}],
                         ids=["reserve", "stock"])
def test_told_another_order_it_errs(told: dict) -> None:
    """The order of the reserve decides which card is its top, that of the stock what can be taken on the last pass."""
    counts = count_positions(range(6000, 6120), GROUPS["reserve"] | {"passes": 1}, **told)
    assert counts[True, "winnable"] > 0, counts


def test_the_judge_finds_it_where_it_does_not_hold() -> None:
    """Where spaces may be filled at will, a pile that cannot leave is no obstacle for the reserve."""
    complaints = judge_all(range(150), FULL_RESERVE | {"fill": "free"}, more=STUCK_RESERVE).complaints
    assert any("unwinnable, but brute force says winnable" in line for line in complaints)


def test_for_which_variants_it_is_in_force() -> None:
    names = {name for name, variant in VARIANTS.items() if prunings_for(variant) & STUCK_RESERVE}
    assert names == {"canfield", "canfield-draw1", "second-life", "rule-book", "solvitaire", "solvitaire-strict",
                     "pysolfc", "rainfall", "casino"}
