"""The reference game in play: invariants on random small decks, and published positions with their moves."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from smalldecks import random_case
from tables import cards, move, moves_from, table

from solver.cards import full_deck, parse_card
from solver.game import (
    FOUNDATIONS, RESERVE, TABLEAU, WASTE, IllegalMove, Move, apply, card_moves, carry_out, legal_moves, perft, score,
    stuck, turn, won,
)
from solver.position import faults
from solver.rulesets import rules

PUBLIC = Path(__file__).parents[2] / "shared" / "cases" / "public"
MINI_DECK = PUBLIC / "solvitaire_mini_deck.json"
ORIENTATION = PUBLIC / "stock_orientation_seed7.json"

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=150)
@given(seeds, st.sampled_from([1, 2, 3]), st.data())
def test_legal_moves_apply_and_keep_the_position_sound(seed, decks, data):
    position, rule_set = random_case(seed, decks=decks)
    for _ in range(12):
        assert faults(position, rule_set) == []
        moves = legal_moves(position, rule_set)
        assert len(set(moves)) == len(moves)
        following = [apply(position, rule_set, found) for found in moves]
        for found, after in zip(moves, following):
            change = score(after) - score(position)
            assert change == (found.target in FOUNDATIONS) - (found.source in FOUNDATIONS)
        if not following:
            assert won(position, rule_set) or stuck(position, rule_set)
            break
        position = data.draw(st.sampled_from(following))


@settings(deadline=None, max_examples=150)
@given(seeds, st.sampled_from([1, 2]))
def test_legal_moves_are_the_plays_after_turning_one_by_one(seed, decks):
    position, rule_set = random_case(seed, decks=decks)
    plays = {found for found in card_moves(position, rule_set) if found.source != WASTE}
    turned, tops = position, set()
    for turns in range(2 * rule_set.cards):
        if turned is None:
            break
        if len(turned.waste) not in tops:
            plays |= {found._replace(turns=turns) for found in moves_from(turned, rule_set, WASTE)}
        tops.add(len(turned.waste))
        turned = turn(turned, rule_set)
    assert set(legal_moves(position, rule_set)) == plays


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_apply_accepts_exactly_the_listed_moves(seed):
    position, rule_set = random_case(seed)
    accepted = set()
    places = (*TABLEAU[:rule_set.piles], *FOUNDATIONS)
    fills = {None, *position.reserve[-2:]}
    for source, target in itertools.product((WASTE, RESERVE, *places), places):
        for card, count, fill in itertools.product(full_deck(1, rule_set.ranks), range(1, 6), fills):
            attempt = Move(0, card, count, source, target, fill)
            try:
                after = apply(position, rule_set, attempt)
            except IllegalMove:
                continue
            accepted.add(attempt)
            assert after == carry_out(position, rule_set, attempt)
    assert {found for found in card_moves(position, rule_set) if found.count < 6} == accepted


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(0, 3))
def test_perft_counts_the_sequences_of_legal_moves(seed, depth):
    position, rule_set = random_case(seed)
    ends = [position]
    for _ in range(depth):
        ends = [apply(end, rule_set, found) for end in ends for found in legal_moves(end, rule_set)]
    assert perft(position, rule_set, depth) == len(ends)


# Positions of another program's tests (12 cards, whole piles, spaces from the reserve and then the waste).

WHOLE_PILES = rules("solvitaire-strict", ranks=3, piles=3, reserve=2)


def mini_position(name):
    if not MINI_DECK.exists():
        pytest.skip(f"no {MINI_DECK}")
    found = {entry["name"]: entry for entry in json.loads(MINI_DECK.read_text())["positions"]}[name]
    base_card = parse_card(found["foundations"][0])
    return table(
        " | ".join(" ".join(pile) for pile in found["tableau"]),
        heights=tuple(int(suit == base_card % 4) for suit in range(4)),
        reserve=" ".join(found.get("reserve", [])),
        waste=" ".join(found.get("waste", [])),
        stock=" ".join(found.get("stock_deal_order", [])),
        base=found["foundations"][0][0],
    )


@pytest.mark.parametrize(("name", "expected"), [
    ("whole pile moves", [move("2C", "tableau 1", "tableau 2", count=2), move("AH", "tableau 1", "foundation H")]),
    ("whole pile not into a space", []),
    ("reserve empty, then waste", [move("2S", WASTE, "tableau 2"), move("2D", WASTE, "tableau 2", turns=1)]),
])
def test_exactly_the_moves_of_the_published_position(name, expected):
    assert sorted(legal_moves(mini_position(name), WHOLE_PILES)) == sorted(expected)


def test_the_published_foundation_wraps():
    assert move("AC", "tableau 1", "foundation C") in card_moves(mini_position("foundation wraps"), WHOLE_PILES)


def test_the_published_forced_fill_is_part_of_the_move_that_makes_the_space():
    wanted = mini_position("auto reserve")
    before = replace(wanted, tableau=(wanted.tableau[0], cards("2D"), wanted.tableau[2]), stock=cards("3D"))
    made = [found for found in card_moves(before, WHOLE_PILES) if found.source == "tableau 2"]
    assert made == [move("2D", "tableau 2", "foundation D", fill="3H")]
    assert apply(before, WHOLE_PILES, made[0]).tableau[1] == cards("3H")


@pytest.mark.parametrize("variant", ["canfield", "solvitaire", "second-life"])
def test_the_published_deal_without_a_move_has_some_with_its_stock_reversed(variant):
    if not ORIENTATION.exists():
        pytest.skip(f"no {ORIENTATION}")
    deal = json.loads(ORIENTATION.read_text())["deal"]
    base_card = parse_card(deal["foundation"])
    position = table(
        "|".join(deal["tableau"]), heights=tuple(int(suit == base_card % 4) for suit in range(4)),
        reserve=" ".join(deal["reserve_bottom_to_top"]), stock=" ".join(deal["stock_deal_order"]),
        base=deal["foundation"][0])
    assert stuck(position, rules(variant))
    assert not stuck(replace(position, stock=position.stock[::-1]), rules(variant))
