"""The command ``odds``: win rates of rule sets from many seeded deals, and ``odds report`` from stored results."""

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path

import click

from solver.cards import BadInput
from solver.cli_options import LARGEST, add_options, json_option, make_option, rule_options, rules_given
from solver.extras import require
from solver.program import SectionedCommand
from solver.rulesets import FIELDS, VARIANTS, Rules
from solver.shuffle import SEEDS

DEFAULT_DEALS, DEFAULT_NODES, DEFAULT_MEMORY, DEFAULT_CHUNK = 1000, 100_000, 512, 500
PICTURES = (".png", ".svg")
EXAMPLES = """\b
Examples:
  canfield-solve odds --variant canfield --deals 10000 --out runs
  canfield-solve odds --draw 1,3 --passes 1,2,3,unlimited --out grid
  canfield-solve odds --variant second-life --out runs --nodes 100000
      --second-nodes 10000000 --sample 500
  canfield-solve odds report runs grid --plot odds.png
"""


class OddsGroup(SectionedCommand, click.Group):
    """A command that is useful by itself and has commands of its own."""

    command_class = SectionedCommand

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


class ListOf(click.ParamType):
    """A comma list of values of another type; a tuple of them."""

    def __init__(self, one: click.ParamType) -> None:
        self.one, self.name = one, f"list of {one.name}"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple:
        if isinstance(value, tuple):
            return value
        return tuple(self.one.convert(part.strip(), param, ctx) for part in value.split(","))


def _grid_options() -> list:
    """The options of the rule fields, made to take lists; with several lists each value meets each."""
    single = click.command()(rule_options(lambda **_: None)).params
    return [make_option("Rules, each a list such as 1,3", option.opts[0], option.name, type=ListOf(option.type),
                        metavar=f"{option.metavar},..", help=option.help)
            for option in single if option.name in FIELDS]


report_options = add_options(
    make_option("Output", "--plot", metavar="FILE", help="Draw the figures into a .png or .svg file."),
    make_option("Output", "--export", metavar="FILE",
                help="List the deals proven winnable, with their effort as difficulty; for several rule sets one file "
                     "each, named after FILE."),
    make_option("Output", "--export-form", type=click.Choice(("seeds", "line")), default="seeds", show_default=True,
                help="Write deals as their numbers or as their cards."),
    make_option("Output", "--pairs", type=click.Choice(("first", "all")), default="first", show_default=True,
                help="Compare each rule set with the first, or every pair."),
    make_option("Output", "--markdown", is_flag=True, help="Print the tables as Markdown."),
    json_option("counts, rates, pairs and manifests as one JSON object"),
)


@click.group("odds", cls=OddsGroup, invoke_without_command=True, epilog=EXAMPLES)
@make_option("Rules, each a list such as 1,3", "--variant", "variants", metavar="NAME,..",
             type=ListOf(click.STRING), multiple=True,
             help="Rule sets to start from, or all; may be repeated.  [default: canfield]")
@add_options(*_grid_options())
@make_option("Deals", "--deals", type=click.IntRange(1, LARGEST), metavar="N", default=DEFAULT_DEALS,
             show_default=True, help="How many deals for each rule set.")
@make_option("Deals", "--first-seed", type=click.IntRange(0, SEEDS - 1), metavar="S", default=0, show_default=True,
             help="The number of the first of them.")
@make_option("Search", "--nodes", type=click.IntRange(1, LARGEST), metavar="N", default=DEFAULT_NODES,
             show_default=True, help="Positions to search in a deal at most, else undecided.")
@make_option("Search", "--memory", type=click.IntRange(1, LARGEST >> 20), metavar="MB", default=DEFAULT_MEMORY,
             show_default=True, help="Memory to search with at most, each job.")
@make_option("Search", "--second-nodes", type=click.IntRange(1, LARGEST), metavar="N",
             help="Solve undecided deals again, with this budget.")
@make_option("Search", "--sample", type=click.IntRange(1, LARGEST), metavar="M",
             help="Only so many of the undecided, chosen at random.  [default: all]")
@make_option("Search", "--second-memory", type=click.IntRange(1, LARGEST >> 20), metavar="MB",
             help="Memory for that.  [default: as --memory]")
@make_option("Running", "--jobs", type=click.IntRange(1, 1024), metavar="J", help="Threads.  [default: all cores]")
@make_option("Running", "--out", metavar="DIR",
             help="Keep results in this folder; the same command goes on where it was stopped.")
@make_option("Running", "--chunk", type=click.IntRange(1, 1_000_000), metavar="N", default=DEFAULT_CHUNK,
             show_default=True, help="Deals a file; a kill loses the files at work.")
