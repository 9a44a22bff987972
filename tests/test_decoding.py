"""Paths of the kernels as moves of the plain game."""

from collections import Counter

import numpy as np
import pytest
from playouts import small_positions

from solver.bits import U
from solver.cards import parse_card
from solver.cardsets import ON_HIGHER, ON_LOWER, pack_card_sets
from solver.decoding import Winding, decode, plain_move, set_moves, stock_set, turns_to
from solver.game import WASTE, apply, legal_moves, won
from solver.moves import FOUNDATION, MOST_MOVES, encode_move, generate_moves
from solver.packed import card_code, pack_game
from solver.position import Position
from solver.rulesets import rules
from solver.solving import solve
from solver.sources import deal

NO_MOVES = np.empty(0, np.uint64)


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def test_every_pile_move_is_a_legal_move_of_the_plain_game() -> None:
    """And all of them, fills and turns included."""
    tops = np.empty(256, np.uint64)
    for position, rule_set in small_positions(range(80)):
        if won(position, rule_set):
            continue
        game, root = pack_game(position, rule_set)
        moves = np.empty(MOST_MOVES, np.uint64)
        words = moves[:generate_moves(root, game, moves, tops)]
        decoded = [decode(np.array([0, word], np.uint64), game, root, position, rule_set, False) for word in words]
        assert all(len(found) == 1 for found in decoded)
        assert Counter(found[0] for found in decoded) == Counter(legal_moves(position, rule_set))


def test_turns_are_the_fewest() -> None:
    seen = 0
    for position, rule_set in small_positions(range(150)):
        size = len(position.waste) + len(position.stock)
        for move in legal_moves(position, rule_set):
            if move.source == WASTE:
                after = apply(position, rule_set, move)
                place = len(after.waste) + 1
                assert turns_to(place, position, rule_set) == move.turns
                assert 1 <= place <= size
                seen += 1
    assert seen > 200


@pytest.mark.parametrize("place, turns", [(3, 0), (5, 1), (7, 2), (8, 3), (2, 4), (4, 5), (6, 6)])
def test_turns_by_hand(place: int, turns: int) -> None:
    """Eight cards, three of them turned, two at a time: up come 5, 7, 8, and from the next pass on 2, 4, 6."""
    position = Position((0,) * 4, ((),) * 4, (), (0, 1, 2), (7, 6, 5, 4, 3), 0)
    assert turns_to(place, position, rules("canfield", draw=2)) == turns


def test_the_path_of_the_root_alone_holds_the_forced_moves() -> None:
    """Aces up is all that is left to do: both engines find each move forced."""
    rule_set = rules("canfield", cover_base=False)
    position = Position((12, 13, 13, 12), (cards("KC"), (), (), ()), cards("KH"), (), (), 0)
    for set_game, pack in ((False, pack_game), (True, pack_card_sets)):
        game, root = pack(position, rule_set, 1)
        moves = decode(NO_MOVES, game, root, position, rule_set, set_game)
        after = position
        for move in moves:
            after = apply(after, rule_set, move)
        assert won(after, rule_set) and len(moves) == 2


def test_a_fill_is_named_where_one_falls() -> None:
    position = Position((0,) * 4, (cards("9C 8D"), cards("TD"), ()), cards("2C 3C"), (), (), 0)
    automatic, free = rules("canfield", piles=3), rules("superior", piles=3)
    whole, part = (9 * 4 - 4, 2, "tableau 1", "tableau 2", 0), (parse_card("8D"), 1, "tableau 1", "tableau 2", 0)
    assert plain_move(position, automatic, *whole).fill == parse_card("3C")
    assert plain_move(position, automatic, *part).fill is None
    assert plain_move(position, free, *whole).fill is None
    assert plain_move(position, automatic, parse_card("3C"), 1, "reserve", "tableau 2", 0).fill is None


@pytest.mark.parametrize("classes", [True, False])
def test_a_run_cannot_be_laid_on_itself(classes: bool) -> None:
    """Two ranks, base cards covered: AH may carry 2C, but it lies on that very 2C."""
    rule_set = rules("rule-book", ranks=2, piles=2, reserve=0)
    position = Position((0,) * 4, (cards("2C AH"), cards("2S")), (), (), (), 0)
    move = int(encode_move(card_code(parse_card("2C"), 0, 2), 1, ON_LOWER, ON_LOWER))
    with pytest.raises(Winding):
        set_moves(move, 0, position, rule_set, classes)
    absent = int(encode_move(card_code(parse_card("2H"), 0, 2), 1, ON_LOWER, FOUNDATION))
    with pytest.raises(Winding):
        set_moves(absent, 0, position, rule_set, classes)


def test_a_cover_moves_over_to_the_free_twin() -> None:
    """Suffix rules: AC goes up although KD lies on it, for AS is free and takes it."""
    rule_set = rules("rule-book", reserve=0)
    position = Position((0,) * 4, (cards("AC KD"), cards("AS"), (), ()), (), (), (), 0)
    moves = set_moves(int(encode_move(0, 1, ON_LOWER, FOUNDATION)), 0, position, rule_set, True)
    assert [(move.card, move.source, move.target) for move in moves] == [
        (parse_card("KD"), "tableau 1", "tableau 2"), (parse_card("AC"), "tableau 1", "foundation C")]


def test_where_twins_are_told_apart_a_card_goes_to_the_twin_it_was_sent_to() -> None:
    """KD may lie on AC and on AS; with classes alone the first host there is takes it."""
    rule_set = rules("rule-book", reserve=0)
    position = Position((0,) * 4, (cards("AC"), cards("AS"), cards("KD"), ()), (), (), (), 0)
    code = card_code(parse_card("KD"), 0, 13)
    for place, twins, classes in ((ON_LOWER, "tableau 1", "tableau 1"), (ON_HIGHER, "tableau 2", "tableau 1")):
        word = int(encode_move(code, 1, ON_LOWER, place))
        assert set_moves(word, 0, position, rule_set, False)[0].target == twins
        assert set_moves(word, 0, position, rule_set, True)[0].target == classes


@pytest.mark.parametrize("decks", [1, 3])
def test_the_stock_set_is_one_integer(decks: int) -> None:
    rule_set = rules("rule-book", decks=decks)
    position = Position((0,) * 4 * decks, ((),) * 4, (), (1, 2), tuple(range(52)) * (decks - 1) + (5,), 0)
    game, root = pack_game(position, rule_set)
    size = len(position.waste) + len(position.stock)
    assert stock_set(root, game, False) == (1 << size) - 1
    root[2] &= ~U(4)
    assert stock_set(root, game, False) == (1 << size) - 1 - 4


@pytest.mark.parametrize("name, changes", [
    ("solvitaire", {}), ("second-life", {}), ("zubboo", {}), ("rule-book", {"fill": "free"}), ("canfield", {}),
    ("canfield-draw1", {}), ("double", {}), ("pysolfc", {})])
def test_moves_are_counted_as_they_are_written_down(name: str, changes: dict) -> None:
    """Also where a cover has to make way, and after wins of beams."""
    rule_set, won_deals = rules(name, **changes), 0
    for seed in range(40):
        position = deal(seed, rule_set)
        written = solve(position, rule_set, nodes=2000)
        counted = solve(position, rule_set, nodes=2000, want_solution=False, want_length=True)
        assert (written.verdict, written.nodes) == (counted.verdict, counted.nodes)
        if written.solution is not None:
            assert counted.length == written.length == len(written.solution), seed
            won_deals += 1
    assert won_deals > 10
