"""Small positions with runs as long as the cards allow: random play hardly ever builds one that winds round."""

import random

from solver.cards import full_deck
from solver.position import Position
from solver.rulesets import Rules


def long_run_case(seed: int, **pinned: object) -> tuple[Position, Rules]:
    """A position built in alternate colours with covered base cards, most cards of it in long runs, and its rule set.

    Two to four ranks and up to four piles; one or two base cards are up, a few cards are left for reserve and stock.
    Any field of the rule set can be ``pinned``.
    """
    rng = random.Random(seed)
    fields = {"ranks": rng.choice((2, 2, 2, 3, 3, 4)), "piles": rng.choice((1, 2, 2, 3, 4)), "reserve": 2,
              "unit": rng.choice(("pile", "top-or-pile", "suffix")), "fill": rng.choice(("auto", "free")),
              "space": rng.choice(("waste", "any")), "draw": rng.choice((1, 2, 3)), "passes": rng.choice((1, 2, None)),
              "foundation_return": rng.random() < 0.2}
    rules = Rules("long runs", **fields | pinned)
    while True:
        position = _long_runs(rng, rules)
        if position is not None:
            return position, rules


def _long_runs(rng: random.Random, rules: Rules) -> Position | None:
    """None where so many cards find no place in the runs that reserve and stock cannot hold them."""
    base = rng.randrange(rules.ranks)
    up = [4 * base + suit for suit in rng.sample(range(4), rng.choice((1, 1, 1, 2)))]
    cards = [card for card in full_deck(1, rules.ranks) if card not in up]
    rng.shuffle(cards)
    spaces = rng.randrange(rules.piles) if rules.fill == "free" or rng.random() < 0.3 else 0
    piles = [[cards.pop()] for _ in range(rules.piles - spaces)]
    kept = rng.randint(0, min(3, rules.stock))
    while len(cards) > kept:
        fitting = [(pile, card) for pile in piles for card in cards if rules.carries(pile[-1], card, base)]
        if not fitting:
            break
        pile, card = rng.choice(fitting)
        pile.append(card)
        cards.remove(card)
    left = min(rng.randint(0, rules.reserve), len(cards))
    if spaces and rules.fill == "auto":
        left = 0  # or the reserve would have filled the spaces
    reserve, in_hand = cards[:left], cards[left:]
    if len(in_hand) > rules.stock:
        return None
    turned = rng.choice((0, len(in_hand)))
    tableau = piles + [[]] * spaces
    return Position(tuple(int(4 * base + suit in up) for suit in range(4)), tuple(map(tuple, tableau)),
                    tuple(reserve), tuple(in_hand[:turned]), tuple(in_hand[turned:]), base)
