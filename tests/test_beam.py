"""Beam search of the pile game: playouts against play by the rules, and wins that replay."""

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, objection
from playouts import random_positions
from smalldecks import random_case

from solver import engines
from solver.beam import stage_ahead
from solver.bits import I
from solver.cards import rank_of, suit_of
from solver.estimates import BEAM, Try
from solver.moves import apply_move, generate_moves
from solver.packed import WIDTH, pack_game
from solver.playouts import ROOM, play_on
from solver.position import Position
from solver.prunings import prunings_for
from solver.rulesets import rules
from solver.solving import solve
from solver.sources import deal

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def left_over(state: np.ndarray, game) -> tuple[int, int]:
    left, moves = play_on(state, game, np.zeros(ROOM, np.uint64))
    return int(left), int(moves)


@pytest.mark.parametrize("name", ["variegated", "american-toad", "double"])
def test_a_playout_is_a_row_of_legal_moves(name: str) -> None:
    """Each playout that moves goes through a child of its position, one move nearer to the same end."""
    rule_set, moved = rules(name), 0
    moves, tops = np.zeros(4096, np.uint64), np.zeros(256, np.uint64)
    for position in random_positions(rule_set, range(6), share=0.7):
        game, state = pack_game(position, rule_set)
        end, length = left_over(state, game)
        assert 0 <= end <= rule_set.cards - sum(position.foundations)
        if length == 0:
            assert end == rule_set.cards - sum(position.foundations)
            continue
        moved += 1
        found = []
        for index in range(generate_moves(state, game, moves, tops)):
            child = np.zeros(int(game.spec[WIDTH]), np.uint64)
            apply_move(state, moves[index], game, child)
            found.append(left_over(child, game))
        assert (end, length - 1) in found, position
    assert moved > 10


def test_a_playout_takes_all_that_can_be_taken() -> None:
    """Everything lies in order for the foundations: the playout is the win, one move a card."""
    rule_set = rules("variegated")
    start = deal(0, rule_set)
    cards = sorted([*start.reserve, *start.stock, *(pile[0] for pile in start.tableau)], key=rank_of)
    order = sorted(cards, key=lambda card: (rank_of(card), suit_of(card)), reverse=True)
    position = Position(start.foundations, ((),) * 5, (), tuple(order), (), 0, 3)
    game, state = pack_game(position, rule_set)
    assert left_over(state, game) == (0, len(order))


def test_stages_never_lead_back() -> None:
    rule_set = rules("variegated")
    moves, tops = np.zeros(4096, np.uint64), np.zeros(256, np.uint64)
    met = set()
    for position in random_positions(rule_set, range(4), share=0.2):
        game, state = pack_game(position, rule_set)
        stage = int(stage_ahead(state, game.spec, I(27)))
        met.add(stage)
        for index in range(generate_moves(state, game, moves, tops)):
            child = np.zeros(int(game.spec[WIDTH]), np.uint64)
            apply_move(state, moves[index], game, child)
            assert int(stage_ahead(child, game.spec, I(27))) >= stage
    assert len(met) > 3


@pytest.mark.parametrize("by_choices", [False, True])
@pytest.mark.parametrize("wide, alike", [(3, 1), (200, 20)])
def test_a_beam_finds_only_wins_and_proves_nothing(wide: int, alike: int, by_choices: bool) -> None:
    won = 0
    for seed in range(150):
        position, rule_set = random_case(seed, decks=2)
        engine = engines.PilesFirst(position, rule_set, prunings_for(rule_set), 64 << 20,
                                    Try((BEAM,), 20_000, 10, 0, wide, alike, by_choices))
        answer = engine.run(20_000)
        assert answer != "unwinnable"
        if answer == "winnable":
            won += 1
            assert decide(position, rule_set, LIMIT) in ("winnable", None), (seed, rule_set)
    assert won > 20


def test_wins_of_beams_replay_and_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seeds in (("variegated", range(10, 14)), ("american-toad", range(4))):
        rule_set = rules(name)
        deals = [deal(seed, rule_set) for seed in seeds]
        results = [solve(position, rule_set, nodes=8000) for position in deals]
        for position, result in zip(deals, results):
            if result.verdict == "winnable":
                assert objection(result, position, rule_set, "winnable") is None
        assert sum(result.verdict == "winnable" for result in results) >= 3
        with monkeypatch.context() as patch:
            patch.setattr(engines, "SLICE", 37)
            patch.setattr(engines, "FIRST_ROWS", 2048)
            again = [solve(position, rule_set, nodes=8000) for position in deals]
        assert [(r.verdict, r.nodes, r.solution) for r in again] == [(r.verdict, r.nodes, r.solution) for r in results]
