"""Packed moves against the plain reference game: successors, perft, and the parts of the kernels one by one."""

import json
from collections import Counter

import numpy as np
import pytest
from make_perft import RULE_SETS, path_of
from numba import config
from playouts import random_positions, small_positions

from solver.cards import BadInput
from solver.game import apply, legal_moves, perft, won
from solver.moves import (MOST_MOVES, apply_move, count_leaves, encode_move, generate_moves, is_won, may_redeal,
                          move_code, move_count, move_source, move_stock_index, move_target, raise_foundation,
                          waste_tops)
from solver.packed import PILES, WIDTH, pack_game, unpack_state
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules
from solver.sources import deal

SMALL = range(60)


def capacity(rule_set: Rules) -> int:
    """Cards that a pile word has room for."""
    return {"alternate": 51, "any": 25, "suit": 127}[rule_set.build]


def packed_successors(position: Position, rule_set: Rules) -> Counter[Position | None]:
    """The positions that the kernels reach in one move, each as often as a move leads there; None stands for those
    whose pile outgrows its word."""
    game, state = pack_game(position, rule_set)
    moves, tops = np.zeros(MOST_MOVES, np.uint64), np.zeros(256, np.uint64)
    child = np.zeros(int(game.spec[WIDTH]), np.uint64)
    found: Counter[Position | None] = Counter()
    for move in moves[:generate_moves(state, game, moves, tops)]:
        fits = apply_move(state, move, game, child)
        found[unpack_state(child, game, position.base) if fits else None] += 1
    return found


def plain_successors(position: Position, rule_set: Rules) -> Counter[Position | None]:
    """The same by the plain game, None for a pile of more cards than a word has room for."""
    following = [apply(position, rule_set, move) for move in legal_moves(position, rule_set)]
    return Counter(after if max(map(len, after.tableau)) <= capacity(rule_set) else None for after in following)


@pytest.mark.parametrize("name", RULE_SETS)
def test_successors_in_random_games(name: str) -> None:
    """Games one after the other, until 60 positions were compared, 12 of them well into the game."""
    rule_set = RULE_SETS[name]
    compared = later = 0
    for position in random_positions(rule_set, range(100), share=0.25):
        if won(position, rule_set) or max(map(len, position.tableau)) > capacity(rule_set):
            continue
        assert packed_successors(position, rule_set) == plain_successors(position, rule_set), position
        compared += 1
        later += sum(position.foundations) > rule_set.starters + 3
        if compared >= 60 and later >= 12:
            return
    pytest.fail(f"only {compared} positions, {later} of them well into the game")


@pytest.mark.parametrize("decks", [1, 2, 3])
def test_successors_under_random_rules(decks: int) -> None:
    wins = 0
    for position, rule_set in small_positions(SMALL, decks=decks):
        game, state = pack_game(position, rule_set)
        assert is_won(state, game.spec) == won(position, rule_set)
        wins += won(position, rule_set)
        if not won(position, rule_set):
            assert packed_successors(position, rule_set) == plain_successors(position, rule_set), (position, rule_set)
    assert wins > 0


def read_perft(name: str) -> tuple[Rules, list[dict]]:
    content = json.loads(path_of(name).read_text())
    return Rules(**content["rules"]), content["deals"]


@pytest.mark.skipif(config.DISABLE_JIT, reason="millions of moves")
@pytest.mark.parametrize("name", RULE_SETS)
def test_perft_of_the_packed_engine(name: str) -> None:
    """Every pinned count; a difference shows the depth where it starts."""
    rule_set, deals = read_perft(name)
    assert rule_set == RULE_SETS[name]
    assert len(deals) >= 3
    for entry in deals:
        game, state = pack_game(deal(entry["seed"], rule_set), rule_set)
        counted = [count_leaves(state, game, depth) for depth in range(1, len(entry["counts"]) + 1)]
        assert counted == entry["counts"], f"{name}, seed {entry['seed']}"


@pytest.mark.parametrize("name", RULE_SETS)
def test_perft_of_the_plain_game(name: str) -> None:
    """The first pinned counts, as far as some hundred sequences go."""
    rule_set, deals = read_perft(name)
    for entry in deals:
        depths = [depth for depth, count in enumerate(entry["counts"], 1) if depth < 3 or count < 400][:3]
        counted = [perft(deal(entry["seed"], rule_set), rule_set, depth) for depth in depths]
        assert counted == entry["counts"][:len(depths)], f"{name}, seed {entry['seed']}"


