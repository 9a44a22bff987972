"""The front of the engine: known verdicts, budgets that are kept, and positions at the edge."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from judging import objection
from known import hundred_deals, hundred_verdicts, needs_public_cases, public_case, public_deal
from playouts import random_positions
from tables import table

from solver.cards import parse_card
from solver.dealing import lay_out
from solver.estimates import tries_for
from solver.game import apply, legal_moves
from solver.rulesets import rules
from solver.shuffle import shuffled_deck
from solver.solution import replay
from solver.solving import UNWINNABLE, WINNABLE, Result, solve
from solver.sources import deal

VARIANTS_OF_THE_HUNDRED = ("solvitaire", "solvitaire-strict", "canfield", "second-life")


def check_replay(result: Result) -> None:
    """A solution there is exactly where the verdict says so, and it replays."""
    if result.verdict == "undecided":
        assert result.solution is None
    else:
        assert objection(result, result.position, result.rules, result.verdict) is None


def contradictions(variant: str, names: list[str], nodes: int) -> tuple[int, list[str]]:
    """How many of the named deals of the hundred are decided, and those decided against their known verdict."""
    rule_set = rules(variant)
    deals, known = hundred_deals(rule_set), hundred_verdicts(variant)
    decided, wrong = 0, []
    for name in names:
        result = solve(deals[name], rule_set, nodes=nodes)
        check_replay(result)
        if result.verdict != "undecided":
            decided += 1
            if known.get(name, result.verdict) != result.verdict:
                wrong.append(f"deal {name} of {variant}: {result.verdict}")
    return decided, wrong


@pytest.mark.parametrize("variant", VARIANTS_OF_THE_HUNDRED)
def test_known_verdicts(variant: str) -> None:
    decided, wrong = contradictions(variant, [str(number) for number in range(1, 31)], nodes=20_000)
    assert wrong == []
    assert decided >= 20


@pytest.mark.slow
@pytest.mark.parametrize("variant, least", [
    ("solvitaire", 95), ("solvitaire-strict", 85), ("canfield", 80), ("second-life", 93),
])
def test_known_verdicts_of_all_the_hundred(variant: str, least: int) -> None:
    decided, wrong = contradictions(variant, [str(number) for number in range(1, 101)], nodes=300_000)
    assert wrong == []
    assert decided >= least


@pytest.mark.slow
def test_the_deal_that_needs_a_part_move_of_its_own() -> None:
    """Deal 55 can be won with part moves onto covered base cards only, none of which frees a card that goes up."""
    result = solve(hundred_deals(rules("second-life"))["55"], rules("second-life"))
    check_replay(result)
    assert result.verdict == "winnable"


def test_a_win_under_tight_rules_is_one_under_loose_rules() -> None:
    """The very same moves, where the looser rules fill spaces in the same way."""
    tight = rules("solvitaire-strict")
    for name, position in list(hundred_deals(tight).items())[:30]:
        result = solve(position, tight, nodes=5000)
        if result.solution is not None:
            for variant in ("canfield", "solvitaire", "second-life", "zubboo", "pysolfc"):
                assert replay(position, rules(variant), result.solution).won, (name, variant)


# Facts from public sources.


@needs_public_cases
def test_verdicts_of_two_other_programs() -> None:
    """A hundred deals; part moves without covered base cards, and whole piles."""
    decided = 0
    for entry in public_case("wolter_sample100")["deals"]:
        expected = {"won": "winnable", "solved": "winnable", "stuck": "unwinnable", "unsolvable": "unwinnable"}
        for variant, column in (("solvitaire", "solvitaire_canfield"), ("solvitaire", "wolter_verdict"),
                                ("solvitaire-strict", "solvitaire_canfield_strict")):
            if entry[column] in expected:
                result = solve(public_deal(entry, rules(variant)), rules(variant), nodes=20_000)
                check_replay(result)
                if result.verdict != "undecided":
                    assert result.verdict == expected[entry[column]], (entry["seed"], variant)
                    decided += 1
    assert decided > 200


@needs_public_cases
@pytest.mark.parametrize("name", ["wolter_seed_5116_penultimate_stock_card", "solvitaire_10581_reverse_move_pruning"])
@pytest.mark.parametrize("variant", ["solvitaire", "solvitaire-strict", "canfield", "second-life"])
def test_deals_that_unsound_prunings_lost(name: str, variant: str) -> None:
    entry = public_case(name)
    assert entry["verdict"].startswith("winnable")
    result = solve(public_deal(entry["deal"], rules(variant)), rules(variant), nodes=500_000)
    check_replay(result)
    assert result.verdict == "winnable"


@needs_public_cases
def test_the_stock_is_turned_from_the_right_end() -> None:
    entry, rule_set = public_case("stock_orientation_seed7"), rules("solvitaire")
    assert entry["verdict_as_dealt"].startswith("unwinnable")
    assert entry["verdict_stock_reversed"].startswith("winnable")
    assert solve(public_deal(entry["deal"], rule_set), rule_set).verdict == "unwinnable"
    assert solve(public_deal(entry["deal"], rule_set, stock_reversed=True), rule_set).verdict == "winnable"


@needs_public_cases
def test_published_small_deals() -> None:
    for entry in public_case("solvitaire_mini_deck")["deals"]:
        base = parse_card(entry["foundations"][0])
        position = table("|".join(" ".join(pile) for pile in entry["tableau_bottom_to_top"]),
                         heights=tuple(int(suit == base & 3) for suit in range(4)),
                         reserve=" ".join(entry["reserve_bottom_to_top"]), stock=" ".join(entry["stock_deal_order"]),
                         base=entry["foundations"][0][0])
        rule_set = rules("solvitaire-strict", ranks=3, piles=3, reserve=len(position.reserve))
        assert solve(position, rule_set).verdict == entry["verdict"], entry["name"]


# Budgets.


@pytest.mark.parametrize("variant", ["canfield", "zubboo", "rainbow"])
def test_a_budget_of_nodes_is_kept_to_the_node(variant: str) -> None:
    rule_set, spent = rules(variant), 0
    for seed in range(12):
        position = deal(seed, rule_set)
        for nodes in (0, 1, 10, 777):
            result = solve(position, rule_set, nodes=nodes)
            assert result.nodes <= nodes
            if result.verdict == "undecided":
                assert result.nodes == nodes
                spent += 1
    assert spent > 12


def test_more_nodes_never_change_a_verdict() -> None:
    rule_set = rules("canfield")
    for seed in range(20):
        first = solve(deal(seed, rule_set), rule_set, nodes=300)
        second = solve(deal(seed, rule_set), rule_set, nodes=3000)
        assert first.verdict in ("undecided", second.verdict)
        if first.verdict != "undecided":
            assert (first.nodes, first.solution) == (second.nodes, second.solution)


@pytest.mark.parametrize("memory", [1, 2, 8])
def test_with_little_memory_the_verdict_is_right_or_open(memory: int) -> None:
    """Tables of some ten thousand entries, which replace what they hold."""
    rule_set, known = rules("solvitaire"), hundred_verdicts("solvitaire")
    verdicts = []
    for name, position in list(hundred_deals(rule_set).items())[:25]:
        result = solve(position, rule_set, nodes=100_000, memory=memory)
        check_replay(result)
        assert result.verdict in ("undecided", known.get(name, result.verdict)), name
        verdicts.append(result.verdict)
    assert verdicts.count("undecided") < 10


MEASURE = """
import resource, sys
from solver import deal, rules, solve
game = rules("canfield")
solve(deal(1, game), game, nodes=1000, memory=16)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
result = solve(deal({seed}, game), game, nodes=2_000_000, memory={memory})
print(result.verdict, result.nodes, (peak() - before) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss is in kilobytes on Linux")
def test_memory_stays_within_its_limit() -> None:
    """Peak memory of a process that solves a long deal under a limit of 48 MB."""
    open_deal = next(seed for seed in range(100) if
                     solve(deal(seed, rules()), rules(), nodes=100_000).verdict == "undecided")
    run = subprocess.run([sys.executable, "-c", MEASURE.format(seed=open_deal, memory=48)], capture_output=True,
                         text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=True)
    _, nodes, megabytes = run.stdout.split()
    assert int(nodes) > 100_000
    assert int(megabytes) <= 48 + 8  # arrays in copying, and Python itself, need a little more


# Positions at the edge.


def test_a_position_that_is_won_already() -> None:
    for rule_set in (rules(), rules("rainbow"), rules("superior", foundation_return=True)):
        result = solve(table("|||"[:rule_set.piles - 1], heights=(13, 13, 13, 13)), rule_set)
        assert (result.verdict, result.nodes, result.solution) == ("winnable", 0, [])


@pytest.mark.parametrize("build", ["alternate", "suit"])
@pytest.mark.parametrize("where", [
    {"piles": "KH|||"}, {"piles": "|||", "reserve": "KH"}, {"piles": "|||", "stock": "KH"},
    {"piles": "|||", "waste": "KH"},
])
def test_a_win_in_one_card(where: dict, build: str) -> None:
    result = solve(table(heights=(13, 13, 13, 12), **where), rules("canfield", build=build))
    assert result.verdict == "winnable" and result.nodes <= 1
    assert {move.card for move in result.solution} == {parse_card("KH")}
    assert replay(result.position, result.rules, result.solution).won


@pytest.mark.parametrize("build", ["alternate", "suit"])
def test_a_deal_stuck_from_the_start(build: str) -> None:
    """Nothing fits anything: one node of each search says so, or none."""
    rule_set = rules("canfield", build=build, ranks=3, piles=1, reserve=6, draw=5, passes=1)
    position = next(position for seed in range(10_000)
                    if not legal_moves(position := lay_out(shuffled_deck(seed, 1, 3), rule_set), rule_set))
    result = solve(position, rule_set)
    assert (result.verdict, result.solution) == ("unwinnable", None) and result.nodes <= 1 + len(tries_for(rule_set))


@pytest.mark.parametrize("variant", ["canfield", "second-life", "storehouse", "zubboo"])
def test_positions_of_a_game_in_progress(variant: str) -> None:
    """Along a solution every position stays winnable, and a rest of it wins."""
    rule_set = rules(variant)
    solved = next(result for seed in range(100)
                  if (result := solve(deal(seed, rule_set), rule_set, nodes=5000)).verdict == "winnable")
    position, left = solved.position, list(solved.solution)
    while left:
        position = apply(position, rule_set, left.pop(0))
        if len(left) % 7 == 0:
            result = solve(position, rule_set, nodes=50_000)
            check_replay(result)
            assert result.verdict in ("winnable", "undecided")
            assert result.verdict == "winnable" or len(left) > 20


def test_random_positions_of_several_decks() -> None:
    rule_set = rules("rule-book", decks=2, piles=5)
    results = [solve(position, rule_set, nodes=5000) for position in random_positions(rule_set, range(3), share=0.1)]
    for result in results:
        check_replay(result)
    assert any(result.verdict == "winnable" for result in results)


def test_a_result_names_what_was_asked() -> None:
    rule_set = replace(rules("second-life"), draw=1)
    position = deal(5, rule_set)
    result = solve(position, rule_set, nodes=10)
    assert (result.position, result.rules) == (position, rule_set)
    assert result.seconds >= 0


@pytest.mark.parametrize("draw", [1, 3])
def test_more_passes_lose_no_win(draw: int) -> None:
    """On real deals, where a deal won in fewer passes that is lost in more would show a wrong proof."""
    verdicts = {}
    for passes in (1, 2, 3, 4, None):
        rule_set = rules("canfield", draw=draw, passes=passes)
        verdicts[passes] = [solve(deal(seed, rule_set), rule_set, nodes=8000, memory=128, want_solution=False).verdict
                            for seed in range(6000, 6040)]
    compared = Counter()
    for fewer, more in combinations(verdicts.values(), 2):
        compared.update(zip(fewer, more, strict=True))
    assert compared[WINNABLE, UNWINNABLE] == 0
    assert min(compared[WINNABLE, WINNABLE], compared[UNWINNABLE, UNWINNABLE], compared[UNWINNABLE, WINNABLE]) > 10
