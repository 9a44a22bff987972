"""Random small deals over random rule sets, for the brute-force judge: the same int seed gives the same case."""

import random

from solver.cards import full_deck, rank_of
from solver.dealing import lay_out
from solver.game import card_moves, carry_out, turn
from solver.position import Position
from solver.rulesets import Rules, rank_letter


def random_case(seed: int, **pinned: object) -> tuple[Position, Rules]:
    """A position and the rule set it is played under, both drawn from ``seed``.

    Decks of 3 to 5 ranks (2 or 3 where ``decks`` is pinned above 1), 1 to 4 piles, a reserve that grows with the piles,
    every other field at random. Half the cases are fresh deals, the others some random moves into a game. Plain
    shuffles of so few cards are nearly always won, so most deals are the worst of some: the one whose reserve holds the
    cards that go up first, those deepest. Any field of the rule set can be ``pinned``, which leaves the draws of the
    other fields alone (but for the reserve, where it no longer fits).
    """
    rng = random.Random(seed)
    rules = _random_rules(rng, pinned)
    deals = [_deal(rng, rules) for _ in range(rng.choice((1, 12, 24)))]
    position = min(deals, key=lambda deal: _reserve_steps(deal, rules))
    if rng.random() < 1 / 2:
        for _ in range(rng.randint(1, 16)):
            position = _play_at_random(rng, position, rules)
    return position, rules


def _random_rules(rng: random.Random, pinned: dict) -> Rules:
    decks = pinned.get("decks", 1)
    ranks = rng.choice((3, 3, 3, 4, 4, 5) if decks == 1 else (2, 2, 3))
    piles = rng.choice((1, 2, 2, 2, 3, 3, 4))
    fields = {
        "ranks": ranks,
        "piles": piles,
        "reserve": decks * rng.randint(0, 5) + rng.choice((0, 2, 2, 2)) * (piles - 1),
        "base": rng.choice(("dealt", "dealt", "dealt", rank_letter(rng.randrange(pinned.get("ranks", ranks))))),
        "build": rng.choice(("alternate", "alternate", "alternate", "suit", "any")),
        "cover_base": rng.random() < 0.5,
        "unit": rng.choice(("pile", "top-or-pile", "suffix")),
        "fill": rng.choice(("auto", "auto", "auto", "free")),
        "space": rng.choice(("waste", "any")),
        "draw": rng.choice((1, 2, 3, 3, 4)),
        "passes": rng.choice((1, 1, 2, 3, None, None)),
        "foundation_return": rng.random() < 1 / 5,
    }
    fields.update(pinned)
    if "reserve" not in pinned:
        starters = 1 if fields["base"] == "dealt" else 4 * decks
        fields["reserve"] = min(fields["reserve"], 4 * decks * fields["ranks"] - starters - fields["piles"])
    return Rules("small", **fields)


def _deal(rng: random.Random, rules: Rules) -> Position:
    order = full_deck(rules.decks, rules.ranks)
    rng.shuffle(order)
    return lay_out(order, rules)


def _reserve_steps(position: Position, rules: Rules) -> int:
    """Small where the cards that go up first lie in the reserve, and deep: steps weighted by cards above."""
    steps = [(rank_of(card) - position.base) % rules.ranks for card in position.reserve]
    return sum(step * (len(steps) - depth) for depth, step in enumerate(steps))


def _play_at_random(rng: random.Random, position: Position, rules: Rules) -> Position:
    """One random turn or play; the position itself where nothing can be done."""
    following = [carry_out(position, rules, move) for move in card_moves(position, rules)]
    turned = turn(position, rules)
    if turned is not None:
        following.append(turned)
    return rng.choice(following) if following else position
