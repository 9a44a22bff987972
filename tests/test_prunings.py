"""Prunings: each switched off gives the verdicts of brute force, and what each claims against a naive twin."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT, objection
from longruns import long_run_case
from playouts import random_positions, small_positions
from smalldecks import random_case

from solver.bits import I, U
from solver.cards import suit_of
from solver.cardsets import (BOTTOMS, CARDS, HIGHER, TABLEAU, UP, free_hosts, is_rigid_safe, next_cards, pack_card_sets,
                             parts_to_move)
from solver.decoding import decode
from solver.game import FOUNDATIONS, RESERVE, apply, legal_moves, won
from solver.game import TABLEAU as PILE_NAMES
from solver.packed import PILES, card_code, code_card, next_up, pack_game
from solver.position import Position
from solver.prunings import (CARD_SETS, NAMES, ONE_SPACE, RIGID_PILES, SAFE_FOUNDATION, SAFE_WASTE, is_rigid_dead,
                             is_safe_up, prunings_for, settle)
from solver.rulesets import VARIANTS, Rules, rules
from solver.setsearch import may_wind
from solver.solving import solve

FIRST_SEEDS = range(5000, 14_000)
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
    (rules("superior", draw=1, passes=2), SAFE_FOUNDATION | ONE_SPACE | CARD_SETS | SAFE_WASTE),
    (rules("zubboo", draw=1), ONE_SPACE | CARD_SETS),
])
def test_conditions(variant: Rules, bits: int) -> None:
    known = SAFE_FOUNDATION | RIGID_PILES | ONE_SPACE | CARD_SETS | SAFE_WASTE
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


# Cards that rigid piles make safe.


def is_claimed_safe(code: int, position: Position, rule_set: Rules) -> bool:
    here = SetState(position, rule_set)
    return bool(is_rigid_safe(U(1 << code), here.up, here.tableau, here.bottoms, here.higher, here.last,
                              rule_set.cover_base, here.deck))


class SetState:
    """The words of the set game, as its small kernels take them."""

    def __init__(self, position: Position, rule_set: Rules):
        self.game, words = pack_card_sets(position, rule_set)
        self.up, self.tableau, self.bottoms, self.higher = words[UP] & CARDS, *words[[TABLEAU, BOTTOMS, HIGHER]]
        self.last, self.deck = U(4 * (rule_set.ranks - 1)), U((1 << 4 * rule_set.ranks) - 1)
        self.goes_up = U(next_cards(self.up, self.deck))


def must_follow(code: int, piles: list[list[int]], ranks: int) -> set[int]:
    """Cards that go up after this one: the rest of its suit, what lies under those, the rest of these suits, ..."""
    after, waiting = set(), [code]
    while waiting:
        card = waiting.pop()
        if card not in after:
            after.add(card)
            waiting += range(card + 4, 4 * ranks, 4)
            waiting += [under for pile in piles if card in pile for under in pile[:pile.index(card)]]
    return after


def nothing_comes_onto(code: int, position: Position, rule_set: Rules) -> bool:
    """The claim of is_rigid_safe, word by word: what could be laid on it is up, fixed in a pile, or goes up later."""
    piles = [[card_code(card, position.base, rule_set.ranks) for card in pile] for pile in position.tableau]
    fixed = {card for pile in piles for card in pile[1:]}
    after = must_follow(code, piles, rule_set.ranks)
    return all(card >> 2 < position.foundations[card & 3] or card in fixed or card in after
               for card in range(4 * rule_set.ranks) if rule_set.carries(code, card, base=0))


def test_rigid_safe_cards_against_the_naive_claim() -> None:
    found = Counter()
    for position, rule_set in small_positions(range(250), unit="pile", build="alternate", foundation_return=False):
        here = SetState(position, rule_set)
        for code in range(4 * rule_set.ranks):
            if int(here.goes_up) >> code & 1:
                claimed = is_claimed_safe(code, position, rule_set)
                assert claimed == nothing_comes_onto(code, position, rule_set), (code, position, rule_set)
                found[claimed] += 1
    assert min(found[True], found[False]) > 100, found


@pytest.mark.parametrize("cover_base", [True, False])
def test_a_rigid_safe_card_going_up_loses_no_win(cover_base: bool) -> None:
    """Brute force before and after, for cards that the rules for all piles do not call safe."""
    compared = Counter()
    pinned = {"unit": "pile", "build": "alternate", "foundation_return": False, "cover_base": cover_base}
    for position, rule_set in small_positions(range(8000, 8400), **pinned):
        game, state = pack_game(position, rule_set)
        for move in legal_moves(position, rule_set):
            code = card_code(move.card, position.base, rule_set.ranks)
            if move.target not in FOUNDATIONS or move.source not in (RESERVE, *PILE_NAMES) or compared.total() > 600:
                continue
            if is_claimed_safe(code, position, rule_set) and not is_safe_up(I(code), state[0], game):
                verdict = decide(position, rule_set, LIMIT)
                if verdict is not None:
                    assert decide(apply(position, rule_set, move), rule_set, LIMIT) == verdict, (position, rule_set)
                    compared[verdict] += 1
    assert compared["winnable"] > 15, compared  # only these could be lost


# Parts that move to spaces.


def parts_worth_moving(position: Position, rule_set: Rules) -> set[int]:
    """The claim of parts_to_move, pile by pile: a part may go to a space only if the card under it or that card's twin
    goes up then, and neither is free now. Where a run could wind, all parts may."""
    piles = [[card_code(card, position.base, rule_set.ranks) for card in pile] for pile in position.tableau]
    here = SetState(position, rule_set)
    ends = {pile[-1] for pile in piles if pile}
    on_tableau = {card for pile in piles for card in pile}
    rising = {code for code in on_tableau if int(here.goes_up) >> code & 1}
    worth = set()
    for pile in piles:
        for host, card in zip(pile, pile[1:]):
            twins = {host, host ^ 2}
            if may_wind(here.tableau, here.bottoms, here.game.spec) or twins & rising and not twins & ends:
                worth.add(card)
    return worth


def suffix_cases() -> Iterator[tuple[Position, Rules]]:
    """Deals of the judge and some long runs, with spaces early and wins few."""
    for seed in range(9000, 9240):
        yield random_case(seed, unit="suffix", build="alternate", fill="free", passes=1, draw=3)
        if seed % 8 == 0:
            yield long_run_case(seed, unit="suffix", space="any", passes=1, ranks=3 + seed // 8 % 2)


def test_parts_worth_moving_against_the_naive_claim() -> None:
    found = Counter()
    cases = [*suffix_cases(), *small_positions(range(100), unit="suffix", build="alternate")]
    for position, rule_set in cases:
        here = SetState(position, rule_set)
        if not may_wind(here.tableau, here.bottoms, here.game.spec):
            lower, _ = free_hosts(here.tableau, here.bottoms, here.higher, here.last, True)
            parts = int(parts_to_move(here.goes_up, U(lower), here.tableau, here.bottoms, here.last))
            claimed = {code for code in range(64) if parts >> code & 1}
            assert claimed == parts_worth_moving(position, rule_set), (position, rule_set)
            attached = sum(len(pile) - 1 for pile in position.tableau if pile)
            found["kept"] += len(claimed)
            found["left out"] += attached - len(claimed)
    assert min(found.values()) > 100, found


def decide_with_few_parts(position: Position, rule_set: Rules) -> tuple[str | None, int]:
    """Brute force that leaves out part moves to spaces as the claim says: the verdict, and how many were left out."""
    visited, pending, left_out = {position}, [position], 0
    while pending:
        position = pending.pop()
        if won(position, rule_set):
            return "winnable", left_out
        if len(visited) > LIMIT:
            return None, left_out
        worth = parts_worth_moving(position, rule_set)
        for move in sorted(legal_moves(position, rule_set), key=lambda move: move.target in FOUNDATIONS):
            if move.source in PILE_NAMES and move.target in PILE_NAMES:
                source, target = (position.tableau[PILE_NAMES.index(place)] for place in (move.source, move.target))
                code = card_code(move.card, position.base, rule_set.ranks)
                if not target and move.count < len(source) and code not in worth:
                    left_out += 1
                    continue
            following = apply(position, rule_set, move)
            if following not in visited:
                visited.add(following)
                pending.append(following)
    return "unwinnable", left_out


def test_part_moves_that_are_left_out_lose_no_win() -> None:
    """On piles, so that this holds apart from the set game and its twins."""
    compared = Counter()
    for position, rule_set in suffix_cases():
        verdict, left_out = decide_with_few_parts(position, rule_set)
        expected = decide(position, rule_set, LIMIT) if verdict and left_out else None
        if expected is not None:
            assert verdict == expected, (position, rule_set)
            compared[verdict] += 1
    assert compared["winnable"] > 30 and compared["unwinnable"] > 8, compared
