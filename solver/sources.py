"""One front door for deals: a seed, a numbered deal, a line of cards, or JSON; one at a time or a file of many.

What may stand for a deal:

* ``42`` or ``seed:42``: our own deal of that number (see ``shuffle``);
* ``pysolfc:11982``, ``pysolfc:ms11982``, ``solvitaire:7``: another program's (see ``numbered``);
* all cards in dealing order, as in ``9C KS ... 2H``;
* a position as a JSON object (see ``formats``), or any object with one of all these as its field ``deal``, the way our
  own JSON output has it, and possibly a ``name``.

A line may start with ``name:``; from a ``#`` on it is a comment.
"""

import json
import re
from collections.abc import Iterable, Iterator

from solver.cards import BadInput
from solver.dealing import lay_out
from solver.formats import read_document, read_line, split_line
from solver.numbered import numbered_order, parse_number
from solver.position import Position
from solver.rulesets import Rules
from solver.shuffle import shuffled_deck

# PySolFC shows its numbers with a # in front, which is no comment there.
_NUMBERED = re.compile(r"(?:(?P<name>[^#:]*):)?\s*(?P<dealer>seed|pysolfc|solvitaire)\s*:\s*#?(?P<number>[^#]*)",
                       re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


def deal(source: int | str | dict, rules: Rules) -> Position:
    """The position that ``source`` stands for (see above): a seed, text with exactly one deal, or a JSON object.

    Raises BadInput, with one line that names the card, number or field that is wrong.
    """
    return named_deal(source, rules)[1]


def named_deal(source: int | str | dict, rules: Rules) -> tuple[str, Position]:
    """As ``deal``, with the deal's name in front; empty where it has none (see ``read_deals``)."""
    if not isinstance(source, str):
        return _read_item(source, rules)
    items = list(_split(source.splitlines()))
    if len(items) != 1:
        raise BadInput(f"{len(items)} deals where one is wanted" if items else "no deal given")
    return _read_item(items[0][1], rules)


def read_deals(source: str | Iterable[str], rules: Rules) -> Iterator[tuple[str, Position]]:
    """Name and position of each deal of a text, or of the lines of a file; lines are read as they are asked for.

    There is one deal a line, but JSON objects may go over several. The name of a deal is the one in front of it (or
    the field ``name`` of its object); without one the number it was dealt by, such as ``seed:42``, or ``line 17``.
    Raises BadInput, with the number of the line in front, as soon as a line is reached that is wrong.
    """
    for number, item in _split(source.splitlines() if isinstance(source, str) else source):
        try:
            name, position = _read_item(item, rules)
        except BadInput as fault:
            raise BadInput(f"line {number}: {fault}") from None
        yield name or f"line {number}", position


def _split(lines: Iterable[str]) -> Iterator[tuple[int, object]]:
    """Line number and content of each deal: a line, or a JSON value, which may take several lines."""
    numbered_lines = enumerate(lines, 1)
    for number, line in numbered_lines:
        content = line.removeprefix("\ufeff").strip()
        if content.startswith(("{", "[")):
            yield number, _read_json(content, number, numbered_lines)
        elif content and not content.startswith("#"):
            yield number, content


def _read_json(text: str, number: int, following: Iterator[tuple[int, str]]) -> object:
    """The JSON value that starts with ``text`` on line ``number``, taking lines from ``following`` till it is whole."""
    while True:
        try:
            return json.loads(text)
        except json.JSONDecodeError as fault:
            unfinished = not text[fault.pos:].strip()
            _, line = next(following, (0, None)) if unfinished else (0, None)
            if line is None:
                place = f"line {number + fault.lineno - 1}"
                raise BadInput(f"{place}: not JSON: {fault.msg} (column {fault.colno})") from None
            text += "\n" + line.rstrip("\r\n")
        except RecursionError:
            raise BadInput(f"line {number}: JSON nested too deeply") from None


def _read_item(item: object, rules: Rules) -> tuple[str, Position]:
    """Name (or nothing) and position of a seed, a line, or a JSON value."""
    if isinstance(item, str):
        return _read_text_line(item, rules)
    if type(item) is int:
        return f"seed:{item}", lay_out(shuffled_deck(item, rules.decks, rules.ranks), rules)
    if isinstance(item, dict) and "deal" in item:
        name, position = named_deal(item["deal"], rules)
        return str(item.get("name") or name), position
    return "", read_document(item, rules)


def _read_text_line(line: str, rules: Rules) -> tuple[str, Position]:
    """Name (or nothing) and position of a line that is not JSON."""
    numbered = _NUMBERED.match(line)
    if not numbered:
        name, content = split_line(line)
        if not _WHOLE_NUMBER.fullmatch(content):
            return name, read_line(line, rules)
        dealer, number = "seed", content
    else:
        name, dealer, number = (numbered["name"] or "").strip(), numbered["dealer"].lower(), numbered["number"].strip()
    if dealer == "seed":
        seed_name, position = _read_item(parse_number(number, "deal number"), rules)
        return name or seed_name, position
    return name or f"{dealer}:{number}", lay_out(numbered_order(dealer, number, rules), rules)
