"""Deferred laying: what it says is lost is lost by brute force, and mistakes in what it is told are found."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT
from playouts import small_positions
from smalldecks import random_case
from test_setengines import COVERS_TOLD, FULL_RESERVE, PINNED

from solver import stages
from solver.game import apply
from solver.position import Position
from solver.prunings import DEFERRED, STUCK_RESERVE, prunings_for
from solver.rows import TIME_BITS, TIME_MASK
from solver.rulesets import VARIANTS, Rules, rules
from solver.setengines import Deferred
from solver.solving import UNDECIDED, UNWINNABLE, solve
from solver.sources import deal

MEMORY, NODES = 16 << 20, 20_000
ALL_WATCHED = (1 << 40) - 1
WHOLE_PILES = {"unit": "pile"}
ONE_CARD = WHOLE_PILES | {"draw": 1}
GROUPS = {"passes": FULL_RESERVE | ONE_CARD | {"passes": 2}, "last pass": FULL_RESERVE | ONE_CARD,
          "three passes": FULL_RESERVE | ONE_CARD | {"passes": 3, "cover_base": True},
          "no limit": FULL_RESERVE | ONE_CARD | {"passes": None}, "few ranks": PINNED | ONE_CARD | {"ranks": 4},
          "larger draws": FULL_RESERVE | WHOLE_PILES | {"passes": None, "draw": 3}, "covers": COVERS_TOLD | ONE_CARD}


@cache
def true_verdict(position: Position, rule_set: Rules) -> str | None:
    """By brute force."""
    return decide(position, rule_set, LIMIT)


def says(position: Position, rule_set: Rules, prunings: int | None = None, watched: int = 0, late: int = 0,
         reorder: Callable | None = None) -> str:
    """The verdict of the relaxation. watched: the stock cards that are watched from the start; late: as if the cards of
    the piles lay there only after so many turns; reorder: puts the stock in another order."""
    engine = Deferred(position, rule_set, prunings_for(rule_set) if prunings is None else prunings, MEMORY)
    engine.room = engine.room._replace(watched=np.uint64(watched))
    engine.times += late * sum(1 << int(TIME_BITS) * place for place in range(5))
    if reorder:
        engine.game = engine.game._replace(stock=reorder(engine.game.stock).copy())
        engine.sets = stages.stock_sets(engine.game)
    return engine.run(NODES)


def count_deals(seeds: range, pinned: dict, say: Callable = says) -> Counter:
    """Small deals by (what the relaxation says, verdict of brute force)."""
    counts: Counter = Counter()
    for seed in seeds:
        position, rule_set = random_case(seed, **pinned)
        verdict = true_verdict(position, rule_set) if rule_set.piles <= 4 else None
        if verdict is not None:
            counts[say(position, rule_set), verdict] += 1
    return counts


@pytest.mark.parametrize("name", list(GROUPS))
def test_what_it_says_is_lost_is_lost(name: str) -> None:
    counts = count_deals(range(80), GROUPS[name])
    assert counts[UNWINNABLE, "winnable"] == 0, counts
    assert counts[UNDECIDED, "winnable"] > 15 and counts[UNWINNABLE, "unwinnable"] > 8, counts


@pytest.mark.parametrize("name, seed", [("passes", 900_124), ("last pass", 951_034), ("covers", 1_010_369)])
def test_deals_that_wrong_versions_called_lost(name: str, seed: int) -> None:
    """A card was not let up from a tail when it came to the top once more, later; cards floated from tails; or an end
    that had gone up early could not have held what floated from its tail afterwards."""
    position, rule_set = random_case(seed, **GROUPS[name])
    assert true_verdict(position, rule_set) == "winnable"
    for watched in (0, ALL_WATCHED):
        assert says(position, rule_set, watched=watched) == UNDECIDED


@pytest.mark.parametrize("name", ["passes", "last pass", "three passes", "covers"])
def test_watched_cards(name: str) -> None:
    """Whichever cards are watched, what is called lost is lost."""
    for group, mask in (("some", 0x5A5A5A5A5), ("all", ALL_WATCHED)):
        counts = count_deals(range(400, 460), GROUPS[name], lambda *case: says(*case, watched=mask))
        assert counts[UNWINNABLE, "winnable"] == 0, (group, counts)
        assert counts[UNDECIDED, "winnable"] > 10, (group, counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GROUPS))
def test_what_it_says_of_many_more_deals_is_lost(name: str) -> None:
    for watched in (0, 0xA5A5A5A5A, ALL_WATCHED):
        counts = count_deals(range(50_000, 50_250), GROUPS[name], lambda *case: says(*case, watched=watched))
        assert counts[UNWINNABLE, "winnable"] == 0, counts
        assert counts[UNWINNABLE, "unwinnable"] > 25, counts


@pytest.mark.parametrize("name", ["passes", "three passes", "no limit"])
def test_what_it_says_of_positions_in_play(name: str) -> None:
    """In the middle of a pass, with stock cards on the tableau; with the test for dead ends and without."""
    counts: Counter = Counter()
    for number, (position, rule_set) in enumerate(small_positions(range(7000, 7050), **GROUPS[name])):
        if number % 7 == 0 and position.reserve and rule_set.piles <= 4:
            verdict = true_verdict(position, rule_set)
            for prunings in (prunings_for(rule_set), prunings_for(rule_set) & ~STUCK_RESERVE):
                counts[says(position, rule_set, prunings), verdict] += verdict is not None
    assert counts[UNWINNABLE, "winnable"] == 0, counts
    assert counts[UNWINNABLE, "unwinnable"] > 25 and counts[UNDECIDED, "winnable"] > 12, counts


@pytest.mark.parametrize("changes", [{}, {"passes": 2}, {"passes": None}, {"passes": None, "draw": 3}], ids=str)
def test_no_position_of_a_win_is_lost(changes: dict) -> None:
    """Wins of real deals, found without it. With a larger draw it is a relaxation all the more."""
    rule_set, asked = rules("canfield-draw1", **changes), 0
    for seed in range(20):
        position = deal(seed, rule_set)
        result = solve(position, rule_set, nodes=5000, prunings=prunings_for(rule_set) & ~DEFERRED)
        for move in result.solution or ():
            if asked % 3 == 0:
                assert says(position, rule_set) == UNDECIDED, (seed, position)
            position = apply(position, rule_set, move)
            asked += 1
    assert asked > 300


def test_it_proves_what_takes_other_searches_long() -> None:
    """No other search within 100,000 nodes, and hardly a few thousand here."""
    rule_set = VARIANTS["canfield-draw1"]
    for seed in (172, 185):
        position = deal(seed, rule_set)
        assert says(position, rule_set) == UNWINNABLE
        others = prunings_for(rule_set) & ~DEFERRED
        assert solve(position, rule_set, nodes=100_000, prunings=others).verdict == UNDECIDED


def test_suspects_are_watched_in_another_run() -> None:
    """A first run finds a win that is none; what uncovered something in it is watched, and then there is none."""
    rule_set = VARIANTS["canfield-draw1"]
    engine = Deferred(deal(1863, rule_set), rule_set, prunings_for(rule_set), MEMORY)
    assert engine.run(10) == UNDECIDED and engine.room.watched == 0
    assert engine.run(NODES) == UNWINNABLE
    assert 0 < int(engine.room.watched).bit_count() < 15


# Planted mistakes.


def test_it_errs_where_cards_come_to_the_piles_too_late() -> None:
    counts = count_deals(range(120), GROUPS["last pass"], lambda *case: says(*case, late=3))
    assert counts[UNWINNABLE, "winnable"] > 0, counts


def test_it_errs_where_stock_cards_come_in_another_order() -> None:
    counts = count_deals(range(120), GROUPS["last pass"], lambda *case: says(*case, reorder=np.flip))
    assert counts[UNWINNABLE, "winnable"] > 0, counts


def test_for_which_variants_it_is_in_force() -> None:
    assert {name for name, variant in VARIANTS.items() if prunings_for(variant) & DEFERRED} == {
        "canfield", "canfield-draw1", "solvitaire", "solvitaire-strict"}


@pytest.mark.parametrize("passes, holds", [(None, True), (1, True), (215, True), (216, False), (222, False)])
def test_it_is_in_force_only_where_its_times_fit(passes: int | None, holds: bool) -> None:
    """18 cards of stock take 19 times a pass, and a row has 12 bits for a time."""
    rule_set = Rules("small", ranks=8, reserve=9, draw=1, passes=passes)
    assert rule_set.stock == 18 and int(TIME_MASK) == 4095
    assert bool(prunings_for(rule_set) & DEFERRED) == holds
