"""The sweep on real deals: the verdicts of the other searches, however it is cut up, within its memory; its wins."""

from functools import cache

import numpy as np
import pytest
from judging import finished, objection
from playouts import random_positions

from solver import engines, search, setengines, stages
from solver.bits import I
from solver.cardsets import UP, pack_card_sets
from solver.prunings import prunings_for
from solver.rulesets import VARIANTS, Rules, rules
from solver.setengines import BestFirst, SetEngine, SetSearch, Sweep
from solver.solving import UNDECIDED, UNWINNABLE, WINNABLE
from solver.sources import deal
from solver.stages import level_of, stock_sets
from solver.sweep import has_levels

MEMORY, NODES = 64 << 20, 100_000
# Deals that are exhausted or won within NODES; those of some dozen nodes left out.
DECIDED = [
    (rules("canfield"), (5, 9, 15, 19, 23)),
    (rules("solvitaire"), (9, 12, 15, 19, 23)),
    (rules("second-life"), (5, 25)),
    (rules("pysolfc"), (48, 53, 67)),
    (rules("canfield-draw1", passes=1), (0, 3, 13, 15, 29)),
    (rules("canfield-draw1"), (5, 23)),
]
IDS = [f"{rule_set.name}-{rule_set.passes}" for rule_set, _ in DECIDED]
SMALL_PART = [(rule_set, seeds[:2]) for rule_set, seeds in DECIDED]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def new_sweep(rule_set: Rules, seed: int, memory: int = MEMORY) -> Sweep:
    return Sweep(deal(seed, rule_set), rule_set, prunings_for(rule_set), memory)


@cache
def swept(rule_set: Rules, seed: int) -> tuple[str, int, list[int]]:
    """Verdict, nodes and path of a sweep as it is."""
    return told(new_sweep(rule_set, seed))


def told(engine: Sweep) -> tuple[str, int, list[int]]:
    verdict = engine.run(NODES)
    return verdict, engine.nodes, engine.winning_path().tolist() if verdict == WINNABLE else []


def is_as_many(nodes: int, depth_first: SetEngine, rule_set: Rules) -> bool:
    """Without a limit on passes the search in depth enters each position that the sweep expands. With one, it expands a
    position anew for a better waste, a few times, and enters many that are dead ends by their waste."""
    if rule_set.passes is None:
        return 0.99 <= nodes / depth_first.status[search.ENTRIES] <= 1.05
    return 0.25 * depth_first.nodes < nodes <= 1.1 * depth_first.nodes


@pytest.mark.parametrize("rule_set, seeds", DECIDED, ids=IDS)
def test_the_verdicts_of_the_other_searches(rule_set: Rules, seeds: tuple[int, ...]) -> None:
    """Wins are played; of lost deals as many positions are met as by the search in depth, each once and not for each
    of its wastes."""
    for seed in seeds:
        position, sweeping = deal(seed, rule_set), new_sweep(rule_set, seed)
        result = finished(sweeping, position, rule_set, NODES)
        for kind in (SetSearch, BestFirst):
            other: SetEngine = kind(position, rule_set, prunings_for(rule_set), MEMORY)
            assert other.run(NODES) == result.verdict, (kind, seed)
            if result.verdict == UNWINNABLE and kind is SetSearch:
                assert is_as_many(result.nodes, other, rule_set), seed
        assert objection(result, position, rule_set, result.verdict) is None, seed
        assert result.nodes > 0


def test_both_verdicts_are_among_them() -> None:
    verdicts = [swept(rule_set, seed)[0] for rule_set, seeds in DECIDED for seed in seeds]
    assert verdicts.count(WINNABLE) >= 5 and verdicts.count(UNWINNABLE) >= 12 and UNDECIDED not in verdicts


