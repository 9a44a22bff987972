"""Tables of a measurement, with the machine and the commit that it was made with."""

import json
import statistics
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bench.measure import VERDICTS, Run, share
from solver.provenance import provenance
from solver.solving import UNDECIDED

MILLI = 1000
LEAST_WIDTH = 126
"""Columns that the tables need; a file or a narrow terminal gets them all the same."""


def wide_console() -> Console:
    """Standard output, wide enough for the tables."""
    console = Console()
    console.width = max(console.width, LEAST_WIDTH)
    return console


def plain_table(title: str, *columns: str) -> Table:
    """A table without frame; its first column holds names, the others numbers."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def heading(origin: dict) -> str:
    """Two lines: program, and machine."""
    machine = origin["machine"]
    return (f"canfield-solve {origin['version']}, commit {origin['commit'] or 'unknown'}\n"
            f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, numba {machine['numba']}")


def table_of(runs: list[Run], title: str) -> Table:
    """One row a rule set; times are CPU milliseconds a deal, nodes a second those of one core."""
    table = plain_table(title, "variant", "deals", *VERDICTS, "open %", "nodes", "nodes/s", "mean ms", "median",
                        "worst", "wrong")
    for run in runs:
        seconds = run.seconds
        table.add_row(
            run.rules.name, f"{len(run.timed):,}", *(f"{run.counts[verdict]:,}" for verdict in VERDICTS),
            f"{share(run.counts[UNDECIDED], run.timed):.2f}", f"{run.nodes:,}",
            f"{run.nodes / max(sum(seconds), 1e-9):,.0f}", f"{MILLI * statistics.mean(seconds):.2f}",
            f"{MILLI * statistics.median(seconds):.2f}", f"{MILLI * max(seconds):.0f}", str(len(run.objections)),
        )
    return table


def print_runs(console: Console, runs: list[Run], title: str) -> None:
    """The table, and a line for every answer that is wrong."""
    console.print(heading(provenance()), highlight=False)
    console.print(table_of(runs, title))
    for run in runs:
        for line in run.objections:
            console.print(f"WRONG: {line}", style="bold red", highlight=False)


def write_json(path: Path, runs: list[Run], settings: dict) -> None:
    """All figures, deal by deal."""
    record = provenance() | {"settings": settings, "runs": [run.as_dict() for run in runs]}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
