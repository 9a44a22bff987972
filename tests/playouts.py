"""Positions for tests: random play of named variants and of the judge's small decks."""

import random
from collections.abc import Iterator

from smalldecks import random_case

from solver.game import FOUNDATIONS, TABLEAU, apply, legal_moves
from solver.position import Position
from solver.rulesets import Rules
from solver.sources import deal


def play_out(position: Position, rules: Rules, rng: random.Random, most_moves: int = 200) -> Iterator[Position]:
    """The positions of one random game from ``position`` on, the first one included.

    Half the moves go to the foundations where they can, and most others are none between piles, or no game would
    come far.
    """
    yield position
    for _ in range(most_moves):
        moves = legal_moves(position, rules)
        if not moves:
            return
        upward = [move for move in moves if move.target in FOUNDATIONS]
        calm = [move for move in moves if not (move.source in TABLEAU and move.target in TABLEAU)]
        preferred = rng.choice((upward, calm, moves, upward))
        position = apply(position, rules, rng.choice(preferred or moves))
        yield position


def random_positions(rules: Rules, seeds: range, share: float = 1.0) -> Iterator[Position]:
    """Positions of one random game a seed; only a ``share`` of them, chosen at random."""
    for seed in seeds:
        rng = random.Random(seed)
        yield from (position for position in play_out(deal(seed, rules), rules, rng) if rng.random() < share)


def small_positions(seeds: range, **pinned: object) -> Iterator[tuple[Position, Rules]]:
    """Positions of one random game for each of the judge's cases, with their rule sets."""
    for seed in seeds:
        start, rules = random_case(seed, **pinned)
        for position in play_out(start, rules, random.Random(seed), 30):
            yield position, rules
