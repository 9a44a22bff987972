"""Prunings: each switched off gives the verdicts of brute force, and what each claims against a naive twin."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, objection
from playouts import random_positions, small_positions
from smalldecks import random_case

from solver.bits import I
from solver.cards import suit_of
from solver.cardsets import pack_card_sets
from solver.decoding import decode
from solver.game import apply
from solver.packed import PILES, code_card, next_up, pack_game
from solver.position import Position
from solver.prunings import (CARD_SETS, NAMES, ONE_SPACE, RIGID_PILES, SAFE_FOUNDATION, is_rigid_dead, is_safe_up,
                             prunings_for, settle)
from solver.rulesets import VARIANTS, Rules, rules
from solver.solving import solve

FIRST_SEEDS = range(5000, 9000)
IN_FORCE = [name for name, bit in NAMES.items() if any(prunings_for(variant) & bit for variant in VARIANTS.values())]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@cache
def judged_case(seed: int) -> tuple[Position, Rules, str | None]:
    """A small deal, every sixth one with two decks, and its verdict by brute force."""
    position, rule_set = random_case(seed, decks=1 + (seed % 6 == 5))
    return position, rule_set, decide(position, rule_set, LIMIT)


def judged_cases(switched: int = -1, count: int = 150) -> Iterator[tuple[Position, Rules, str]]:
    """Decided small deals under rule sets for which one of the prunings ``switched`` is in force."""
    for seed in islice((seed for seed in FIRST_SEEDS if in_force(seed) & switched), count):
        if judged_case(seed)[2] is not None:
            yield judged_case(seed)


@cache
def in_force(seed: int) -> int:
    return prunings_for(random_case(seed, decks=1 + (seed % 6 == 5))[1])


def verdicts_with(keep: int, switched: int = -1, count: int = 150) -> Counter:
    """Verdicts of small deals with the prunings ``keep`` only, which must be those of brute force."""
    found: Counter = Counter()
    for position, rule_set, verdict in judged_cases(switched, count):
        result = solve(position, rule_set, nodes=100_000, memory=64, prunings=prunings_for(rule_set) & keep)
        if result.verdict == "undecided":
            found["open"] += 1
            continue
        assert objection(result, position, rule_set, verdict) is None, (position, rule_set)
        found[verdict] += 1
    return found


@pytest.mark.parametrize("name", IN_FORCE)
def test_each_pruning_switched_off_changes_no_verdict(name: str) -> None:
    found = verdicts_with(~NAMES[name], NAMES[name])
    assert found["open"] <= 3, found
    assert min(found["winnable"], found["unwinnable"]) > 15, found


@pytest.mark.parametrize("keep", [0, CARD_SETS], ids=["piles", "sets"])
def test_all_prunings_switched_off_change_no_verdict(keep: int) -> None:
    found = verdicts_with(keep, count=300)
    assert found["open"] <= 5, found
    assert min(found["winnable"], found["unwinnable"]) > 40, found


@pytest.mark.parametrize("engine", [0, CARD_SETS], ids=["piles", "sets"])
@pytest.mark.parametrize("name", [name for name in IN_FORCE if name != "card-sets"])
def test_each_pruning_alone_changes_no_verdict(name: str, engine: int) -> None:
    found = verdicts_with(NAMES[name] | engine, NAMES[name])
    assert found["open"] <= 5, found


@pytest.mark.parametrize("variant, bits", [
    (rules("canfield"), SAFE_FOUNDATION | RIGID_PILES | ONE_SPACE | CARD_SETS),
    (rules("zubboo"), ONE_SPACE | CARD_SETS),
    (rules("rainbow"), SAFE_FOUNDATION | ONE_SPACE),
    (rules("canfield", decks=2, piles=5), SAFE_FOUNDATION | ONE_SPACE),
    (rules("pysolfc", foundation_return=True), ONE_SPACE | CARD_SETS),
])
def test_conditions(variant: Rules, bits: int) -> None:
    known = SAFE_FOUNDATION | RIGID_PILES | ONE_SPACE | CARD_SETS
    assert prunings_for(variant) & known == bits


# Forced moves.


def after_forced_moves(position: Position, rule_set: Rules, set_game: bool) -> Position:
    """By the plain game: decoding the path that goes nowhere gives the moves forced at the root."""
    pack = pack_card_sets if set_game else pack_game
    game, root = pack(position, rule_set, prunings_for(rule_set))
    for move in decode(np.empty(0, np.uint64), game, root, position, rule_set, set_game):
        position = apply(position, rule_set, move)
    return position


@pytest.mark.parametrize("set_game", [False, True], ids=["piles", "sets"])
def test_forced_moves_leave_the_verdict_as_it_is(set_game: bool) -> None:
    """Brute force before and after the moves that an engine forces, which are legal moves of the plain game."""
    compared = Counter()
    pinned = {"build": "alternate"} if set_game else {}
    for position, rule_set in small_positions(range(6000, 6300), foundation_return=False, **pinned):
        moved = after_forced_moves(position, rule_set, set_game)
        verdict = None if moved == position else decide(position, rule_set, LIMIT)
        if verdict is not None:
            assert decide(moved, rule_set, LIMIT) == verdict, (position, rule_set)
            compared[verdict] += 1
    assert min(compared["winnable"], compared["unwinnable"]) > 15, compared


def test_forced_moves_are_forced_until_none_is_left() -> None:
    forced = np.empty(256, np.uint64)
    for position, rule_set, _ in judged_cases():
        game, state = pack_game(position, rule_set, prunings_for(rule_set))
        settle(state, game, forced)
        settled = state.copy()
        assert settle(state, game, forced) == 0
        assert (state == settled).all()
        for pile in range(int(game.spec[PILES])):
            word = state[-1 - pile]
            if word and prunings_for(rule_set) & SAFE_FOUNDATION:
                code = int(word) & 63
                up_next = int(next_up(state[0], game.spec)) >> code & 1
                assert not (up_next and is_safe_up(I(code), state[0], game))


def is_needless(card: int, position: Position, rule_set: Rules) -> bool:
    """The claim of is_safe_up, word by word: nothing that could be built on ``card`` will need it."""
    base, ranks = position.base, rule_set.ranks
    deck = range(4 * ranks)

    def built_on(host: int) -> list[int]:
        return [other for other in deck if rule_set.carries(host, other, base)]

    def copies_up(other: int) -> int:
        height = (other // 4 - base) % ranks
        first = suit_of(other) * rule_set.decks
        return sum(up > height for up in position.foundations[first:first + rule_set.decks])

    def is_up(other: int) -> bool:
        return copies_up(other) == rule_set.decks

    def up_or_next(other: int) -> bool:
        """All copies up or next, and no base card that could still carry a card of the last rank."""
        height = (other // 4 - base) % ranks
        first = suit_of(other) * rule_set.decks
        reached = all(up >= height for up in position.foundations[first:first + rule_set.decks])
        return is_up(other) or (reached and not (height == 0 and rule_set.cover_base))

    if all(map(is_up, built_on(card))):
        return True
    if rule_set.build == "suit" or (card // 4 - base) % ranks == 0:
        return False
    carried = built_on(card)
    return all(map(up_or_next, carried)) and all(up_or_next(lower) for other in carried if not is_up(other)
                                                 for lower in built_on(other))


@pytest.mark.parametrize("decks", [1, 2])
def test_safe_cards_are_needless(decks: int) -> None:
    """The kernel may be stricter than the claim, never laxer."""
    safe = Counter()
    for position, rule_set in small_positions(range(200), decks=decks, foundation_return=False):
        game, state = pack_game(position, rule_set)
        for code in range(4 * rule_set.ranks):
            if int(next_up(state[0], game.spec)) >> code & 1:
                claimed = bool(is_safe_up(I(code), state[0], game))
                needless = is_needless(code_card(code, position.base, rule_set.ranks), position, rule_set)
                assert needless or not claimed, (code, position, rule_set)
                safe[claimed, needless] += 1
    assert min(safe[True, True], safe[False, False]) > 100, safe


# Rigid piles.


def plays_out(position: Position, rule_set: Rules) -> bool:
    """The naive playout: can all cards go up when those in no pile are free at any time?"""
    foundations = list(position.foundations)
    piles = [list(pile) for pile in position.tableau]
    while True:
        buried = {card for pile in piles for card in pile[:-1]}
        moved = False
        for suit, height in enumerate(foundations):
            card = 4 * ((position.base + height) % rule_set.ranks) + suit
            if height < rule_set.ranks and card not in buried:
                foundations[suit] += 1
                piles = [[other for other in pile if other != card] for pile in piles]
                moved = True
        if not moved:
            return sum(foundations) == rule_set.cards


def test_rigid_piles_against_the_naive_playout() -> None:
    found = Counter()
    for name in ("canfield", "solvitaire-strict", "canfield-draw1"):
        for position in random_positions(VARIANTS[name], range(30), share=0.3):
            game, state = pack_game(position, VARIANTS[name])
            dead = bool(is_rigid_dead(state, game))
            assert dead != plays_out(position, VARIANTS[name]), position
            found[dead] += 1
    for position, rule_set in small_positions(range(200), unit="pile", build="alternate", cover_base=True):
        game, state = pack_game(position, rule_set)
        dead = bool(is_rigid_dead(state, game))
        assert dead != plays_out(position, rule_set), position
        found[dead] += 1
    assert found[True] > 30, found


def test_rigid_dead_positions_are_lost() -> None:
    lost = 0
    for position, rule_set in small_positions(range(500), unit="pile", cover_base=True, foundation_return=False):
        game, state = pack_game(position, rule_set)
        if lost < 30 and is_rigid_dead(state, game):
            verdict = decide(position, rule_set, LIMIT)
            assert verdict != "winnable", (position, rule_set)
            lost += verdict == "unwinnable"
    assert lost >= 20
