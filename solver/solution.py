"""Solutions: lists of moves as JSON and as lines for a person, and the replayer that judges them.

The form is that of the rule page: ``{"turns": 2, "card": "9C", "count": 1, "from": "waste", "to": "tableau 2"}``,
with ``"fill": "4H"`` where a reserve card falls into the emptied pile and without ``"turns"`` where nothing is turned.
"""

from collections.abc import Sequence
from typing import NamedTuple

from solver.cards import BadInput, card_name, parse_card
from solver.game import FOUNDATIONS, RESERVE, TABLEAU, WASTE, IllegalMove, Move, apply, score, won
from solver.position import Position
from solver.rulesets import BOUNDS, Rules

# No game of limited passes has more turns; more of them in a file would only keep the replayer busy.
MAX_TURNS = BOUNDS["passes"][1] * BOUNDS["draw"][1]
MAX_CARDS = 52 * BOUNDS["decks"][1]

_FIELDS = ("turns", "card", "count", "from", "to", "fill")
_TARGETS = TABLEAU + FOUNDATIONS
_SOURCES = (RESERVE, WASTE, *_TARGETS)


class Replay(NamedTuple):
    """What the replayer found: ``won``; ``moves``, how many were played; ``message``, one line for the user."""

    won: bool
    moves: int
    message: str


def replay(position: Position, rules: Rules, moves: Sequence[Move]) -> Replay:
    """Play ``moves`` on the plain reference game, every rule checked.

    Won means that all cards lie on the foundations after the last move and that no move breaks a rule; a move after
    the win breaks one. The message is ``won in N moves``, ``move N: `` and the rule that it breaks, or how far a
    solution came that ends too early.
    """
    for number, move in enumerate(moves, 1):
        try:
            position = apply(position, rules, move)
        except IllegalMove as error:
            return Replay(False, number - 1, f"move {number}: {error}")
    played = f"{len(moves)} move" if len(moves) == 1 else f"{len(moves)} moves"
    if won(position, rules):
        return Replay(True, len(moves), f"won in {played}")
    message = f"not won: {score(position)} of {rules.cards} cards on the foundations after {played}"
    return Replay(False, len(moves), message)


def move_to_json(move: Move) -> dict:
    """The JSON form of one move; ``turns`` is left out where 0, ``fill`` where nothing falls."""
    entry = {"turns": move.turns, "card": card_name(move.card), "count": move.count, "from": move.source,
             "to": move.target}
    if move.turns == 0:
        del entry["turns"]
    if move.fill is not None:
        entry["fill"] = card_name(move.fill)
    return entry


def solution_to_json(moves: Sequence[Move]) -> list[dict]:
    """The JSON form of a whole solution."""
    return [move_to_json(move) for move in moves]


def solution_from_json(entries: object) -> list[Move]:
    """The moves of a solution read from JSON (already parsed to lists and dicts).

    Checks the form only; whether the moves are legal is for :func:`replay` to say. Raises BadInput that names the
    number of the move (from 1) and the field.
    """
    if not isinstance(entries, list):
        raise BadInput(f"a solution is a list of moves, not {type(entries).__name__}")
    return [_move_from_json(number, entry) for number, entry in enumerate(entries, 1)]


def move_in_words(number: int, move: Move) -> str:
    """One line for a person with cards on the table, such as ``' 12. turn 3 times, 9C waste -> tableau 2'``.

    A unit is named by its lowest card and its size; the card that falls into an emptied pile comes last.
    """
    turns = {0: "", 1: "turn once, "}.get(move.turns, f"turn {move.turns} times, ")
    unit = card_name(move.card) + (f" ({move.count} cards)" if move.count > 1 else "")
    fill = "" if move.fill is None else f", {card_name(move.fill)} fills {move.source}"
    return f"{number:3}. {turns}{unit} {move.source} -> {move.target}{fill}"


def _move_from_json(number: int, entry: object) -> Move:
    if not isinstance(entry, dict):
        raise BadInput(f"move {number}: a move is an object with the fields {', '.join(_FIELDS)}")
    for field in entry:
        if field not in _FIELDS:
            raise BadInput(f"move {number}: unknown field {field!r}, the fields are {', '.join(_FIELDS)}")
    for field in ("card", "count", "from", "to"):
        if field not in entry:
            raise BadInput(f"move {number}: field {field!r} is missing")
    fill = entry.get("fill")
    return Move(
        turns=_read_number(number, "turns", entry.get("turns", 0), 0, MAX_TURNS),
        card=_read_card(number, "card", entry["card"]),
        count=_read_number(number, "count", entry["count"], 1, MAX_CARDS),
        source=_read_place(number, "from", entry["from"], _SOURCES),
        target=_read_place(number, "to", entry["to"], _TARGETS),
        fill=None if fill is None else _read_card(number, "fill", fill),
    )


def _read_number(number: int, field: str, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadInput(f"move {number}: field {field!r} must be a whole number from {low} to {high}, not {value!r}")
    return value


def _read_card(number: int, field: str, value: object) -> int:
    if not isinstance(value, str):
        raise BadInput(f"move {number}: field {field!r} must be a card such as '9C', not {value!r}")
    try:
        return parse_card(value)
    except BadInput as error:
        raise BadInput(f"move {number}: field {field!r}: {error}") from None


def _read_place(number: int, field: str, value: object, places: Sequence[str]) -> str:
    if value not in places:
        like = "such as 'waste' or 'tableau 1'" if RESERVE in places else "such as 'foundation C' or 'tableau 1'"
        raise BadInput(f"move {number}: field {field!r} must be a place {like}, not {value!r}")
    return value
