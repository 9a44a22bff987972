"""The searches: same nodes however a run is cut up, exact budgets, any order of trying, and kinds of moves."""

from collections import Counter

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, objection
from playouts import small_positions
from smalldecks import random_case

from solver import engines, search
from solver.decoding import pile_moves, stock_set
from solver.game import FOUNDATIONS, RESERVE, TABLEAU, WASTE, won
from solver.moves import MOST_MOVES, generate_moves
from solver.packed import pack_game
from solver.position import Position
from solver.prunings import CARD_SETS, ONE_SPACE, prunings_for
from solver.rulesets import Rules, rules
from solver.search import KINDS, is_kept, move_kind
from solver.solving import Result, solve
from solver.sources import deal
from solver.table import new_table

BOTH_GAMES = [rules("canfield"), rules("second-life"), rules("pysolfc", decks=2, piles=5), rules("rainbow")]


def outcome(result: Result) -> tuple:
    return result.verdict, result.nodes, result.solution


@pytest.mark.parametrize("rule_set", BOTH_GAMES, ids=lambda rule_set: rule_set.name + str(rule_set.decks))
def test_slices_and_first_sizes_change_nothing(rule_set: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search stopped at every 37th node, or with hardly any room at the start, goes on as if nothing had happened."""
    deals = [deal(seed, rule_set) for seed in range(6)]
    whole = [outcome(solve(position, rule_set, nodes=3000)) for position in deals]
    monkeypatch.setattr(engines, "SLICE", 37)
    assert [outcome(solve(position, rule_set, nodes=3000)) for position in deals] == whole
    monkeypatch.setattr(engines, "FIRST_ROWS", 16)
    assert [outcome(solve(position, rule_set, nodes=3000)) for position in deals] == whole


@pytest.mark.parametrize("rule_set", BOTH_GAMES, ids=lambda rule_set: rule_set.name + str(rule_set.decks))
def test_the_same_call_gives_the_same_nodes(rule_set: Rules) -> None:
    for seed in range(4):
        position = deal(seed, rule_set)
        assert outcome(solve(position, rule_set, nodes=2000)) == outcome(solve(position, rule_set, nodes=2000))


def test_any_order_of_trying_gives_the_verdict_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    found = Counter()
    for seed in range(300, 500):
        position, rule_set = random_case(seed)
        verdict = decide(position, rule_set, LIMIT)
        if verdict is not None:
            monkeypatch.setattr(search, "DEFAULT_ORDER", rng.permutation(KINDS))
            result = solve(position, rule_set, nodes=200_000, memory=64, prunings=prunings_for(rule_set) & ~CARD_SETS)
            if result.verdict != "undecided":
                assert objection(result, position, rule_set, verdict) is None, (seed, rule_set)
            found[result.verdict] += 1
    assert min(found["winnable"], found["unwinnable"]) > 20 and found["undecided"] < 5, found


def kind_by_hand(word: int, position: Position, rule_set: Rules, stock: int) -> int:
    """The kind of a move, told from its plain form."""
    move = pile_moves(word, stock, position, rule_set)[0]
    if move.source in FOUNDATIONS:
        return search.RETURN
    if move.target in FOUNDATIONS:
        return {WASTE: search.WASTE_UP, RESERVE: search.RESERVE_UP}.get(move.source, search.PILE_UP)
    if not position.tableau[TABLEAU.index(move.target)]:
        return search.TO_SPACE
    if move.source in (WASTE, RESERVE):
        return search.WASTE_DOWN if move.source == WASTE else search.RESERVE_DOWN
    whole = move.count == len(position.tableau[TABLEAU.index(move.source)])
    return search.WHOLE_PILE if whole else search.PART_OF_PILE


@pytest.mark.parametrize("nodes, entries, has_room, relaxed_full, expected", [
    (9, 16, True, False, search.GO_ON),  # the last node of the budget, the table half full
    (10, 16, True, False, search.BUDGET_SPENT),
    (9, 17, True, False, search.TABLE_FULL),
    (9, 16, True, True, search.RELAXED_FULL),
    (9, 16, False, False, search.STACK_FULL),
    (10, 17, False, True, search.BUDGET_SPENT),  # nothing is enlarged for a search that is over
    (9, 17, False, True, search.TABLE_FULL),
    (9, 16, False, True, search.RELAXED_FULL),
    (9, -1 << 62, True, False, search.GO_ON),  # a table that may not grow
])
def test_reasons_to_stop(nodes: int, entries: int, has_room: bool, relaxed_full: bool, expected: int) -> None:
    """With a budget of 10 nodes and a table of 32 entries."""
    status = np.zeros(search.STATUS_LENGTH, np.int64)
    status[search.NODE_LIMIT] = 10
    assert search.reason_to_stop(status, nodes, entries, new_table(32), has_room, relaxed_full) == expected


def test_kinds_of_moves_and_the_one_space_that_serves() -> None:
    met = Counter()
    tops = np.empty(256, np.uint64)
    for position, rule_set in small_positions(range(120)):
        if won(position, rule_set):
            continue
        game, state = pack_game(position, rule_set, ONE_SPACE)
        moves = np.empty(MOST_MOVES, np.uint64)
        first_space = TABLEAU[position.tableau.index(())] if () in position.tableau else None
        for word in moves[:generate_moves(state, game, moves, tops)]:
            kind = int(move_kind(word, state, game.spec))
            assert kind == kind_by_hand(int(word), position, rule_set, stock_set(state, game, False))
            target = pile_moves(int(word), stock_set(state, game, False), position, rule_set)[0].target
            to_later_space = (target in TABLEAU and not position.tableau[TABLEAU.index(target)]
                              and target != first_space)
            assert is_kept(word, state, game.spec) == (not to_later_space)
            met[kind, to_later_space] += 1
    assert {kind for kind, _ in met} == set(range(KINDS))
    assert met[search.TO_SPACE, True] > 5


def test_a_full_table_forgets_but_errs_in_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 32 entries that may not grow: more nodes, no other verdict."""
    with_room, cramped, found = 0, 0, Counter()
    for seed in range(700, 1000):
        position, rule_set = random_case(seed, ranks=4)
        verdict = decide(position, rule_set, LIMIT)
        if verdict is None:
            continue
        with_room += solve(position, rule_set, nodes=20_000, memory=64).nodes
        with monkeypatch.context() as patched:
            patched.setattr(engines, "FIRST_ENTRIES", 32)
            patched.setattr(engines.Engine, "enlarge_table", no_growth)
            result = solve(position, rule_set, nodes=20_000, memory=64)
        cramped += result.nodes
        if result.verdict != "undecided":
            assert objection(result, position, rule_set, verdict) is None, (seed, rule_set)
        found[result.verdict] += 1
    assert min(found["winnable"], found["unwinnable"]) > 20, found
    assert cramped > with_room


def no_growth(run: engines.Engine) -> None:
    """The last resort of the real method: from now on entries are replaced."""
    run.status[search.ENTRIES] = -(1 << 62)
