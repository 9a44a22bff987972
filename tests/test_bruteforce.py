"""The judge itself: a table that anyone can decide by hand, published small deals, and what its random cases cover."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from bruteforce import UNWINNABLE, WINNABLE, decide, explore, find_solution
from smalldecks import random_case
from tables import table

from solver.cards import parse_card
from solver.position import faults
from solver.rulesets import CHOICES, FIELDS, rules

MINI_DECK = Path(__file__).parents[2] / "shared" / "cases" / "public" / "solvitaire_mini_deck.json"
LIMIT = 3000


@pytest.mark.parametrize(("draw", "passes", "build", "verdict"), [
    (1, 1, "alternate", UNWINNABLE), (1, 2, "alternate", WINNABLE), (1, 1, "any", WINNABLE),
    (2, None, "alternate", UNWINNABLE), (3, None, "alternate", UNWINNABLE), (2, None, "any", WINNABLE),
])
def test_a_queen_on_a_jack_behind_a_ten(draw, passes, build, verdict):
    """Once the ten is up, the jack lies under the queen: it takes a second pass of single cards, or a pile for her."""
    position = table("KH", heights=(13, 13, 13, 9), stock="JH QH TH")
    rule_set = rules("canfield", piles=1, draw=draw, passes=passes, build=build)
    assert decide(position, rule_set, LIMIT) == verdict


def test_a_won_position_is_winnable():
    position, rule_set = table("", heights=(13, 13, 13, 13)), rules("canfield", piles=1)
    assert decide(position, rule_set, LIMIT) == WINNABLE
    assert find_solution(position, rule_set, LIMIT) == (WINNABLE, [])


def test_the_judge_gives_up_at_its_limit():
    for position, rule_set in map(random_case, range(1000)):
        verdict, positions = explore(position, rule_set, LIMIT)
        if verdict == UNWINNABLE and positions > 50:
            break
    assert explore(position, rule_set, positions) == (verdict, positions)
    assert explore(position, rule_set, positions - 1) == (None, positions - 1)


def published_deals():
    return json.loads(MINI_DECK.read_text())["deals"] if MINI_DECK.exists() else []


@pytest.mark.skipif(not MINI_DECK.exists(), reason=f"no {MINI_DECK}")
@pytest.mark.parametrize("deal", published_deals(), ids=lambda deal: deal["name"])
def test_published_small_deals(deal):
    base_card = parse_card(deal["foundations"][0])
    position = table(
        "|".join(" ".join(pile) for pile in deal["tableau_bottom_to_top"]),
        heights=tuple(int(suit == base_card % 4) for suit in range(4)),
        reserve=" ".join(deal["reserve_bottom_to_top"]),
        stock=" ".join(deal["stock_deal_order"]),
        base=deal["foundations"][0][0],
    )
    rule_set = rules("solvitaire-strict", ranks=3, piles=3, reserve=len(position.reserve))
    assert faults(position, rule_set) == []
    assert decide(position, rule_set, LIMIT) == deal["verdict"]


# The two notions of a move, and rules that only ever help.


def test_turning_for_a_card_wins_what_turning_one_by_one_wins():
    """The solver's moves lose nothing against single turns and plays, on one deck and on two."""
    decided = Counter()
    for seed in range(600):
        position, rule_set = random_case(seed, decks=1 + seed % 4 // 3)
        judged = decide(position, rule_set, LIMIT)
        verdict, _ = find_solution(position, rule_set, LIMIT)
        if None not in (judged, verdict):
            decided[judged] += 1
            assert verdict == judged, f"seed {seed}: {rule_set}"
    assert min(decided[WINNABLE], decided[UNWINNABLE]) > 50


@pytest.mark.parametrize(("field", "tight", "loose"), [
    ("build", "suit", "any"), ("build", "alternate", "any"), ("cover_base", False, True),
    ("unit", "pile", "top-or-pile"), ("unit", "top-or-pile", "suffix"), ("fill", "auto", "free"),
    ("space", "waste", "any"), ("draw", 3, 1), ("passes", 1, None), ("foundation_return", False, True),
])
def test_a_looser_rule_loses_no_deal_and_wins_some(field, tight, loose):
    """So the random cases tell each pair of rules apart, too."""
    gained = 0
    for seed in range(1000):
        position, rule_set = random_case(seed, **{"ranks": 3, "base": "dealt", field: tight})
        before = decide(position, rule_set, LIMIT)
        after = decide(position, replace(rule_set, **{field: loose}), LIMIT)
        if None not in (before, after):
            assert (before, after) != (WINNABLE, UNWINNABLE), f"seed {seed}: {rule_set}"
            gained += before != after
        if gained == 3:
            return
    pytest.fail(f"only {gained} deals of 1000 change their verdict")


# What the random cases cover.


@pytest.mark.parametrize("decks", [1, 2, 3])
def test_random_cases_are_sound_and_repeat(decks):
    for seed in range(300):
        position, rule_set = random_case(seed, decks=decks)
        assert faults(position, rule_set) == []
        assert random_case(seed, decks=decks) == (position, rule_set)


def test_random_cases_cover_every_rule_and_both_verdicts():
    seen = {field: Counter() for field in FIELDS}
    verdicts, in_progress = Counter(), 0
    for seed in range(600):
        position, rule_set = random_case(seed)
        verdicts[decide(position, rule_set, LIMIT)] += 1
        in_progress += bool(position.waste)
        for field in FIELDS:
            seen[field][getattr(rule_set, field)] += 1
    for field, choices in CHOICES.items():
        assert set(seen[field]) == set(choices)
    assert set(seen["cover_base"]) == set(seen["foundation_return"]) == {False, True}
    assert set(seen["passes"]) == {1, 2, 3, None}
    assert all(len(seen[field]) >= 3 for field in ("ranks", "piles", "reserve", "base", "draw"))
    assert in_progress > 100
    assert min(verdicts[WINNABLE], verdicts[UNWINNABLE]) > 100
    assert verdicts[None] < 30


def test_pinned_fields_leave_the_others_alone():
    for seed in range(100):
        _, rule_set = random_case(seed)
        _, pinned = random_case(seed, unit="suffix", draw=2)
        assert pinned == replace(rule_set, unit="suffix", draw=2)
