"""Solutions as text, and the replayer: it accepts what wins and names the move where anything else goes wrong."""

import functools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from bruteforce import find_solution
from hypothesis import given
from hypothesis import strategies as st
from smalldecks import random_case
from tables import cards, move, table

from solver.cards import BadInput, full_deck, parse_card, suit_of
from solver.game import FOUNDATIONS, RESERVE, TABLEAU, WASTE, Move, apply, turn
from solver.position import Position, faults
from solver.rulesets import rules
from solver.solution import Replay, move_in_words, move_to_json, replay, solution_from_json, solution_to_json

PUBLIC = Path(__file__).parents[2] / "shared" / "cases" / "public"


# JSON and words.

moves = st.builds(
    Move, st.integers(0, 40), st.sampled_from(full_deck(1, 13)), st.integers(1, 20),
    st.sampled_from([RESERVE, WASTE, *TABLEAU, *FOUNDATIONS]), st.sampled_from([*TABLEAU, *FOUNDATIONS]),
    st.none() | st.sampled_from(full_deck(1, 13)))


@given(st.lists(moves))
def test_json_round_trip(solution):
    assert solution_from_json(json.loads(json.dumps(solution_to_json(solution)))) == solution


def test_json_is_the_form_of_the_rule_page():
    assert move_to_json(move("9C", "tableau 1", "tableau 2", count=3, turns=2, fill="4H")) == {
        "turns": 2, "card": "9C", "count": 3, "from": "tableau 1", "to": "tableau 2", "fill": "4H"}
    assert move_to_json(move("TC", RESERVE, "foundation C")) == {
        "card": "TC", "count": 1, "from": "reserve", "to": "foundation C"}


def test_turns_of_nought_and_fills_of_null_may_be_written():
    entry = {"turns": 0, "card": "10♣", "count": 1, "from": "reserve", "to": "foundation C", "fill": None}
    assert solution_from_json([entry]) == [move("TC", RESERVE, "foundation C")]


GOOD = {"turns": 1, "card": "9C", "count": 1, "from": "waste", "to": "tableau 2"}


@pytest.mark.parametrize(("field", "value"), [
    ("turns", -1), ("turns", 1.0), ("turns", True), ("turns", "2"), ("turns", 10**9),
    ("card", "1C"), ("card", 32), ("card", None), ("count", 0), ("count", "1"), ("count", None),
    ("from", "stock"), ("from", "tableau 0"), ("from", "tableau 13"), ("from", ["waste"]),
    ("to", "waste"), ("to", "reserve"), ("to", "foundation X"), ("to", 2), ("fill", "ZZ"), ("fill", ["9C"]),
    ("fills", "9C"),
])
def test_a_bad_field_is_named_with_its_move(field, value):
    with pytest.raises(BadInput, match=f"^move 2: .*'{field}'") as complaint:
        solution_from_json([GOOD, GOOD | {field: value}])
    assert "\n" not in str(complaint.value)


@pytest.mark.parametrize("field", ["card", "count", "from", "to"])
def test_a_missing_field_is_named(field):
    with pytest.raises(BadInput, match=f"^move 1: .*'{field}' is missing"):
        solution_from_json([{name: value for name, value in GOOD.items() if name != field}])


@pytest.mark.parametrize("document", [GOOD, None, "9C", [GOOD, "9C"], [[]]])
def test_what_is_no_list_of_moves_is_refused(document):
    with pytest.raises(BadInput):
        solution_from_json(document)


@pytest.mark.parametrize(("number", "shown", "words"), [
    (12, move("9C", WASTE, "tableau 2", turns=3), " 12. turn 3 times, 9C waste -> tableau 2"),
    (3, move("9C", WASTE, "foundation C", turns=1), "  3. turn once, 9C waste -> foundation C"),
    (7, move("JH", "tableau 1", "tableau 4", count=4, fill="4H"),
     "  7. JH (4 cards) tableau 1 -> tableau 4, 4H fills tableau 1"),
])
def test_a_move_in_words(number, shown, words):
    assert move_in_words(number, shown) == words


# Replays of solutions found by search on small decks.


