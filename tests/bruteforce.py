"""The judge of small deals: exhaustive search on the plain reference game, with no pruning but visited positions.

It plays single turns and single cards, so it shares neither the solver's notion of a move nor any of its prunings.
"""

from solver.game import FOUNDATIONS, card_moves, carry_out, turn, won
from solver.position import Position
from solver.rulesets import Rules

WINNABLE = "winnable"
UNWINNABLE = "unwinnable"


def explore(position: Position, rules: Rules, limit: int) -> tuple[str | None, int]:
    """The verdict as :func:`decide` gives it, and how many distinct positions were met."""
    if won(position, rules):
        return WINNABLE, 1
    visited = {position}
    pending = [position]
    while pending:
        position = pending.pop()
        for following in _positions_after(position, rules):
            if following in visited:
                continue
            if won(following, rules):
                return WINNABLE, len(visited) + 1
            if len(visited) >= limit:
                return None, len(visited)
            visited.add(following)
            pending.append(following)
    return UNWINNABLE, len(visited)


def decide(position: Position, rules: Rules, limit: int) -> str | None:
    """``"winnable"``, ``"unwinnable"`` (every position was looked at), or None when ``limit`` positions do not do."""
    return explore(position, rules, limit)[0]


def _positions_after(position: Position, rules: Rules) -> list[Position]:
    """All positions one turn or one play away; the search takes the last one first, so foundation plays come last."""
    moves = card_moves(position, rules)
    moves.sort(key=lambda move: (move.target in FOUNDATIONS) - (move.source in FOUNDATIONS))
    following = [carry_out(position, rules, move) for move in moves]
    turned = turn(position, rules)
    return following if turned is None else [turned, *following]
