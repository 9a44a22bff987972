"""Write the perft files ``data/perft-<name>.json`` anew, with counts of the plain reference game (``solver/game.py``).

    PYTHONPATH=. python tests/make_perft.py [NAME ...]

Perft of a position to depth n is the number of sequences of exactly n legal moves, a move being the solver's: play a
card after any number of turns. A file holds one rule set::

    {"rules": {every field}, "deals": [{"seed": 1, "counts": [moves, sequences of two, of three, ...]}, ...]}

Each deal goes as deep as the plain game counts within about a second, and no deeper than ``MOST_SEQUENCES``, so that
the packed engine is tested against all of it; the plain game, much slower, is tested to a smaller depth.
"""

import json
import sys
from pathlib import Path

from solver.game import apply, legal_moves
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules
from solver.sources import deal

DATA = Path(__file__).parent / "data"
SEEDS = (1, 2, 3)
MOST_POSITIONS = 1500  # of one level that the plain game goes on from
MOST_SEQUENCES = 1_000_000

MIXED = {
    "mixed-returns-free-fill": rules("superior", foundation_return=True),
    "mixed-two-decks": rules("pysolfc", decks=2, piles=5),
    "mixed-three-decks-any-suit": rules("second-life", decks=3, piles=7, reserve=26, build="any", draw=5),
    "mixed-suit-parts": rules("storehouse", unit="suffix", cover_base=False),
    "mixed-any-suit-two-passes": rules("rainbow", draw=2, passes=2, unit="suffix", foundation_return=True),
    "mixed-seven-piles": rules("canfield", piles=7),
    "mixed-small-deck-all-bases-up": rules("zubboo", ranks=5, reserve=4, base="3", fill="free", cover_base=False),
}
RULE_SETS: dict[str, Rules] = VARIANTS | MIXED


def path_of(name: str) -> Path:
    """The perft file of a rule set."""
    return DATA / f"perft-{name}.json"


def count_levels(position: Position, rule_set: Rules) -> list[int]:
    """Perft to depth 1, 2, .. within the limits above.

    Equal positions of one level are kept once, with the number of sequences that lead there.
    """
    level, counts = {position: 1}, []
    while len(level) <= MOST_POSITIONS:
        following: dict[Position, int] = {}
        for reached, sequences in level.items():
            for move in legal_moves(reached, rule_set):
                after = apply(reached, rule_set, move)
                following[after] = following.get(after, 0) + sequences
        total = sum(following.values())
        if not 0 < total <= MOST_SEQUENCES:
            break
        counts.append(total)
        level = following
    return counts


def main(names: list[str]) -> None:
    for name in names or RULE_SETS:
        rule_set = RULE_SETS[name]
        deals = [{"seed": seed, "counts": count_levels(deal(seed, rule_set), rule_set)} for seed in SEEDS]
        lines = ",\n".join(f"  {json.dumps(entry)}" for entry in deals)
        path_of(name).write_text(f'{{"rules": {json.dumps(rule_set.as_dict())},\n "deals": [\n{lines}\n ]}}\n')
        print(name, [len(entry["counts"]) for entry in deals], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
