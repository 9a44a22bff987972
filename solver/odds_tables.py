"""Odds as tables for people, Markdown for pages, JSON for programs, and lists of winnable deals for card games."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from solver.display import QUIET
from solver.estimators import Estimate, Interval
from solver.formats import write_line
from solver.odds import Odds, Pair, winnable_deals
from solver.sources import deal
from solver.store import write_json, write_whole

RATE_HEADINGS = ("rule set", "deals", "win rate %", "95 % interval", "hard bounds %")
EFFORT_HEADINGS = ("rule set", "winnable", "unwinnable", "undecided", "nodes/deal", "CPU/deal")
SAMPLE_HEADINGS = ("rule set", "nodes", "sampled", "winnable", "unwinnable", "undecided")
PAIR_HEADINGS = ("", "deals", "both", "first only", "second only", "neither", "undecided", "difference %",
                 "95 % interval")
FINE_FROM = 1_000_000
"""Deals from which on a hundredth of a percent is too coarse."""


def percent(share: float, digits: int = 2, sign: str = "") -> str:
    """``'71.25'``, or with a sign ``'+1.30'``."""
    return f"{100 * share:{sign}.{digits}f}"


def span_in_percent(low: float, high: float, digits: int = 2, sign: str = "") -> str:
    """``'70.1 to 71.9'``, or one figure where both are the same."""
    ends = percent(low, digits, sign), percent(high, digits, sign)
    return ends[0] if low == high else " to ".join(ends)


def time_in_words(seconds: float) -> str:
    """``'850 us'``, ``'12.3 ms'``, ``'4.56 s'``."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def _digits(deals: int) -> int:
    return 3 if deals >= FINE_FROM else 2


def rate_row(odds: Odds) -> list[str]:
    """A row under RATE_HEADINGS."""
    digits = _digits(odds.counts.deals)
    estimate = odds.estimate
    return [odds.name, f"{odds.counts.deals:,}", span_in_percent(estimate.rate_low, estimate.rate_high, digits),
            span_in_percent(estimate.low, estimate.high, digits), span_in_percent(*odds.bounds, digits)]


def effort_row(odds: Odds) -> list[str]:
    """A row under EFFORT_HEADINGS."""
    return [odds.name, *(f"{number:,}" for number in odds.counts), f"{odds.nodes_a_deal:,.0f}",
            time_in_words(odds.seconds_a_deal)]


def sample_row(odds: Odds) -> list[str]:
    """A row under SAMPLE_HEADINGS."""
    counts = odds.sample.counts()
    return [odds.name, f"{odds.second_nodes:,}", *(f"{number:,}" for number in (counts.deals, *counts))]


def pair_row(pair: Pair) -> list[str]:
    """A row under PAIR_HEADINGS."""
    digits = _digits(pair.deals)
    difference = pair.difference
    return [f"{pair.first} - {pair.second}", *(f"{number:,}" for number in pair[2:8]),
            span_in_percent(difference.rate_low, difference.rate_high, digits, "+"),
            span_in_percent(difference.low, difference.high, digits, "+")]


def tables(odds: Sequence[Odds], pairs: Sequence[Pair]) -> list[RenderableType]:
    """All of it for a terminal: rates, effort, samples, pairs, and the rule sets in words."""
    items: list[RenderableType] = [_grid(RATE_HEADINGS, map(rate_row, odds)), Text(""),
                                   _grid(EFFORT_HEADINGS, map(effort_row, odds))]
    sampled = [entry for entry in odds if len(entry.sample)]
    if sampled:
        items += [Text(""), Text("a random sample of the undecided, solved again:"),
                  _grid(SAMPLE_HEADINGS, map(sample_row, sampled))]
    if pairs:
        items += [Text(""), Text("on the same deals, first - second:"), *_pair_grids(pairs)]
    words = Table.grid(padding=(0, 2))
    for entry in odds:
        words.add_row(Text(entry.name, "bold"), entry.rules.in_words())
    return [*items, Text(""), words]


def _pair_grids(pairs: Sequence[Pair]) -> list[RenderableType]:
    """Pairs as two tables, since their columns do not fit beside each other."""
    rows = [pair_row(pair) for pair in pairs]
    return [_grid((*PAIR_HEADINGS[:1], "deals", "difference %", "95 % interval"),
                  ([row[0], row[1], *row[7:]] for row in rows)), Text(""),
            _grid((*PAIR_HEADINGS[:1], *PAIR_HEADINGS[2:7]), ([row[0], *row[2:7]] for row in rows))]