@make_option("Running", "--scheduler", metavar="tcp://HOST:PORT", help="Run on the Dask cluster there.")
@report_options
@click.pass_context
def odds(ctx: click.Context, variants: tuple, first_seed: int, deals: int, nodes: int, memory: int,
         second_nodes: int | None, sample: int | None, second_memory: int | None, jobs: int | None, out: str | None,
         chunk: int, scheduler: str | None, **options: object) -> int:
    """What share of deals can be won? Solves many deals of each rule set; rates come with 95 % intervals."""
    if ctx.invoked_subcommand is not None:
        given = [name for name in ctx.params if ctx.get_parameter_source(name).name != "DEFAULT"]
        if given:
            raise click.UsageError(f"options of odds {ctx.invoked_subcommand} go after its name, not before it")
        return 0
    if second_nodes is None and (sample is not None or second_memory is not None):
        raise click.UsageError("--sample and --second-memory need --second-nodes")
    if second_nodes is not None and second_nodes <= nodes:
        raise click.UsageError("--second-nodes must be more than --nodes")
    if scheduler is not None and jobs is not None:
        raise click.UsageError("--jobs is for this machine alone; the workers of a --scheduler bring their own threads")
    rule_sets = _rule_sets(variants, {field: options.pop(field) for field in FIELDS})
    _check_outputs(options)
    from solver.batch import Budget, Order

    second = Budget(second_nodes, second_memory or memory) if second_nodes else None
    order = Order(first_seed, deals, Budget(nodes, memory), chunk, second, sample)
    with ExitStack() as held:
        folder = Path(out or held.enter_context(tempfile.TemporaryDirectory(prefix="canfield-odds-")))
        return _solve_and_report(order, rule_sets, folder, jobs, scheduler, options)


@odds.command("report")
@click.argument("folders", nargs=-1, required=True, metavar="DIR...")
@report_options
def report(folders: tuple[str, ...], **options: object) -> int:
    """Tables, figures and lists from stored results only.

    DIR is what was given to odds as --out, or one rule set's folder in it.
    """
    _check_outputs(options)
    from solver.odds import read_odds

    _report(read_odds(map(Path, folders)), options)
    return 0


def _rule_sets(variants: Sequence[tuple[str, ...]], lists: dict[str, tuple | None]) -> list[Rules]:
    """Each variant with each combination of the listed values, twins left out. Raises BadInput."""
    names = [name for group in variants for name in group] or [next(iter(VARIANTS))]
    names = [name for given in names for name in (VARIANTS if given == "all" else [given])]
    choices = [values or (None,) for values in lists.values()]
    if "" in names:
        raise BadInput("--variant wants names with commas between them")
    found = [rules_given({"variant": name, **dict(zip(lists, values, strict=True))})
             for name in names for values in product(*choices)]
    return list(dict.fromkeys(found))


def _check_outputs(options: dict) -> None:
    """Raise BadInput for missing packages or files that cannot be written, before hours are spent on a run."""
    require("scipy")
    require("pyarrow")
    if options["as_json"] and options["markdown"]:
        raise click.UsageError("give --json or --markdown, not both")
    if options["plot"] is not None:
        if Path(options["plot"]).suffix.lower() not in PICTURES:
            raise BadInput(f"{options['plot']}: a figure is a .png or .svg file")
        require("matplotlib")
    for name in ("plot", "export"):
        if options[name] is None:
            continue
        path = Path(options[name])
        if path.is_dir() or not path.name:
            raise BadInput(f"{path}: is a folder")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise BadInput(f"{path}: its folder is not there or cannot be written to")


def _solve_and_report(order: object, rule_sets: list[Rules], folder: Path, jobs: int | None, scheduler: str | None,
                      options: dict) -> int:
    """Run an order, and print what is stored of it, at the end or when it is stopped."""
    from solver.batch import folder_name, run_order
    from solver.odds import read_order
    from solver.program import load_solve
    from solver.progress import bars
    from solver.store import MANIFEST

    load_solve()
    folders = [folder / folder_name(rules) for rules in rule_sets]
    try:
        with _runner(jobs, scheduler) as runner, bars() as watch:
            run_order(order, rule_sets, folder, runner, watch)
    except KeyboardInterrupt:
        click.echo("interrupted; what is stored by now:", err=True)
        found = read_order(order, [path for path in folders if (path / MANIFEST).exists()])
        if found:
            _report(found, {**options, "plot": None, "export": None})
        raise
    _report(read_order(order, folders), options)
    return 0


@contextmanager
def _runner(jobs: int | None, scheduler: str | None):
    """The runner of a cluster, or of this machine."""
    if scheduler is not None:
        from solver.cluster import cluster_at

        with cluster_at(scheduler) as runner:
            yield runner
    else:
        from solver.batch import solve_on_threads

        yield solve_on_threads(jobs or _cores())


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _report(found: Sequence, options: dict) -> None:
    """Print, draw and list what was found."""
    from solver import odds_tables
    from solver.batch import folder_name
    from solver.display import show
    from solver.odds import compare

    pairs = compare(found, every_pair=options["pairs"] == "all")
    if options["as_json"]:
        print(json.dumps(odds_tables.write_counts(found, pairs), indent=1))
    elif options["markdown"]:
        print(odds_tables.markdown(found, pairs), end="")
    else:
        show(*odds_tables.tables(found, pairs))
    if options["export"] is not None:
        names = [folder_name(entry.rules) for entry in found]
        for path, entry in zip(odds_tables.list_files(Path(options["export"]), found, names), found, strict=True):
            odds_tables.export_winnable(path, entry, options["export_form"] == "line")
    if options["plot"] is not None:
        from solver.plots import draw_figures

        draw_figures(found, Path(options["plot"]))
