"""Results as JSON records, one a line: what ``--json`` prints and ``verify --solutions`` reads back.

A record has the fields ``deal`` (line form, or the position form where the game was in progress), ``variant``,
``rules`` (every field, unlimited passes null), ``verdict``, ``nodes``, ``seconds`` and ``solution`` (list or null).
"""

import json
from typing import TYPE_CHECKING, NamedTuple

from solver.cards import BadInput
from solver.formats import write_document, write_line
from solver.game import Move
from solver.position import Position
from solver.rulesets import VARIANTS, Rules, rules
from solver.solution import solution_from_json, solution_to_json
from solver.sources import named_deal

if TYPE_CHECKING:
    from solver.solving import Result


class Claim(NamedTuple):
    """A record read back: that ``solution`` wins ``position`` under ``rules``.

    name: empty where the record has none; position: None where it has no deal; solution: None where it is null.
    """

    name: str
    rules: Rules
    position: Position | None
    solution: list[Move] | None


def write_record(result: "Result") -> dict:
    """The record of a result, ready for JSON."""
    return {
        "deal": _write_deal(result.position, result.rules),
        "variant": result.rules.name,
        "rules": result.rules.as_dict(),
        "verdict": result.verdict,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 4),
        "solution": None if result.solution is None else solution_to_json(result.solution),
    }


def read_record(line: str, asked: Rules | None = None) -> Claim:
    """The claim of one line of JSON; it is about the rule set ``asked`` for, or else the record's own.

    A record needs its ``solution``; rules that it does not name are those of its variant, by default ``canfield``.
    Raises BadInput that names the field that is wrong.
    """
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise BadInput("a record is a JSON object with the fields deal, variant or rules, and solution")
    if "solution" not in record:
        raise BadInput("field 'solution' is missing")
    ruleset = read_rules(record) if asked is None else asked
    name, position = named_deal(record, ruleset) if "deal" in record else (str(record.get("name", "")), None)
    entries = record["solution"]
    return Claim(name, ruleset, position, None if entries is None else solution_from_json(entries))


def read_rules(record: dict) -> Rules:
    """The rule set that a record names by ``variant``, ``rules`` or both. Raises BadInput."""
    fields = record.get("rules", {})
    if not isinstance(fields, dict):
        raise BadInput(f"field 'rules' must be an object, not {fields!r:.40}")
    variant = record.get("variant", fields.get("name", next(iter(VARIANTS))))
    if not isinstance(variant, str):
        raise BadInput(f"field 'variant' must be a name, not {variant!r:.40}")
    return rules(variant, **{field: value for field, value in fields.items() if field != "name"})


def _write_deal(position: Position, rules: Rules) -> str | dict:
    """Line form where the position starts a game, else position form."""
    try:
        return write_line(position, rules)
    except BadInput:
        return write_document(position, rules)