def _grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table with its first column to the left and all others to the right."""
    table = Table.grid(padding=(0, 2))
    for number, _ in enumerate(headings):
        table.add_column(justify="right" if number else "left", no_wrap=number > 0)
    table.add_row(*(Text(heading, QUIET) for heading in headings))
    for row in rows:
        table.add_row(Text(row[0], "bold"), *row[1:])
    return table


# For pages and programs -----------------------------------------------------------------------------------------


def markdown(odds: Sequence[Odds], pairs: Sequence[Pair]) -> str:
    """The same tables in Markdown."""
    rows = [rate_row(entry) + effort_row(entry)[1:] for entry in odds]
    parts = [_markdown_table((*RATE_HEADINGS, *EFFORT_HEADINGS[1:]), rows)]
    sampled = [sample_row(entry) for entry in odds if len(entry.sample)]
    if sampled:
        parts += ["A random sample of the undecided, solved again:", _markdown_table(SAMPLE_HEADINGS, sampled)]
    if pairs:
        parts += ["On the same deals, first - second:",
                  _markdown_table(("pair", *PAIR_HEADINGS[1:]), [pair_row(pair) for pair in pairs])]
    parts.append("\n".join(f"- **{entry.name}**: {entry.rules.in_words()}." for entry in odds))
    return "\n\n".join(parts) + "\n"


def _markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_counts(odds: Sequence[Odds], pairs: Sequence[Pair]) -> dict:
    """Counts, estimates and manifests, ready for JSON; shares are shares, not percent."""
    return {"odds": [_odds_record(entry) for entry in odds], "pairs": [_pair_record(pair) for pair in pairs]}


def _odds_record(odds: Odds) -> dict:
    record = {
        "name": odds.name,
        "in_words": odds.rules.in_words(),
        "seeds": [int(odds.first.seed[0]), int(odds.first.seed[-1])],
        "deals": odds.counts.deals,
        **odds.counts._asdict(),
        "rate": _estimate_record(odds.estimate),
        "hard_bounds": _interval_record(odds.bounds),
        "nodes_a_deal": round(odds.nodes_a_deal, 1),
        "cpu_seconds_a_deal": round(odds.seconds_a_deal, 6),
    }
    if odds.second_nodes:
        record["second"] = {"nodes": odds.second_nodes, "sampled": len(odds.sample), **odds.sample.counts()._asdict(),
                            "cpu_seconds_a_deal": round(float(odds.second.microseconds.mean()) / 1e6, 6)}
    return {**record, "manifest": odds.manifest}


def _pair_record(pair: Pair) -> dict:
    return {**pair._asdict(), "difference": _estimate_record(pair.difference)}


def _estimate_record(estimate: Estimate) -> dict:
    return {name: round(value, 7) for name, value in estimate._asdict().items()}


def _interval_record(interval: Interval) -> dict:
    return {name: round(value, 7) for name, value in interval._asdict().items()}


def save_counts(path: Path, odds: Sequence[Odds], pairs: Sequence[Pair]) -> None:
    """Write :func:`write_counts` to a file. Raises BadInput."""
    write_json(path, write_counts(odds, pairs))


# Lists of winnable deals ----------------------------------------------------------------------------------------


def winnable_lines(odds: Odds, as_cards: bool) -> Iterator[str]:
    """The list of a rule set's winnable deals, each a line that ``verify`` reads, with effort and grade behind it."""
    listed, (easy, medium) = winnable_deals(odds)
    yield f"# {odds.name}: {odds.rules.in_words()}"
    yield (f"# {len(listed):,} deals proven winnable; effort in nodes searched: easy up to {easy:,}, "
           f"medium up to {medium:,}, hard above")
    for seed, nodes, grade in listed:
        name = write_line(deal(seed, odds.rules), odds.rules, f"seed-{seed}") if as_cards else str(seed)
        yield f"{name}  # {grade}, {nodes:,} nodes"


def list_files(path: Path, odds: Sequence[Odds], names: Sequence[str]) -> list[Path]:
    """Where the lists of rule sets go: one to ``path``, several to names with the rule set in them."""
    if len(odds) == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{name}{path.suffix}") for name in names]


def export_winnable(path: Path, odds: Odds, as_cards: bool) -> None:
    """Write a rule set's list to a file, whole or not at all. Raises BadInput."""
    write_whole(path, lambda file: file.writelines(f"{line}\n".encode() for line in winnable_lines(odds, as_cards)))
