"""Deals with known answers: the hundred deals of data/, and facts from public sources where they are at hand."""

import json
from pathlib import Path

import pytest

from solver.dealing import lay_out
from solver.cards import parse_card
from solver.position import Position
from solver.rulesets import Rules
from solver.sources import read_deals

DATA = Path(__file__).parent / "data"
PUBLIC = Path(__file__).parents[2] / "shared" / "cases" / "public"

needs_public_cases = pytest.mark.skipif(not PUBLIC.is_dir(), reason=f"no {PUBLIC}")


def hundred_deals(rules: Rules) -> dict[str, Position]:
    """The deals by name, "1" to "100"."""
    return dict(read_deals((DATA / "deals-100.txt").read_text(), rules))


def hundred_verdicts(variant: str) -> dict[str, str]:
    """Verdicts of the deals that are known for ``variant``, by the deal's name."""
    heading, *rows = [line.split("\t") for line in (DATA / "verdicts-100.tsv").read_text().splitlines()]
    column = heading.index(variant)
    return {row[0]: row[column] for row in rows if row[column] != "unknown"}


def public_case(name: str) -> dict:
    """The content of a public case file."""
    return json.loads((PUBLIC / f"{name}.json").read_text())


def public_deal(entry: dict, rules: Rules, stock_reversed: bool = False) -> Position:
    """The deal of a public case: its cards in dealing order, laid out."""
    stock = entry["stock_deal_order"][::-1] if stock_reversed else entry["stock_deal_order"]
    names = [*entry["reserve_bottom_to_top"], entry["foundation"], *entry["tableau"], *stock]
    return lay_out([parse_card(name) for name in names], rules)
