"""What a person sees: a deal drawn as a table of cards, verdicts, solutions and the list of variants.

Everything is built of rich texts and grids, and leaves through :func:`show` alone. Colour appears on terminals only,
suit symbols wherever the output's encoding has them, letters elsewhere.
"""

import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from solver.cards import RANK_NAMES, SUIT_NAMES, SUIT_SYMBOLS, card_name, colour_of
from solver.game import Move
from solver.position import Position
from solver.rulesets import BOUNDS, CHOICES, FIELDS, VARIANTS, Rules, rank_letter

if TYPE_CHECKING:
    from solver.solving import Result

SUIT_STYLES = ("bold", "bold red")
FOUND_STYLES = {"winnable": "bold green", "unwinnable": "bold red", "undecided": "bold yellow",
                "won": "bold green", "not won": "bold red", "no solution": "bold yellow"}
QUIET = "dim"
CARDS_WIDTH = 58
"""Characters that a line of cards takes at most, so that a drawing fits into 80 columns."""

LEAST_WIDTH = 60
"""Columns that the drawings need; a narrower terminal folds their lines."""

_CARD_WORD = re.compile(rf"\b([{RANK_NAMES}])?([{SUIT_NAMES}])\b")


def show(*items: RenderableType) -> None:
    """Print each item on standard output at once; a closed pipe raises BrokenPipeError."""
    # Rich draws into memory: left to write by itself, it would answer a closed pipe with an exit of its own.
    drawn = StringIO()
    console = Console(file=drawn, force_terminal=sys.stdout.isatty() or None, highlight=False, emoji=False,
                      markup=False)
    console.width = max(console.width, LEAST_WIDTH)
    for item in items:
        # A text is one line of a list and is never folded: a narrow terminal wraps it, a file keeps it whole.
        console.print(item, soft_wrap=isinstance(item, Text))
    print("\n".join(line.rstrip() for line in drawn.getvalue().splitlines()), flush=True)


def searching() -> AbstractContextManager:
    """A sign of life on standard error while a search goes on, where that is a terminal."""
    return Console(stderr=True).status("searching") if sys.stderr.isatty() else nullcontext()


