"""The reference game against the rule page, rule by rule, on tables with a handful of cards."""

from dataclasses import replace

import pytest
from tables import cards, move, moves_from, table

from solver.cards import parse_card
from solver.game import (
    FOUNDATIONS, RESERVE, WASTE, IllegalMove, apply, card_moves, legal_moves, perft, score, stuck, turn, won,
)
from solver.rulesets import Rules, rules


def refuses(position, rule_set, refused, *words):
    """``apply`` refuses the move in one line with these words, and no list of moves offers it."""
    with pytest.raises(IllegalMove) as refusal:
        apply(position, rule_set, refused)
    message = str(refusal.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    assert refused not in card_moves(position, rule_set) + legal_moves(position, rule_set)


# Turning the stock.


def test_a_turn_lays_cards_one_on_top_of_the_other():
    turned = turn(table("KH", waste="9C", stock="2H 3D 4S 5C"), Rules(piles=1, draw=3))
    assert turned.waste == cards("9C 2H 3D 4S")
    assert turned.stock == cards("5C")


def test_the_last_turn_takes_what_is_left():
    turned = turn(table("KH", waste="9C", stock="5C 6D"), Rules(piles=1, draw=3))
    assert turned.waste == cards("9C 5C 6D")
    assert turned.stock == ()


def test_turning_the_waste_over_keeps_the_order_and_deals_in_the_same_turn():
    turned = turn(table("KH", waste="2C 3D 4S 5C"), Rules(piles=1, draw=3, passes=2))
    assert turned.waste == cards("2C 3D 4S")
    assert turned.stock == cards("5C")
    assert turned.pass_number == 2


def test_passes_run_out():
    last_pass = table("KH", waste="2C 3D", stock="4S", pass_number=2)
    rule_set = Rules(piles=1, draw=3, passes=2)
    assert turn(last_pass, rule_set).waste == cards("2C 3D 4S")
    assert turn(turn(last_pass, rule_set), rule_set) is None


def test_unlimited_passes_are_not_counted():
    position = table("KH", waste="2C 3D")
    for _ in range(5):
        position = turn(position, Rules(piles=1))
        assert position.pass_number == 1


def test_no_cards_no_turn():
    assert turn(table("KH"), Rules(piles=1)) is None


# What turning brings up.


def playable_waste(position, rule_set):
    """Turns by card for every waste card that some turns bring up; the only pile takes every card."""
    found = {}
    for play in legal_moves(position, rule_set):
        if play.source == WASTE:
            found.setdefault(play.card, []).append(play.turns)
    return found


@pytest.mark.parametrize(("waste", "stock", "draw", "passes", "expected"), [
    ("", "3C 4C 5C 6C 7C", 3, None, {"5C": 1, "7C": 2}),
    ("3C", "4C 5C 6C 7C", 3, None, {"3C": 0, "6C": 1, "7C": 2, "5C": 3}),
    ("3C", "4C 5C 6C 7C", 3, 1, {"3C": 0, "6C": 1, "7C": 2}),
    ("3C 4C 5C", "", 1, None, {"5C": 0, "3C": 1, "4C": 2}),
    ("3C 4C 5C", "", 1, 1, {"5C": 0}),
    ("3C 4C", "5C", 4, None, {"4C": 0, "5C": 1}),
    ("3C 4C 5C 6C", "7C 8C", 2, 2, {"6C": 0, "8C": 1, "4C": 2}),
])
def test_each_waste_card_has_its_smallest_number_of_turns(waste, stock, draw, passes, expected):
    position = table("KH | ", waste=waste, stock=stock)
    rule_set = Rules(piles=2, draw=draw, passes=passes)
    assert playable_waste(position, rule_set) == {parse_card(card): [turns] for card, turns in expected.items()}


def test_equal_cards_of_two_decks_are_two_moves():
    position = table("", heights=(0,) * 8, stock="9C 9C")
    assert playable_waste(position, Rules(decks=2, piles=1, draw=1)) == {parse_card("9C"): [1, 2]}


def test_moves_without_the_waste_need_no_turns():
    position = table("9H | TS | 8C", reserve="KD", stock="7D 6S", heights=(0, 12, 0, 0))
    found = legal_moves(position, rules("canfield", piles=3, draw=1))
    assert {play.turns for play in found if play.source != WASTE} == {0}
    assert {play.turns for play in found if play.source == WASTE} == {1}


def test_turns_may_come_before_any_move():
    position = table("9H | TS", reserve="4D", stock="7D 6S")
    build = move("9H", "tableau 1", "tableau 2", turns=2, fill="4D")
    after = apply(position, rules("canfield", piles=2, draw=1), build)
    assert after == table("4D | TS 9H", waste="7D 6S")


# Foundations.


def test_a_foundation_takes_the_next_card_of_its_suit_and_goes_on_from_king_to_ace():
    position = table("KD | AC | QD", heights=(0, 2, 0, 0), base="Q", reserve="AD")
    rule_set = rules("canfield", piles=3)
    assert apply(position, rule_set, move("AD", RESERVE, "foundation D")).foundations == (0, 3, 0, 0)
    refuses(position, rule_set, move("KD", "tableau 1", "foundation D", fill="AD"), "KD", "foundation D")
    refuses(position, rule_set, move("AC", "tableau 2", "foundation C", fill="AD"), "AC", "foundation C")
    refuses(position, rule_set, move("AD", RESERVE, "foundation H"), "AD", "foundation H")


def test_every_first_card_of_a_foundation_is_of_the_base_rank():
    position = table("QS | KS", base="Q")
    rule_set = rules("canfield", piles=2)
    assert apply(position, rule_set, move("QS", "tableau 1", "foundation S")).foundations == (0, 0, 1, 0)
    refuses(position, rule_set, move("KS", "tableau 2", "foundation S"), "KS")


def test_the_tops_of_waste_reserve_and_piles_go_up():
    rule_set = rules("canfield", piles=1)
    position = table("5H 4C", heights=(3, 3, 3, 3), reserve="4D", waste="4S 4H")
    assert {play.source for play in card_moves(position, rule_set)} == {"tableau 1", RESERVE, WASTE}
    refuses(position, rule_set, move("4S", WASTE, "foundation S"), "4S", "waste", "4H")


def test_only_single_cards_go_up():
    position = table("5C 4D", heights=(4, 4, 0, 0))
    refuses(position, rules("second-life", piles=1), move("5C", "tableau 1", "foundation C", count=2), "2")


def test_cards_of_several_decks_keep_a_suits_heights_in_falling_order():
    rule_set = Rules(decks=2, piles=1, foundation_return=True, build="any", fill="free")
    position = table("", heights=(0, 0, 1, 1, 0, 0, 3, 2), reserve="4H", base="2")
    up = apply(replace(position, reserve=cards("3D")), rule_set, move("3D", RESERVE, "foundation D"))
    assert up.foundations[2:4] == (2, 1)
    back = apply(position, rule_set, move("2D", "foundation D", "tableau 1"))
    assert back.foundations[2:4] == (1, 0)
    assert moves_from(position, rule_set, "foundation H") == {
        move("4H", "foundation H", "tableau 1"), move("3H", "foundation H", "tableau 1")}
    taken = apply(position, rule_set, move("3H", "foundation H", "tableau 1"))
    assert taken.foundations[6:] == (3, 1)


# Building.


@pytest.mark.parametrize(("build", "host", "card", "fits"), [
    ("alternate", "9H", "8C", True), ("alternate", "9H", "8D", False), ("alternate", "9H", "8H", False),
    ("suit", "9H", "8H", True), ("suit", "9H", "8C", False), ("suit", "9H", "8D", False),
    ("any", "9H", "8H", True), ("any", "9H", "8C", True),
    ("any", "9H", "7C", False), ("any", "9H", "TC", False), ("any", "9H", "9C", False),
    ("alternate", "AH", "KS", True), ("alternate", "KS", "AH", False),
])
def test_piles_build_down_by_one_rank(build, host, card, fits):
    position = table(host, waste=card, base="5")
    rule_set = Rules(piles=1, build=build)
    attempt = move(card, WASTE, "tableau 1")
    assert (attempt in card_moves(position, rule_set)) == fits
    if not fits:
        refuses(position, rule_set, attempt, card, host)


@pytest.mark.parametrize("cover_base", [True, False])
def test_a_base_card_may_be_covered_or_not(cover_base):
    position = table("5H | 6H", waste="4S", base="5")
    rule_set = Rules(piles=2, cover_base=cover_base)
    cover = move("4S", WASTE, "tableau 1")
    assert (cover in card_moves(position, rule_set)) == cover_base
    if not cover_base:
        refuses(position, rule_set, cover, "4S", "5H")


def test_the_reserve_builds_on_piles():
    position = table("5H | 6H", reserve="9C 4S")
    assert card_moves(position, rules("canfield", piles=2)) == [move("4S", RESERVE, "tableau 1")]


# Units.


@pytest.mark.parametrize(("unit", "sizes"), [("pile", {4}), ("top-or-pile", {1, 4}), ("suffix", {1, 2, 3, 4})])
def test_which_parts_of_a_pile_move(unit, sizes):
    rule_set = Rules(piles=5, unit=unit, space="any")
    position = table("9H 8C 7D 6S | TS | 9D | 8S | 7H")
    heads = {4: "9H", 3: "8C", 2: "7D", 1: "6S"}
    targets = {4: "tableau 2", 3: "tableau 3", 2: "tableau 4", 1: "tableau 5"}
    offered = {(play.count, play.target) for play in moves_from(position, rule_set, "tableau 1")}
    assert offered == {(size, targets[size]) for size in sizes}
    for size in set(heads) - sizes:
        refuses(position, rule_set, move(heads[size], "tableau 1", targets[size], count=size), str(size), unit)


def test_a_part_move_carries_the_cards_in_order():
    after = apply(table("9H 8C 7D | 9D"), rules("second-life", piles=2), move("8C", "tableau 1", "tableau 2", count=2))
    assert after == table("9H | 9D 8C 7D")


# Spaces and fills.


@pytest.mark.parametrize(("fill", "space", "reserve", "takers"), [
    ("auto", "waste", "", {WASTE}),
    ("auto", "any", "", {WASTE, "tableau 2", "foundation C"}),
    ("free", "waste", "4D", {WASTE, RESERVE, "tableau 2", "foundation C"}),
    ("free", "any", "4D", {WASTE, RESERVE, "tableau 2", "foundation C"}),
    ("free", "any", "", {WASTE, "tableau 2", "foundation C"}),
    ("auto", "any", "4D", set()),
    ("auto", "waste", "4D", set()),
])
def test_what_a_space_takes(fill, space, reserve, takers):
    rule_set = Rules(piles=2, fill=fill, space=space, unit="suffix", foundation_return=True)
    position = table(" | 9H 8C", reserve=reserve, waste="KD", heights=(1, 0, 0, 0))
    into_space = {play for play in card_moves(position, rule_set) if play.target == "tableau 1"}
    assert {play.source for play in into_space} == takers
    assert move("9H", "tableau 2", "tableau 1", count=2) not in into_space
    heads = {WASTE: "KD", RESERVE: "4D", "tableau 2": "8C", "foundation C": "AC"}
    for source in set(heads) - takers:
        if source != RESERVE or reserve:
            refuses(position, rule_set, move(heads[source], source, "tableau 1"), heads[source], "space")


@pytest.mark.parametrize(("unit", "parts"), [
    ("pile", set()), ("top-or-pile", {("7D", 1)}), ("suffix", {("7D", 1), ("8C", 2)}),
])
def test_parts_that_go_into_a_space(unit, parts):
    found = card_moves(table("9H 8C 7D | "), Rules(piles=2, space="any", unit=unit))
    assert set(found) == {move(head, "tableau 1", "tableau 2", count=count) for head, count in parts}


@pytest.mark.parametrize("fill", ["auto", "free"])
def test_a_whole_pile_into_a_space_is_no_move(fill):
    rule_set = Rules(piles=2, fill=fill, space="any", unit="suffix")
    refuses(table("9H 8C | "), rule_set, move("9H", "tableau 1", "tableau 2", count=2), "no move")
    refuses(table("9H | "), rule_set, move("9H", "tableau 1", "tableau 2"), "no move")


def test_each_of_several_spaces_is_a_move():
    found = card_moves(table(" | 9H | ", waste="KD"), rules("canfield", piles=3))
    assert found == [move("KD", WASTE, "tableau 1"), move("KD", WASTE, "tableau 3")]


@pytest.mark.parametrize(("source_pile", "target", "count"), [("9H 8C", "tableau 2", 2), ("9H", "foundation H", 1)])
def test_an_emptied_pile_takes_the_reserves_top_in_the_same_move(source_pile, target, count):
    position = table(f"{source_pile} | TS", heights=(0, 0, 0, 8), reserve="2D 4H")
    filled = apply(position, rules("canfield", piles=2), move("9H", "tableau 1", target, count=count, fill="4H"))
    assert filled.tableau[0] == cards("4H")
    assert filled.reserve == cards("2D")
    assert score(filled) == score(position) + (target == "foundation H")


def test_the_fill_must_be_named_and_right():
    position = table("9H | TS", reserve="2D 4H")
    rule_set = rules("canfield", piles=2)
    refuses(position, rule_set, move("9H", "tableau 1", "tableau 2"), "4H fills", "none is named")
    refuses(position, rule_set, move("9H", "tableau 1", "tableau 2", fill="2D"), "4H", "2D")


def test_no_fill_where_none_happens():
    rule_set = rules("second-life", piles=2)
    part_moves = table("9H 8C | 9D", reserve="2D")
    refuses(part_moves, rule_set, move("8C", "tableau 1", "tableau 2", fill="2D"), "2D")
    free = Rules(piles=2, fill="free")
    position = table("9H | TS", reserve="2D")
    refuses(position, free, move("9H", "tableau 1", "tableau 2", fill="2D"), "2D")
    assert apply(position, free, move("9H", "tableau 1", "tableau 2")) == table(" | TS 9H", reserve="2D")
    reserve_is_empty = table("9H | TS")
    assert apply(reserve_is_empty, rule_set, move("9H", "tableau 1", "tableau 2")) == table(" | TS 9H")


# Foundation tops that return.


def test_a_foundation_top_returns_where_it_fits():
    position = table("5H | 5S | 6C", heights=(0, 0, 4, 5))
    rule_set = rules("zubboo", piles=3)
    assert moves_from(position, rule_set, "foundation S") == {move("4S", "foundation S", "tableau 1")}
    after = apply(position, rule_set, move("4S", "foundation S", "tableau 1"))
    assert after == table("5H 4S | 5S | 6C", heights=(0, 0, 3, 5))
    refuses(position, rule_set, move("4S", "foundation S", "tableau 2"), "4S", "5S")
    refuses(position, rule_set, move("3S", "foundation S", "tableau 1"), "3S", "top")
    refuses(position, rules("second-life", piles=3), move("4S", "foundation S", "tableau 1"), "4S", "foundation")


def test_the_base_card_returns_too_and_the_base_rank_stays():
    rule_set = rules("zubboo", piles=2)
    after = apply(table("6H | ", heights=(0, 0, 1, 0), base="5"), rule_set, move("5S", "foundation S", "tableau 1"))
    assert after == table("6H 5S | ", base="5")
    assert moves_from(after, rule_set, "tableau 1") == {
        move("5S", "tableau 1", "foundation S"), move("5S", "tableau 1", "tableau 2")}


def test_no_card_goes_from_foundation_to_foundation():
    position = table("KH", heights=(1, 1, 1, 0))
    rule_set = rules("zubboo", piles=1)
    for target in FOUNDATIONS:
        refuses(position, rule_set, move("AS", "foundation S", target), "AS")


# Moves that name something wrong.


@pytest.mark.parametrize(("wrong", "words"), [
    (dict(card="8S"), ("8S", "8C")),
    (dict(count=2), ("2", "9H", "8C")),
    (dict(count=0), ("0",)),
    (dict(count=3), ("3", "tableau 1", "2")),
    (dict(source="tableau 2"), ("8C", "9D")),
    (dict(source="tableau 4"), ("tableau 4",)),
    (dict(source=WASTE), ("8C", "waste", "KD")),
    (dict(source=RESERVE), ("8C", "reserve", "3D")),
    (dict(source="stock"), ("stock",)),
    (dict(source="foundation C"), ("8C",)),
    (dict(target="tableau 1"), ("tableau 1",)),
    (dict(target="tableau 4"), ("tableau 4",)),
    (dict(target="tableau 3"), ("8C", "5H")),
    (dict(target="waste"), ("waste",)),
    (dict(target="foundation C"), ("8C", "foundation C")),
    (dict(turns=-1), ("-1",)),
    (dict(turns=3), ("3", "after 2")),
])
def test_a_move_with_one_wrong_word_is_refused(wrong, words):
    position = table("9H 8C | 9D | 5H", reserve="3D", waste="KD", stock="2C 2H 2S 2D")
    rule_set = Rules(piles=3, unit="suffix", draw=2, passes=1)
    right = dict(card="8C", source="tableau 1", target="tableau 2")
    assert move(**right) in card_moves(position, rule_set)
    refuses(position, rule_set, move(**(right | wrong)), *words)


def test_things_that_are_no_cards_are_refused():
    position = table("9H | TS", reserve="3D")
    rule_set = rules("canfield", piles=2)
    right = move("9H", "tableau 1", "tableau 2", fill="3D")
    for wrong in (right._replace(card=52), right._replace(card=-1), right._replace(card="9H"), right._replace(fill=99)):
        refuses(position, rule_set, wrong)
    refuses(position, rules("canfield", piles=2, ranks=8), right, "9H", "deck")


def test_turning_cards_that_are_not_there_is_refused():
    refuses(table("9H | TS"), rules("canfield", piles=2), move("9H", "tableau 1", "tableau 2", turns=1), "empty")


# The end of the game.

ONE_CARD_LEFT = table("KH", heights=(13, 13, 13, 12))


def test_won_when_all_cards_are_up():
    rule_set = rules("zubboo", piles=1)
    assert not won(ONE_CARD_LEFT, rule_set) and not stuck(ONE_CARD_LEFT, rule_set)
    end = apply(ONE_CARD_LEFT, rule_set, move("KH", "tableau 1", "foundation H"))
    assert won(end, rule_set) and not stuck(end, rule_set)
    assert score(end) == rule_set.cards
    refuses(end, rule_set, move("KH", "foundation H", "tableau 1"), "won")


def test_perft_stops_at_a_win():
    rule_set = rules("zubboo", piles=1)
    ways = [perft(ONE_CARD_LEFT, rule_set, depth) for depth in (0, 1)]
    assert ways == [1, len(legal_moves(ONE_CARD_LEFT, rule_set))]
    end = apply(ONE_CARD_LEFT, rule_set, move("KH", "tableau 1", "foundation H"))
    assert [perft(end, rule_set, depth) for depth in (0, 1, 2)] == [1, 0, 0]


def test_stuck_when_no_turn_brings_up_a_card_that_fits():
    position = table("9H", stock="3C 4C 5C", base="2")
    assert stuck(position, rules("canfield", piles=1))
    assert not stuck(replace(position, stock=cards("8C 4C 3C")), rules("canfield", piles=1))
    assert stuck(replace(position, stock=cards("4C 8C 3C")), rules("canfield", piles=1))
