"""The judge of small deals: exhaustive search on the plain reference game, with no pruning but visited positions.

It plays single turns and single cards, so it shares neither the solver's notion of a move nor any of its prunings.
:func:`find_solution` is the same search over the solver's moves, for tests that need a solution.
"""

from solver.game import FOUNDATIONS, Move, apply, card_moves, carry_out, legal_moves, turn, won
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


def find_solution(position: Position, rules: Rules, limit: int) -> tuple[str | None, list[Move]]:
    """The verdict over :func:`solver.game.legal_moves`, as :func:`decide` gives it, and a solution where there is one.

    The solution is empty for any other verdict, and for a position that is won already.
    """
    reached_by = {position: None}
    pending = [position]
    while pending:
        position = pending.pop()
        if won(position, rules):
            return WINNABLE, _moves_to(position, reached_by)
        for move in sorted(legal_moves(position, rules), key=lambda move: move.target in FOUNDATIONS):
            following = apply(position, rules, move)
            if following in reached_by:
                continue
            if len(reached_by) >= limit:
                return None, []
            reached_by[following] = (position, move)
            pending.append(following)
    return UNWINNABLE, []


def _moves_to(position: Position, reached_by: dict) -> list[Move]:
    """The moves from the start to ``position``, of a search that noted how each position was reached."""
    moves = []
    while reached_by[position] is not None:
        position, move = reached_by[position]
        moves.append(move)
    return moves[::-1]


def _positions_after(position: Position, rules: Rules) -> list[Position]:
    """All positions one turn or one play away; the search takes the last one first, so foundation plays come last."""
    moves = card_moves(position, rules)
    moves.sort(key=lambda move: (move.target in FOUNDATIONS) - (move.source in FOUNDATIONS))
    following = [carry_out(position, rules, move) for move in moves]
    turned = turn(position, rules)
    return following if turned is None else [turned, *following]