def counted(number: int, noun: str) -> str:
    """``'1 move'``, ``'1,234 moves'``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def has_symbols() -> bool:
    """Can standard output write the suit symbols?"""
    try:
        SUIT_SYMBOLS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def card_text(card: int) -> Text:
    """One card, two characters wide, in its colour."""
    return with_cards(card_name(card))


def with_cards(line: str) -> Text:
    """``line`` with every card name (``9C``) and single suit letter in its colour, as a symbol where there are any."""
    symbols = SUIT_SYMBOLS if has_symbols() else SUIT_NAMES
    text, end = Text(), 0
    for found in _CARD_WORD.finditer(line):
        suit = SUIT_NAMES.index(found[2])
        text.append(line[end:found.start()])
        text.append((found[1] or "") + symbols[suit], SUIT_STYLES[colour_of(suit)])
        end = found.end()
    return text.append(line[end:])


def deal_drawing(title: str, position: Position, rules: Rules) -> list[RenderableType]:
    """The table of cards under a title: foundations, tableau, reserve, waste and stock, then the rule set in words.

    Reserve, waste and stock are read from left to right in the order in which their cards come up; a gap in the stock
    parts one turn from the next.
    """
    heading = Text.assemble((title, "bold"), f", base {rank_letter(position.base)}")
    table = Table.grid(padding=(0, 3))
    table.add_column(style=QUIET, no_wrap=True)
    table.add_column()
    table.add_row("foundations", _foundation_tops(position, rules))
    table.add_row("tableau", _tableau_columns(position))
    table.add_row("reserve, top first", _cards_in_line(position.reserve[::-1]))
    if position.waste:
        table.add_row("waste, top first", _cards_in_line(position.waste[::-1]))
    table.add_row("stock, next first", _cards_in_turns(position.stock[::-1], rules.draw))
    if position.pass_number > 1:
        table.add_row("pass", f"{position.pass_number} of {rules.passes}")
    table.add_row("rules", f"{name_with_changes(rules)}: {rules.in_words()}")
    return [heading, "", table]


def _foundation_tops(position: Position, rules: Rules) -> Text:
    """The top card of each foundation, those of a suit close together; an empty one shows a dot for the rank."""
    tops = []
    for index, cards in enumerate(position.foundation_cards(rules)):
        suit = SUIT_NAMES[index // rules.decks]
        tops.append(card_text(cards[-1]) if cards else Text.assemble((".", QUIET), with_cards(suit)))
    suits = [tops[first:first + rules.decks] for first in range(0, len(tops), rules.decks)]
    return Text("  ").join(Text(" ").join(suit) for suit in suits)


def _tableau_columns(position: Position) -> Table:
    """The piles side by side under their numbers, bottom cards first."""
    columns = Table.grid(padding=(0, 2, 0, 0))
    columns.add_row(*[Text(f"{number:<2}", QUIET) for number in range(1, len(position.tableau) + 1)])
    for row in zip_longest(*position.tableau):
        columns.add_row(*["" if card is None else card_text(card) for card in row])
    return columns


def _cards_in_line(cards: Sequence[int]) -> Text:
    return Text(" ").join(card_text(card) for card in cards) if cards else Text("empty", QUIET)


def _cards_in_turns(cards: Sequence[int], draw: int) -> Text:
    """Cards in line, with a gap after each turn's worth of them where a turn is more than one card."""
    if draw == 1 or not cards:
        return _cards_in_line(cards)
    turns = [Text(" ").join(card_text(card) for card in cards[start:start + draw])
             for start in range(0, len(cards), draw)]
    turns_a_line = max(1, (CARDS_WIDTH + 2) // (3 * draw + 1))
    lines = [Text("  ").join(turns[start:start + turns_a_line]) for start in range(0, len(turns), turns_a_line)]
    return Text("\n").join(lines)


def result_text(result: "Result") -> Text:
    """The verdict of one deal, and what it took."""
    detail = {
        "winnable": f" in {counted(len(result.solution or ()), 'move')}",
        "unwinnable": ": every line of play ends without a win",
        "undecided": " within the budget",
    }[result.verdict]
    effort = f" ({counted(result.nodes, 'node')}, {result.seconds:.2f} s)"
    return Text.assemble((result.verdict, FOUND_STYLES[result.verdict]), detail, (effort, QUIET))


def outcome_text(name: str, found: str, details: Text) -> Text:
    """One line of many: the deal's name, what was found for it, details."""
    return Text.assemble(f"{name:<12} ", (f"{found:<10}", FOUND_STYLES[found]), " ", details)


def solution_drawing(moves: Sequence[Move]) -> Text:
    """One numbered row a move, under the names that the fields of a move have in JSON."""
    rows = [[Text(heading, QUIET) for heading in ("move", "turns", "card", "count", "from", "to", "fill")]]
    for number, move in enumerate(moves, 1):
        rows.append([
            Text(str(number)),
            Text(str(move.turns or "")),
            card_text(move.card),
            Text(str(move.count) if move.count > 1 else ""),
            with_cards(move.source),
            with_cards(move.target),
            Text() if move.fill is None else card_text(move.fill),
        ])
    return _aligned(rows, "rrlrlll")


def _aligned(rows: list[list[Text]], sides: str) -> Text:
    """Rows in columns, each to its side, l or r. Rich's own tables take a millisecond a row: they can fold."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        for cell, width, side in zip(row, widths, sides, strict=True):
            (cell.pad_left if side == "r" else cell.pad_right)(width - len(cell))
        lines.append(Text("  ").join(row))
    return Text("\n").join(lines)


def field_in_words(field: str, value: object) -> str:
    """The value of a rule field as its command-line option takes it."""
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def differences(rules: Rules, standard: Rules) -> str:
    """The fields in which ``rules`` differs from ``standard``, such as ``'draw 1, passes 2'``; may be empty."""
    return ", ".join(
        f"{option_name(field)} {field_in_words(field, getattr(rules, field))}"
        for field in FIELDS if getattr(rules, field) != getattr(standard, field)
    )


def name_with_changes(rules: Rules) -> str:
    """The variant's name, and in which fields the rule set departs from it."""
    standard = VARIANTS.get(rules.name)
    changes = "" if standard is None else differences(rules, standard)
    return f"{rules.name} with {changes}" if changes else rules.name


def option_name(field: str) -> str:
    """A rule field as the command line spells it."""
    return field.replace("_", "-")


def variants_drawing() -> list[RenderableType]:
    """All fields with the values of the default variant, then how each other variant differs from it."""
    default = next(iter(VARIANTS.values()))
    fields = Table.grid(padding=(0, 3))
    fields.add_row(*(Text(heading, QUIET) for heading in ("field", default.name, "values")))
    for field in FIELDS:
        fields.add_row(option_name(field), Text(field_in_words(field, getattr(default, field)), "bold"),
                       _values_in_words(field))
    names = Table.grid(padding=(0, 3))
    names.add_row(Text("variant", QUIET), Text(f"differs from {default.name} in", QUIET))
    for variant in VARIANTS.values():
        names.add_row(Text(variant.name, "bold"), differences(variant, default) or "-")
    return [fields, Text(""), names]


def _values_in_words(field: str) -> str:
    if field in CHOICES:
        return ", ".join(CHOICES[field])
    if field in BOUNDS:
        low, high = BOUNDS[field]
        return f"{low} to {high}" + (", unlimited" if field == "passes" else "")
    return "dealt, or a rank" if field == "base" else "yes, no"