@functools.cache
def solved_cases():
    """Small deals of one deck with a solution each, over all kinds of rule sets."""
    found = []
    for seed in range(120):
        position, rule_set = random_case(seed)
        _, solution = find_solution(position, rule_set, 3000)
        if solution:
            found.append((position, rule_set, solution))
    return found


def test_solutions_replay():
    assert len(solved_cases()) > 60
    for position, rule_set, solution in solved_cases():
        plural = "s" if len(solution) > 1 else ""
        message = f"won in {len(solution)} move{plural}"
        assert replay(position, rule_set, solution) == Replay(True, len(solution), message)


def corruptions(position, rule_set, played):
    """The move with one thing wrong, so that no rule set would take it where it stands."""
    yield from (played._replace(card=card) for card in full_deck(1, rule_set.ranks) if card != played.card)
    yield from (played._replace(count=played.count + change) for change in (-1, 1))
    places = (RESERVE, WASTE, *TABLEAU[:rule_set.piles], *FOUNDATIONS)
    yield from (played._replace(source=source) for source in places if source != played.source)
    yield from (played._replace(target=FOUNDATIONS[suit]) for suit in range(4) if suit != suit_of(played.card))
    yield played._replace(target=played.source)
    for fill in (None, *full_deck(1, rule_set.ranks)):
        if fill != played.fill:
            yield played._replace(fill=fill)
    if played.source == WASTE and played.turns:
        yield played._replace(turns=played.turns - 1)


def test_every_corrupted_move_is_named():
    for position, rule_set, solution in solved_cases()[:40]:
        for index, played in enumerate(solution):
            for wrong in corruptions(position, rule_set, played):
                found = replay(position, rule_set, [*solution[:index], wrong, *solution[index + 1:]])
                assert (found.won, found.moves) == (False, index), wrong
                assert found.message.startswith(f"move {index + 1}: ")


def test_a_solution_cut_short_is_not_won():
    for position, rule_set, solution in solved_cases():
        found = replay(position, rule_set, solution[:-1])
        left = solution[-1].count
        assert (found.won, found.moves) == (False, len(solution) - 1)
        assert found.message.startswith(f"not won: {rule_set.cards - left} of {rule_set.cards} cards")


def test_a_move_after_the_win_breaks_the_rules():
    for position, rule_set, solution in solved_cases():
        found = replay(position, rule_set, [*solution, solution[-1]])
        assert found == Replay(False, len(solution), f"move {len(solution) + 1}: the game is won already")


def test_nothing_played():
    assert replay(table("", heights=(13,) * 4), rules("canfield", piles=1), []) == Replay(True, 0, "won in 0 moves")
    assert not replay(table("KH", heights=(13, 13, 13, 12)), rules("canfield", piles=1), []).won


@pytest.mark.parametrize(("position", "played", "takes", "refuses"), [
    (table("9H 8C | 9D"), move("8C", "tableau 1", "tableau 2"), rules("pysolfc"), rules("canfield")),
    (table("9H 8C 7D | 9D"), move("8C", "tableau 1", "tableau 2", count=2), rules("second-life"), rules("pysolfc")),
    (table("5H | 4S", base="5"), move("4S", "tableau 2", "tableau 1"), rules("canfield"), rules("solvitaire-strict")),
    (table("9H 8C | "), move("8C", "tableau 1", "tableau 2"), rules("second-life"), rules("canfield")),
    (table(" | 9H", reserve="4D"), move("4D", RESERVE, "tableau 1"), rules("superior"), rules("second-life")),
    (table("9H | TS", reserve="4D"), move("9H", "tableau 1", "tableau 2"), rules("superior"), rules("second-life")),
    (table("9H | TS", reserve="4D"), move("9H", "tableau 1", "tableau 2", fill="4D"), rules("canfield"),
     rules("superior")),
    (table("5H | ", heights=(0, 0, 4, 0)), move("4S", "foundation S", "tableau 1"), rules("zubboo"),
     rules("second-life")),
    (table("5H | ", stock="4S 9C 9D"), move("4S", WASTE, "tableau 1", turns=1), rules("canfield-draw1"),
     rules("canfield")),
    (table("5H | ", waste="4S 9C 9D"), move("4S", WASTE, "tableau 1", turns=1), rules("canfield-draw1", passes=2),
     rules("canfield-draw1", passes=1)),
    (table("5H | ", waste="4C"), move("4C", WASTE, "tableau 1"), rules("rainbow"), rules("storehouse")),
])
def test_solutions_of_another_variant_are_refused(position, played, takes, refuses):
    accepted = replay(position, replace(takes, piles=2), [played])
    assert (accepted.moves, accepted.message.partition(":")[0]) == (1, "not won")
    refused = replay(position, replace(refuses, piles=2), [played])
    assert (refused.won, refused.moves, refused.message.partition(":")[0]) == (False, 0, "move 1")