def test_perft_to_depth_zero() -> None:
    game, state = pack_game(deal(1, rules()), rules())
    assert count_leaves(state, game, 0) == 1


# Kernels by themselves; these are tested interpreted as well.


@pytest.mark.parametrize("code, count, source, target", [(0, 1, 0, 14), (51, 127, 11, 12), (22, 13, 13, 3)])
def test_move_fields(code: int, count: int, source: int, target: int) -> None:
    move = encode_move(code, count, source, target) | np.uint64(207 << 23)
    assert (move_code(move), move_count(move), move_source(move), move_target(move)) == (code, count, source, target)
    assert move_stock_index(move) == 207


def tops_by_turning(size: int, turned: int, draw: int, redeal: bool) -> list[tuple[int, bool]]:
    """Places (from 0) that come to the top, and whether only after the next redeal: the stock turned draw by draw."""
    now, later = [turned] if turned else [], []
    while turned < size:
        turned = min(turned + draw, size)
        now.append(turned)
    turned = 0
    while redeal and turned < size:
        turned = min(turned + draw, size)
        later.append(turned)
    return sorted((place - 1, place not in now) for place in {*now, *later})


@pytest.mark.parametrize("draw", [1, 2, 3, 5])
@pytest.mark.parametrize("passes", [None, 1, 2])
def test_tops_of_the_waste_are_those_of_turning(draw: int, passes: int | None) -> None:
    rule_set = rules("canfield-draw1", draw=draw, passes=passes)
    stock = tuple(range(4, 40, 4))
    tops = np.zeros(256, np.uint64)
    for size in range(len(stock) + 1):
        for turned in range(size + 1):
            waste, rest = stock[:turned], stock[turned:size]
            position = Position((0,) * 4, ((),) * 4, (), waste, rest[::-1], 0)
            game, state = pack_game(position, rule_set)
            redeal = bool(may_redeal(state, game.spec))
            assert redeal == (passes != 1)
            found = [(int(top) & 255, bool(int(top) >> 8)) for top in tops[:waste_tops(state, game.spec, tops)]]
            assert found == tops_by_turning(size, turned, draw, redeal)


def test_redeals_end_with_the_last_pass() -> None:
    rule_set = rules("canfield", passes=3)
    for pass_number in (1, 2, 3):
        game, state = pack_game(Position((0,) * 4, ((),) * 4, (), (), (), 0, pass_number), rule_set)
        assert bool(may_redeal(state, game.spec)) == (pass_number < 3)


def test_a_card_goes_to_the_first_foundation_that_takes_it() -> None:
    heights = np.uint64(0x0000_0000_0322_0000)  # three decks: diamonds 2, 2, 3 from copy 0 upwards in these digits
    assert raise_foundation(heights, np.int64(4 * 2 + 1)) == np.uint64(0x0000_0000_0323_0000)
    assert raise_foundation(heights, np.int64(4 * 3 + 1)) == np.uint64(0x0000_0000_0422_0000)


def test_a_pile_that_outgrows_its_word_is_no_silent_loss() -> None:
    """Two decks, any suit: a run of 25 cards fits a word, and the 26th is refused."""
    rule_set = rules("rainbow", decks=2, piles=2)
    run = [4 * (rank % 13) for rank in range(40, 40 - 25, -1)]
    following = 4 * ((40 - 25) % 13) + 1
    position = Position((0,) * 8, (tuple(run), (following,)), (), (), (), 5)
    game, state = pack_game(position, rule_set)
    assert unpack_state(state, game, 5) == position
    child = np.zeros(int(game.spec[WIDTH]), np.uint64)
    code = int(state[int(game.spec[WIDTH]) - 1]) & 63
    assert not apply_move(state, encode_move(code, 1, 1, 0), game, child)
    with pytest.raises(BadInput, match="^tableau 1 has 26 cards; the search can write down 25$"):
        pack_game(Position((0,) * 8, ((*run, following), ()), (), (), (), 5), rule_set)
    assert int(game.spec[PILES]) == 2


def test_variants_are_all_pinned() -> None:
    assert set(VARIANTS) <= set(RULE_SETS)
    assert all(path_of(name).exists() for name in RULE_SETS)
