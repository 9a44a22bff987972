"""Beam search by choices: its steps against playouts and play by the rules, and wins that replay (more: test_beam)."""

import numpy as np
import pytest
from judging import objection
from playouts import random_positions

from solver import engines
from solver.bits import FALSE, I, U
from solver.choices import LAPPED, add_child, move_before_choice, parent_of, turn_to_choice, write_choices
from solver.estimates import tries_for
from solver.game import legal_moves
from solver.moves import MOST_MOVES, apply_move, generate_moves
from solver.packed import WIDTH, Game, pack_game, unpack_state
from solver.playouts import ROOM, play_on
from solver.rulesets import rules
from solver.solving import solve
from solver.sources import deal

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

NAMES = ["variegated", "american-toad"]


def left_over(state: np.ndarray, game: Game) -> int:
    return int(play_on(state, game, np.zeros(ROOM, np.uint64))[0])


@pytest.mark.parametrize("name", NAMES)
def test_moves_between_choices_are_legal_and_those_of_the_playout(name: str) -> None:
    rule_set, made = rules(name), 0
    moves, tops = np.zeros(MOST_MOVES, np.uint64), np.zeros(256, np.uint64)
    for position in random_positions(rule_set, range(6), share=0.7):
        game, state = pack_game(position, rule_set)
        move = move_before_choice(state, game)
        if move:
            made += 1
            child = np.zeros_like(state)
            assert move in moves[:generate_moves(state, game, moves, tops)]
            assert apply_move(state, move, game, child)
            assert left_over(child, game) == left_over(state, game)
    assert made > 10


@pytest.mark.parametrize("name", NAMES)
def test_the_first_choice_is_the_playouts_own(name: str) -> None:
    """It comes to the same end; and the top of the waste can be played."""
    rule_set, met = rules(name), 0
    moves, log = np.zeros(MOST_MOVES, np.uint64), np.zeros(256, np.uint64)
    for position in random_positions(rule_set, range(12), share=0.7):
        game, state = pack_game(position, rule_set)
        width = int(game.spec[WIDTH])
        while move := move_before_choice(state, game):
            assert apply_move(state.copy(), move, game, state)
        place = len(position.waste) or min(rule_set.draw, len(position.stock))
        found, _ = turn_to_choice(state, I(place), FALSE, game)
        if not found:
            continue
        met += 1
        rows = np.zeros((400, width + 3), np.uint64)
        rows[1, :width], rows[1, width + 1] = state, U(1 << 32)
        count = int(write_choices(rows[1], game, moves))
        assert count >= 2 and sum(int(move) == 0 for move in moves[:count]) == 1
        turned = unpack_state(state, game, position.base)
        assert any(move.source == "waste" and move.turns == 0 for move in legal_moves(turned, rule_set))
        last, place, lapped = add_child(rows, I(1), moves[0], I(2), FALSE, game, log)
        end = left_over(state, game)
        found, _ = turn_to_choice(rows[last], place, lapped, game)
        if found:
            assert left_over(rows[last, :width], game) == end
        assert parent_of(rows, 1, I(width + 1)) == 1 and parent_of(rows, 0, I(width + 1)) == 0
    assert met > 10


def test_the_waste_is_turned_over_once_without_a_play() -> None:
    rule_set = rules("variegated")
    game, state = pack_game(deal(0, rule_set), rule_set)
    end = I(rule_set.stock + 1)
    over = state.copy()
    found, lapped = turn_to_choice(over, end, FALSE, game)
    assert found and lapped and int(over[1]) >> 16 == 2
    found, _ = turn_to_choice(over.copy(), end, np.bool_(True), game)
    assert not found
    state[1] += U(2 << 16)  # the last pass
    assert not turn_to_choice(state, end, FALSE, game)[0]
    assert int(LAPPED) == 1 << 63


def test_wins_replay_from_any_position_and_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        rule_set = rules(name)
        assert tries_for(rule_set)[0].by_choices
        positions = [position for position in random_positions(rule_set, range(40, 50), share=0.5)
                     if position.pass_number == 1] + [deal(seed, rule_set) for seed in range(20, 28)]
        results = [solve(position, rule_set, nodes=4000) for position in positions]
        won = [pair for pair in zip(positions, results) if pair[1].verdict == "winnable"]
        assert len(won) >= 8 and sum(len(position.waste) > 0 for position, _ in won) >= 2
        for position, result in won:
            assert objection(result, position, rule_set, "winnable") is None
        with monkeypatch.context() as patch:
            patch.setattr(engines, "SLICE", 37)
            patch.setattr(engines, "FIRST_ROWS", 2048)
            again = [solve(position, rule_set, nodes=4000) for position in positions]
        assert [(r.verdict, r.nodes, r.solution) for r in again] == [(r.verdict, r.nodes, r.solution) for r in results]