# Seventy published winning lines of another program.

PLACES = {"T01": RESERVE, "T02": "tableau 1", "T03": "tableau 2", "T04": "tableau 3", "T05": "tableau 4", "B01": WASTE,
          "F01": "foundation S", "F02": "foundation H", "F03": "foundation C", "F04": "foundation D"}


def published(name):
    path = PUBLIC / name
    if not path.exists():
        pytest.skip(f"no {path}")
    return json.loads(path.read_text())


def published_lines():
    """Position, whole solution and the indexes of part moves and of spaces filled from the tableau, line by line."""
    deals = {deal["seed"]: deal for deal in published("wolter_sample100.json")["deals"]}
    for line in published("wolter_winning_lines.json")["lines"]:
        position = published_position(deals[line["seed"]])
        yield position, *translate(position, line["moves"])


def published_position(deal) -> Position:
    base_card = parse_card(deal["foundation"])
    return table(
        "|".join(deal["tableau"]), heights=tuple(int(suit == suit_of(base_card)) for suit in range(4)),
        reserve=" ".join(deal["reserve_bottom_to_top"]), stock=" ".join(deal["stock_deal_order"]),
        base=deal["foundation"][0])


def translate(position, entries):
    """Our moves for a published line, and the indexes of those that move a part of a pile or a pile into a space.

    The lines write a fill as a move of its own after the move that emptied the pile, and leave turns out.
    """
    solution, loose = [], []
    entries = list(entries)
    while entries:
        entry = entries.pop(0)
        source, target = PLACES[entry["from"]], PLACES[entry["to"]]
        card, count, turns, fill = parse_card(entry["cards"][0]), len(entry["cards"]), 0, None
        if source == WASTE:
            turns = turns_until(position, card)
        elif source in TABLEAU:
            pile = position.tableau[TABLEAU.index(source)]
            assert pile[-count:] == cards(" ".join(entry["cards"]))
            if len(pile) == count and position.reserve:
                falls = entries.pop(0)
                assert (PLACES[falls["from"]], PLACES[falls["to"]]) == (RESERVE, source)
                fill = parse_card(falls["cards"][0])
            to_space = target in TABLEAU and not position.tableau[TABLEAU.index(target)]
            if to_space or target in TABLEAU and count < len(pile):
                loose.append(len(solution))
        solution.append(Move(turns, card, count, source, target, fill))
        position = apply(position, rules("solvitaire"), solution[-1])
    return solution, loose


def turns_until(position, card):
    turns = 0
    while position.waste[-1:] != (card,):
        position = turn(position, rules("solvitaire"))
        turns += 1
        assert turns < 100, "the card never comes up"
    return turns


def test_all_published_lines_win():
    lines = list(published_lines())
    assert len(lines) == 70
    for position, solution, _ in lines:
        assert faults(position, rules("solvitaire")) == []
        assert replay(position, rules("solvitaire"), solution).message == f"won in {len(solution)} moves"
        assert replay(position, rules("second-life"), solution).won


def test_published_lines_under_whole_piles_break_at_their_first_loose_move():
    strict = rules("solvitaire-strict")
    with_loose_moves = 0
    for position, solution, loose in published_lines():
        found = replay(position, strict, solution)
        with_loose_moves += bool(loose)
        assert (found.won, found.moves) == ((False, loose[0]) if loose else (True, len(solution)))
    assert with_loose_moves > 0


def test_published_lines_under_another_draw_break():
    four_at_a_time = rules("solvitaire", draw=4)
    for position, solution, _ in published_lines():
        assert not replay(position, four_at_a_time, solution).won
