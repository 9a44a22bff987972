"""The front relaxation: alive along every win, and the more of the stock keeps to the rules, the less can be won."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from bruteforce import decide
from judging import LIMIT
from playouts import random_positions, small_positions

from solver.cardsets import STATE_WORDS, pack_card_sets
from solver.game import won
from solver.position import Position
from solver.prunings import prunings_for
from solver.relaxation import ALIVE, DEAD, NODES, UNKNOWN, new_relaxed, relaxed_verdict
from solver.rulesets import Rules, rules
from solver.setengines import BestFirst
from solver.setsearch import step_state
from solver.solving import UNWINNABLE, WINNABLE
from solver.sources import deal

FRONTS = (0, 3, 8, 34)
MORE_AND_MORE = (0, 1, 2, 4, 8, 16, 34)
RULE_SETS = [rules("canfield"), rules("solvitaire"), rules("second-life"), rules("pysolfc"),
             rules("canfield", passes=3), rules("canfield-draw1"), rules("solvitaire", draw=1, passes=2)]
RULE_NAMES = [f"{rule_set.name}-{rule_set.draw}-{rule_set.passes}" for rule_set in RULE_SETS]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def verdicts(position: Position, rule_set: Rules, fronts: tuple[int, ...], limit: int = 5000) -> list[int]:
    """What relaxations with these fronts say of a position, each with a table of its own."""
    game, words = pack_card_sets(position, rule_set, prunings_for(rule_set))
    return [int(relaxed_verdict(words, game, new_relaxed(game, True, limit, front, 1 << 14))) for front in fronts]


def wins(rule_set: Rules, count: int) -> Iterator[BestFirst]:
    """Searches that won a deal."""
    for seed in range(100):
        engine = BestFirst(deal(seed, rule_set), rule_set, prunings_for(rule_set), 64 << 20)
        if engine.run(20_000) == WINNABLE:
            yield engine
            count -= 1
            if not count:
                return
    pytest.fail(f"few wins under {rule_set}")


def states_along(engine: BestFirst) -> Iterator[np.ndarray]:
    """The states on the way to a win, the won one left out."""
    path, log, state = engine.winning_path(), np.empty(256, np.uint64), engine.root.copy()
    for move in path[:-1]:
        step_state(state, move, engine.game, log)
        yield state.copy()


@pytest.mark.parametrize("rule_set", RULE_SETS, ids=RULE_NAMES)
def test_alive_along_a_win(rule_set: Rules) -> None:
    """One table for a whole win, asked from the deal on and from the end back; a limit may leave some open."""
    found = Counter()
    for engine in wins(rule_set, 3):
        states = list(states_along(engine))
        assert states[0].shape == (STATE_WORDS,)
        for front in FRONTS:
            for line in (states, states[::-1]):
                relaxed = new_relaxed(engine.game, True, 3000, front, 1 << 16)
                for number, state in enumerate(line):
                    verdict = int(relaxed_verdict(state, engine.game, relaxed))
                    assert verdict != DEAD, (front, number, state, rule_set)
                    found[verdict] += 1
    assert found[UNKNOWN] < found.total() / 5, found
    assert found[ALIVE] > 500, found


def test_with_the_stock_in_another_order_wins_look_lost() -> None:
    """So the test above would notice a front that is not what the stock begins with."""
    engine = next(wins(rules("canfield"), 1))
    game = engine.game._replace(stock=engine.game.stock[::-1].copy())
    found = {int(relaxed_verdict(state, game, new_relaxed(game, True, 3000, 34, 1 << 14)))
             for state in states_along(engine)}
    assert DEAD in found


@pytest.mark.parametrize("rule_set", RULE_SETS, ids=RULE_NAMES)
def test_what_a_front_shows_every_longer_one_does(rule_set: Rules) -> None:
    """And longer ones show more."""
    found = Counter()
    for position in random_positions(rule_set, range(25), share=0.1):
        if not won(position, rule_set):
            said = [verdict for verdict in verdicts(position, rule_set, MORE_AND_MORE) if verdict != UNKNOWN]
            dead = [verdict == DEAD for verdict in said]
            assert dead == sorted(dead), (said, position, rule_set)
            found[len(set(dead))] += 1
    assert found[2] > 8, found


def test_what_a_front_calls_lost_is_lost() -> None:
    """Brute force on small positions in mid-game, with some of the stock played or turned."""
    pinned, found = {"build": "alternate", "fill": "auto", "foundation_return": False}, Counter()
    for position, rule_set in small_positions(range(400, 700), **pinned):
        if not won(position, rule_set):
            fronts = [front for front, verdict in zip(MORE_AND_MORE, verdicts(position, rule_set, MORE_AND_MORE))
                      if verdict == DEAD]
            truth = decide(position, rule_set, LIMIT) if fronts else None
            if truth is not None:
                assert truth == UNWINNABLE, (fronts, position, rule_set)
                found[min(fronts)] += 1
    assert min(found[front] for front in (0, 2, 4, 8)) > 10, found


def test_a_limit_of_nodes_is_kept_and_proves_nothing() -> None:
    """Nothing is called lost with fewer nodes that is not with many."""
    rule_set, found = rules("solvitaire"), Counter()
    for position in random_positions(rule_set, range(12), share=0.1):
        game, words = pack_card_sets(position, rule_set, prunings_for(rule_set))
        relaxed = new_relaxed(game, True, 10, 8, 1 << 14)
        first = int(relaxed_verdict(words, game, relaxed))
        assert relaxed.numbers[NODES] <= 10
        full = verdicts(position, rule_set, (8,), 20_000)[0]
        assert first in (UNKNOWN, full)
        found[first, full] += 1
    assert found[UNKNOWN, DEAD] > 3 and found[DEAD, DEAD] > 3 and found[UNKNOWN, ALIVE] > 3, found
