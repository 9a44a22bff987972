"""What the estimates are made of, against the same read off plain positions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playouts import random_positions, small_positions

from solver import estimates
from solver.bits import U
from solver.cards import rank_of, suit_of
from solver.cardsets import has_card_sets
from solver.estimates import (FEATURES, NOISE, NOISE_STEPS, SET_LEVELS, UNLIMITED_NODES, count_knots, estimate,
                              estimates_for, find_features, stock_stage, tries_for, tries_of_sets, weights_of)
from solver.packed import card_code, pack_game
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules
from solver.sweep import has_levels

# Words wrap round, in kernels silently; interpreted, numpy warns of it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def knots(cards: tuple[int, ...], base: int, ranks: int) -> int:
    """Cards that lie on a lower card of their suit."""
    relative = [((rank_of(card) - base) % ranks, suit_of(card)) for card in cards]
    return sum(any(suit == other and rank > low for low, other in relative[:place])
               for place, (rank, suit) in enumerate(relative))


def plain_features(position: Position, rule_set: Rules) -> dict[int, int]:
    ranks, base = rule_set.ranks, position.base
    on_last_pass = position.pass_number == rule_set.passes
    return {
        estimates.ANY: 1,
        estimates.RESERVE_LEFT: len(position.reserve),
        estimates.NOT_UP: rule_set.cards - sum(position.foundations),
        estimates.STOCK_LEFT: len(position.stock + position.waste),
        estimates.WASTE_SIZE: len(position.waste),
        estimates.PASS: position.pass_number,
        estimates.SPACES: position.tableau.count(()),
        estimates.SINGLES: sum(len(pile) == 1 for pile in position.tableau),
        estimates.WOUND: sum(max(0, (rank_of(pile[-1]) - base) % ranks + len(pile) - ranks)
                             for pile in position.tableau if pile),
        estimates.LOWEST: min(position.foundations),
        estimates.WASTE_KNOTS: knots(position.waste, base, ranks) if on_last_pass else 0,
        estimates.RESERVE_KNOTS: knots(position.reserve, base, ranks),
    }


def check_features(position: Position, rule_set: Rules) -> None:
    game, state = pack_game(position, rule_set)
    found = np.zeros(FEATURES, np.int64)
    find_features(state, game, count_knots(game.reserve), True, U(5), found)
    expected = plain_features(position, rule_set)
    assert {feature: int(found[feature]) for feature in expected} == expected, (position, rule_set)
    assert 0 <= found[NOISE] < NOISE_STEPS


@pytest.mark.parametrize("name", ["canfield", "rainbow", "demon", "american-toad", "variegated", "quadruple"])
def test_features_in_random_games(name: str) -> None:
    for position in random_positions(VARIANTS[name], range(3), share=0.2):
        check_features(position, VARIANTS[name])


@pytest.mark.parametrize("decks", [1, 2, 3])
def test_features_under_random_rules(decks: int) -> None:
    for position, rule_set in small_positions(range(40), decks=decks):
        check_features(position, rule_set)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 51), max_size=52))
def test_knots_of_every_part_of_a_reserve(cards: list[int]) -> None:
    codes = [card_code(card, 0, 13) for card in cards]
    counted = count_knots(np.array(codes, np.uint8))
    assert counted.tolist() == [knots(tuple(codes[:left]), 0, 13) for left in range(len(codes) + 1)]


def test_an_estimate_is_the_weighted_sum() -> None:
    features = np.arange(1, FEATURES + 1)
    features[NOISE] = NOISE_STEPS // 2
    weights = weights_of({estimates.NOT_UP: 3, estimates.PASS: -2}, {NOISE: 10})
    assert int(estimate(weights, 0, features)) == 3 * features[estimates.NOT_UP] - 2 * features[estimates.PASS]
    assert int(estimate(weights, 1, features)) == 5


def test_stages_go_up_on_the_way_through_the_stock() -> None:
    rule_set = rules("variegated")
    start = next(random_positions(rule_set, range(1)))
    talon, stages = start.waste + start.stock[::-1], []
    for at_pass in (1, 2, 3):
        for turned in range(len(talon) + 1):
            position = Position(start.foundations, start.tableau, start.reserve, talon[:turned], talon[turned:][::-1],
                                start.base, at_pass)
            game, state = pack_game(position, rule_set)
            stages.append(int(stock_stage(state, game.spec, 10)))
    assert stages == sorted(stages) and set(stages) == set(range(10))


def test_several_decks_and_limited_passes_are_searched_in_tries() -> None:
    for variant in VARIANTS.values():
        assert estimates_for(variant)
        plans = tries_for(variant)
        hardly_won = has_card_sets(variant) and variant.passes == 1
        assert bool(plans) == (variant.decks > 1 or variant.passes is not None and not hardly_won)
        assert all(plan.stages == 0 or len(plan.estimates) == 1 for plan in plans)
        by_choices = [plan for plan in plans if plan.by_choices]
        assert bool(by_choices) == (variant.decks > 1 and variant.passes is not None)
        assert list(plans[:len(by_choices)]) == by_choices and all(plan.wide for plan in by_choices)


def test_set_game_tries_have_a_queue_each_or_levels_and_end_where_a_sweep_follows() -> None:
    for variant in filter(has_card_sets, VARIANTS.values()):
        plans = tries_of_sets(variant)
        assert all(plan.stages == (SET_LEVELS if len(plan.estimates) == 1 else 0) for plan in plans)
        assert all(plan.nodes < UNLIMITED_NODES for plan in plans[:-1])
        assert (plans[-1].nodes < UNLIMITED_NODES) == has_levels(variant), variant
        assert SET_LEVELS > variant.cards + variant.reserve  # so that each level has a queue of its own
