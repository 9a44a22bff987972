"""Makes the pages of this folder from stored results: README.md, odds.json and the figures.

The results themselves are too large to keep here. They are made, and made again, by ::

    ODDS="canfield-solve odds --out runs"
    $ODDS --draw 1 --passes 1,2,3,unlimited --deals 20000 --nodes 30000 --second-nodes 1000000 --sample 150
    $ODDS --draw 3 --passes 1,2,3 --deals 20000 --nodes 10000 --second-nodes 300000 --sample 150
    $ODDS --variant canfield-draw1,pysolfc,superior,pysolfc-superior --deals 20000 --nodes 30000 \\
        --second-nodes 1000000 --sample 150
    $ODDS --variant rainbow,rainfall,storehouse,chameleon,casino --deals 20000 --nodes 10000 --second-nodes 300000 \\
        --sample 150
    $ODDS --variant rule-book,zubboo --deals 20000 --nodes 10000 --second-nodes 500000 --sample 150
    $ODDS --variant canfield,second-life --deals 200000 --nodes 4000 --second-nodes 3000000 --sample 500
    $ODDS --variant solvitaire,solvitaire-strict --deals 200000 --nodes 30000 --second-nodes 3000000 --sample 1000
    python results/publish.py runs
    DECKS="canfield-solve odds --out several"
    $DECKS --variant double,triple,quadruple,pysolfc-double,pysolfc-triple --deals 100000 --nodes 50000
    $DECKS --variant demon,pysolfc-demon --deals 100000 --nodes 420000
    $DECKS --variant american-toad --deals 100000 --nodes 60000 --second-nodes 400000 --sample 50
    $DECKS --variant variegated --deals 20000 --nodes 60000 --second-nodes 600000 --sample 50
    python results/publish.py several --into results/several-decks
    FEW="canfield-solve odds --out few"
    $FEW --variant storehouse --deals 20000 --nodes 300000
    $FEW --variant chameleon,rainbow --deals 20000 --nodes 10000 --second-nodes 300000 --sample 150
    python results/publish.py few --into results/few-passes
    python results/publish.py runs several --summary README.md
    python results/publish.py few --summary README.md

All of these may be stopped at any time and go on when given again; any larger ``--deals`` adds to what is there.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from solver.cards import BadInput  # noqa: E402
from solver.odds import Odds, Pair, compare, read_odds  # noqa: E402
from solver.odds_tables import markdown, rate_row, save_counts, time_in_words  # noqa: E402
from solver.plots import draw_figures  # noqa: E402
from solver.program import read_file  # noqa: E402
from solver.rulesets import VARIANTS  # noqa: E402
from solver.store import write_whole  # noqa: E402

PAGE = """# Odds

What share of deals can be won, with all cards known and perfect play? Deals are the seeds of `solver/shuffle.py`, so
anyone can solve them again; `odds.json` has every count below with its manifest.

{made}

*Hard bounds* count the deals that are still undecided as lost, and as won. The *95 % interval* allows for whatever
they are: it is Wilson's where everything is decided, and otherwise that of a two-phase estimate, from a random sample
of the undecided deals that was solved again with a larger budget (`solver/estimators.py` has the formulas and their
sources). Effort is that of the first phase.

{tables}
![Win rates, effort and win rate by base rank](odds.svg)

This page is made by `python results/publish.py`; its first lines tell how the results are.
"""


FIRST_MARK, LAST_MARK = "<!-- made by results/publish.py -->", "<!-- until here -->"
SUMMARY_HEADINGS = ("variant", "rules", "deals", "winnable %: 95 % interval", "hard bounds %", "undecided",
                    "nodes, median", "CPU, mean")


def main() -> int:
    """Write the pages; returns the exit status."""
    parser = argparse.ArgumentParser(description="Make README.md, odds.json and figures from stored results.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="folders that odds --out wrote")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent, metavar="DIR", help="where the pages go")
    parser.add_argument("--summary", type=Path, metavar="FILE",
                        help="make no pages, but put a table of the variants into this file")
    arguments = parser.parse_args()
    try:
        odds = read_odds(arguments.folders)
        if arguments.summary:
            write_summary(odds, arguments.summary)
            return 0
        arguments.into.mkdir(parents=True, exist_ok=True)
        write_pages(odds, compare(odds), arguments.into)
    except BadInput as error:
        print(f"publish: {error}", file=sys.stderr)
        return 2
    return 0


def write_pages(odds: Sequence[Odds], pairs: Sequence[Pair], folder: Path) -> None:
    """Write everything into ``folder``. Raises BadInput."""
    page = PAGE.format(made="\n".join(how_made(odds)), tables=markdown(odds, pairs))
    write_whole(folder / "README.md", lambda file: file.write(page.encode()))
    save_counts(folder / "odds.json", odds, pairs)
    for name in ("odds.svg", "odds.png"):
        draw_figures(odds, folder / name)


def write_summary(odds: Sequence[Odds], file: Path) -> None:
    """Put the table of the named variants between the two marks in a Markdown file; rows of variants of which there
    are no results here stay as they are. Raises BadInput."""
    text = read_file(str(file))
    before, _, rest = text.partition(FIRST_MARK)
    table, _, after = rest.partition(LAST_MARK)
    if not after:
        raise BadInput(f"{file}: no place for the table: {FIRST_MARK} and {LAST_MARK} are not both there")
    found = {line.split("`")[1]: line for line in table.splitlines() if line.startswith("| `")}
    found |= {entry.name: summary_row(entry) for entry in odds}
    rows = [found[name] for name in VARIANTS if name in found]
    heading = (f"| {' | '.join(SUMMARY_HEADINGS)} |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    table = "\n".join((before + FIRST_MARK, *heading, *rows, LAST_MARK + after))
    write_whole(file, lambda out: out.write(table.encode()))


def summary_row(entry: Odds) -> str:
    """A row under SUMMARY_HEADINGS."""
    _, deals, _, interval, bounds = rate_row(entry)
    cells = (f"`{entry.name}`", entry.rules.in_words(), deals, interval, bounds, f"{entry.counts.undecided:,}",
             f"{np.median(entry.first.nodes):,.0f}", time_in_words(entry.seconds_a_deal))
    return f"| {' | '.join(cells)} |"


def how_made(odds: Sequence[Odds]) -> list[str]:
    """A line for each budget, version and machine that results were made with."""
    lines = {}
    for entry in odds:
        second = f", undecided ones of the sample {entry.second_nodes:,}" if entry.second_nodes else ""
        for run in entry.manifest["runs"]:
            machine = run["machine"]
            lines[f"- Up to {entry.manifest['nodes']:,} nodes a deal{second}; version {run['version']}, commit "
                  f"{short_commit(run['commit'])}; {machine.get('processor')}, {machine.get('cores')} cores, "
                  f"Python {machine.get('python')}, numba {machine.get('numba')}."] = None
    return list(lines)


def short_commit(commit: str | None) -> str:
    """The commit's first digits, with the + of changed files."""
    return "unknown" if commit is None else commit[:10] + "+" * commit.endswith("+")


if __name__ == "__main__":
    sys.exit(main())
