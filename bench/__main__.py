"""The command line of the measurements: ``python -m bench [OPTIONS]``, ``signature`` and ``peer``."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from bench import peer as peering
from bench import signature as signing
from bench.measure import Deals, deals_of_file, known_verdicts, measure, seeded_deals, warm_up
from bench.report import heading, print_runs, wide_console, write_json
from solver.cards import BadInput
from solver.provenance import provenance
from solver.rulesets import Rules, rules
from solver.solving import DEFAULT_MEMORY, DEFAULT_NODES
from solver.sources import deal

HUNDRED = Path(__file__).parents[1] / "tests" / "data" / "deals-100.txt"
HUNDRED_VARIANTS = ("solvitaire", "solvitaire-strict", "canfield", "second-life")
NODES = click.option("--nodes", type=click.IntRange(0), default=DEFAULT_NODES, show_default=True,
                     help="Budget of positions a deal.")
MEMORY = click.option("--memory", type=click.IntRange(1), default=DEFAULT_MEMORY, show_default=True,
                      help="Limit of a search in MB.")


@contextmanager
def progress(console: Console, doing: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; gives the function that moves it on."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda: bar.advance(task)


def parse_range(text: str) -> tuple[int, int]:
    """``"A-B"`` or ``"A"`` as first and last number. Raises BadInput."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise BadInput(f"a range of deals is A-B with A not above B, not {text!r}")
    return int(match[1]), int(match[2] or match[1])


@click.group(invoke_without_command=True)
@click.option("--variant", "variants", multiple=True, help="Rule set; may be given several times. "
              f"[default: {', '.join(HUNDRED_VARIANTS)}]")
@click.option("--deals", type=click.Path(path_type=Path), help="File of deals. [default: the hundred of tests/data]")
@click.option("--seeds", help="Our own deals A-B instead of a file.")
@click.option("--passes", type=click.IntRange(1), help="Passes through the stock instead of the rule set's own.")
@NODES
@MEMORY
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Threads.")
@click.option("--replay", "replayed", is_flag=True, help="Write every solution down and replay it.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write all figures to this file.")
@click.pass_context
def main(context: click.Context, variants: tuple[str, ...], deals: Path | None, seeds: str | None, passes: int | None,
         nodes: int, memory: int, jobs: int, replayed: bool, json_file: Path | None) -> None:
    """Solve deals with the clock running: verdicts, nodes and CPU time of each variant in one table."""
    if context.invoked_subcommand:
        return
    if deals and seeds:
        raise BadInput("--deals and --seeds exclude each other")
    console, runs = wide_console(), []
    for variant in variants or HUNDRED_VARIANTS:
        rule_set = rules(variant) if passes is None else rules(variant, passes=passes)
        named, known = choose_deals(deals or HUNDRED, seeds, rule_set)
        warm_up(named, rule_set)
        with progress(console, variant, len(named)) as tick:
            runs.append(measure(named, rule_set, nodes, memory, jobs, replayed, known, tick))
    source = f"seeds {seeds}" if seeds else (deals or HUNDRED).name
    title = f"{source}, {nodes:,} nodes and {memory} MB a deal, {jobs} thread{'s' if jobs > 1 else ''}"
    print_runs(console, runs, title)
    if json_file:
        write_json(json_file, runs, {"deals": source, "nodes": nodes, "memory": memory, "jobs": jobs,
                                     "replayed": replayed})
    context.exit(1 if any(run.objections for run in runs) else 0)


def choose_deals(path: Path, seeds: str | None, rule_set: Rules) -> tuple[Deals, dict[str, str]]:
    """The deals asked for, and their known verdicts."""
    if seeds:
        return seeded_deals(*parse_range(seeds), rule_set), {}
    return deals_of_file(path, rule_set), known_verdicts(path, rule_set.name)


@main.command()
@click.option("--write", is_flag=True, help="Put the signature found on record.")
@click.pass_context
def signature(context: click.Context, write: bool) -> None:
    """Nodes of fixed searches: differs from the one on record exactly when the search has changed."""
    found, before = signing.signature(), signing.pinned()
    changed = signing.changes(found, before)
    click.echo(f"{found['nodes']:,} nodes" + ("" if changed else ", as on record"))
    for line in changed:
        click.echo(line)
    if write:
        signing.pin(found)
    context.exit(1 if changed and not write else 0)


@main.command()
@click.option("--solver", required=True, help="Path of Solvitaire's program.")
@click.option("--variant", type=click.Choice(list(peering.TYPES)), default="solvitaire", show_default=True,
              help="Rule set that both play.")
@click.option("--deals", "numbers", default="1-100", show_default=True, help="Solvitaire's deals A-B.")
@click.option("--timeout", type=click.IntRange(1), default=20_000, show_default=True,
              help="Solvitaire's limit a deal, milliseconds.")
@NODES
@MEMORY
@click.pass_context
def peer(context: click.Context, solver: str, variant: str, numbers: str, timeout: int, nodes: int,
         memory: int) -> None:
    """Side by side with Solvitaire on its own random deals."""
    rule_set, console = rules(variant), wide_console()
    first, last = parse_range(numbers)
    named = [(str(number), deal(f"solvitaire:{number}", rule_set)) for number in range(first, last + 1)]
    warm_up(named, rule_set)
    with progress(console, "Solvitaire and canfield-solve", 2 * len(named)) as tick:
        theirs = peering.ask_peer_for_all(solver, peering.TYPES[variant], range(first, last + 1), timeout, tick)
        ours = measure(named, rule_set, nodes, memory, tick=tick)
    comparison = peering.Comparison(ours.timed, theirs)
    console.print(heading(provenance()), highlight=False)
    console.print(peering.peer_table(comparison, f"Solvitaire's deals {numbers}, {variant}, {nodes:,} nodes and "
                                     f"{timeout:,} ms a deal"))
    for line in peering.peer_summary(comparison):
        console.print(line, highlight=False)
    context.exit(1 if comparison.disagreements else 0)


def run() -> None:
    """The program; bad input is one line and exit status 2."""
    try:
        sys.exit(main(prog_name="python -m bench", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BadInput as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)


if __name__ == "__main__":
    run()