@pytest.mark.parametrize("rule_set, seeds", SMALL_PART, ids=IDS)
def test_slices_and_the_room_for_stages_change_nothing(rule_set: Rules, seeds: tuple[int, ...],
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at every 37th node, with the arrays of stages as small as can be, and growing."""
    whole = [swept(rule_set, seed) for seed in seeds]
    monkeypatch.setattr(engines, "SLICE", 37)
    assert [told(new_sweep(rule_set, seed)) for seed in seeds] == whole
    for seed, expected in zip(seeds, whole):
        engine = new_sweep(rule_set, seed)
        least = engine.stages.stages[:1].copy(), np.zeros(2, np.int64)
        stages.fill_index(*least, engine.status[stages.STAGES])
        engine.stages = engine.stages._replace(stages=least[0], index=least[1])
        assert told(engine) == expected
        assert len(engine.stages.index) > len(engine.stages.stages) > engine.status[stages.STAGES]


@pytest.mark.parametrize("rule_set, seeds", DECIDED, ids=IDS)
def test_small_tables_grow_and_change_nothing(rule_set: Rules, seeds: tuple[int, ...],
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """From the fewest entries and rows on that there may be."""
    monkeypatch.setattr(setengines, "FIRST_ENTRIES", stages.FIRST_LOCAL)
    monkeypatch.setattr(setengines, "FIRST_STAGE_ROWS", 1)
    largest = 0
    for seed in seeds:
        engine = new_sweep(rule_set, seed)
        assert told(engine) == swept(rule_set, seed), seed
        assert len(engine.stages.first) == len(engine.stages.second)
        largest = max(largest, len(engine.stages.first) // 2)
    assert largest > stages.FIRST_LOCAL or rule_set.passes == 1  # hardly anything is left there


def test_a_level_is_the_number_of_cards_up_and_out_of_the_reserve() -> None:
    for position in random_positions(rules("second-life"), range(5), share=0.2):
        _, words = pack_card_sets(position, rules("second-life"))
        assert level_of(words[UP], I(13)) == sum(position.foundations) + 13 - len(position.reserve)


def test_each_stage_is_entered_once() -> None:
    """Bottoms are told as long as cards are left in the reserve."""
    engine = new_sweep(rules("canfield"), 23)
    assert told(engine)[0] == WINNABLE
    count = int(engine.status[stages.STAGES])
    entered = [tuple(stage) for stage in engine.stages.stages[:count, [stages.STAGE_UP, stages.STAGE_BOTTOMS]].tolist()]
    assert len(set(entered)) == count > 1000
    without_reserve = [bottoms for up_word, bottoms in entered if up_word >> 52 == 0]
    assert set(without_reserve) == {0} and all(bottoms for up_word, bottoms in entered if up_word >> 52)


@pytest.mark.parametrize("rule_set, seeds", DECIDED, ids=IDS)
def test_too_little_memory_decides_nothing_wrongly(rule_set: Rules, seeds: tuple[int, ...]) -> None:
    undecided = 0
    for seed in seeds:
        for kilobytes in (1, 1500, 2000, 4000):
            engine = new_sweep(rule_set, seed, kilobytes << 10)
            verdict = engine.run(NODES)
            assert verdict in (swept(rule_set, seed)[0], UNDECIDED)
            assert engine.is_full == (verdict == UNDECIDED)
            assert engine.stages.arrivals.nbytes + engine.stages.origins.nbytes <= kilobytes * 768
            undecided += engine.is_full
    assert undecided >= len(seeds)


def test_with_a_little_more_memory_it_goes_further() -> None:
    """A deal that outgrows the one and the other."""
    nodes = [(engine.run(10 * NODES), engine.is_full, engine.nodes)
             for engine in (new_sweep(rules("canfield"), 0, megabytes << 20) for megabytes in (2, 4, 8))]
    assert [entry[:2] for entry in nodes] == [(UNDECIDED, True)] * 3
    assert nodes[0][2] < nodes[1][2] < nodes[2][2]


def test_a_budget_is_kept_and_the_search_goes_on_from_there() -> None:
    expected = swept(rules("canfield"), 15)
    engine = new_sweep(rules("canfield"), 15)
    for budget in (0, 1, 777, expected[1] - 1):
        assert (engine.run(budget), engine.nodes) == (UNDECIDED, budget)
    assert told(engine) == expected


@pytest.mark.parametrize("name", list(VARIANTS))
def test_levels_are_there_where_moves_lead_to_later_stages_only(name: str) -> None:
    variant = VARIANTS[name]
    assert has_levels(variant) == (name not in ("zubboo", "superior", "pysolfc-superior"))


def test_stock_cards_by_code() -> None:
    for rule_set in (rules("canfield"), rules("solvitaire")):
        game, _ = pack_card_sets(deal(3, rule_set), rule_set)
        sets, stock = stock_sets(game), game.stock.tolist()
        for host in range(52):
            assert [index for index in range(34) if int(sets.places[host]) >> index & 1] == [
                index for index, card in enumerate(stock) if card == host]
            assert {index for index in range(34) if int(sets.guests[host]) >> index & 1} == {
                index for index, card in enumerate(stock) if rule_set.carries(host, card, base=0)}
        for chosen in (0, 1, 0b1010 << 30, (1 << 34) - 1, 0x2F0F1_3579 & (1 << 34) - 1):
            union = 0
            for four in range(13):
                union |= int(sets.cards[16 * four + (chosen >> 4 * four & 15)])
            assert union == sum(1 << card for index, card in enumerate(stock) if chosen >> index & 1)
