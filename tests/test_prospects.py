"""What a playout's end says: the word that keeps it, and prospects that follow the weights."""

import numpy as np
import pytest
from playouts import random_positions

from solver.packed import pack_game
from solver.playouts import END_LEFT, END_WASTE, REDEAL_LEFT, REDEAL_NOT_UP, REDEAL_STOCK, ROOM, play_on
from solver.prospects import FEATURES, SCALE, WEIGHTS, end_field, find_end, prospect, sum_of_squares
from solver.rulesets import rules

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def test_the_end_keeps_what_the_playout_found() -> None:
    rule_set, redeals = rules("variegated"), 0
    for position in random_positions(rule_set, range(20), share=0.6):
        game, state = pack_game(position, rule_set)
        room = np.zeros(ROOM, np.uint64)
        end, (not_up, moves) = find_end(state, game, room), play_on(state, game, room)
        assert (end_field(end, 0), end_field(end, 24)) == (not_up, moves)
        facts = [int(room[index]) for index in (END_LEFT, END_WASTE, REDEAL_NOT_UP, REDEAL_STOCK, REDEAL_LEFT)]
        assert [int(end_field(end, shift)) for shift in (8, 16, 32, 40, 48)] == facts
        assert facts[0] + facts[1] <= not_up and facts[3] + facts[4] <= facts[2]
        assert bool(facts[2]) <= (position.pass_number < rule_set.passes)
        redeals += facts[2] > 0
    assert redeals > 10


def test_prospects_are_sums_of_weighted_features() -> None:
    """One weight at a time: what it adds is a number that can be counted on the position."""
    rule_set = rules("variegated")
    for position in random_positions(rule_set, range(2), share=0.1):
        game, state = pack_game(position, rule_set)
        end = find_end(state, game, np.zeros(ROOM, np.uint64))

        def weighed(feature: str) -> int:
            weights = np.zeros_like(WEIGHTS)
            weights[:, FEATURES.index(feature)] = SCALE
            return int(prospect(state, end, weights, game.spec))

        up = sum(position.foundations)
        assert weighed("any") == 1 and weighed("not up") == rule_set.cards - up
        assert weighed("stock") == len(position.waste) + len(position.stock) and weighed("waste") == len(position.waste)
        assert weighed("reserve") == len(position.reserve)
        assert weighed("squares") == sum(height**2 for height in position.foundations) == sum_of_squares(state[0])
        assert weighed("spaces") == position.tableau.count(()) and weighed("lowest") == min(position.foundations)
        assert weighed("end not up") == int(end_field(end, 0)) <= rule_set.cards - up
        assert weighed("end square") == weighed("end not up")**2 // 8
    assert WEIGHTS.shape[1] == len(FEATURES)
