"""The command line: ``canfield-solve`` solves one deal; ``verify``, ``deal`` and ``variants`` are its commands.

Nothing is decided here: options become calls of the package, and what these return is printed.
"""

import json
import os
import re
import time
from collections.abc import Callable
from functools import cache

import click
from click.core import ParameterSource

from solver import __version__
from solver.cards import BadInput
from solver.cli_options import budget, budget_options, deal_options, json_option, make_option, rule_options, rules_given
from solver.cli_odds import odds
from solver.position import Position
from solver.program import PROGRAM, STATUSES, WON, Program, blaming, load_solve, read_file
from solver.rulesets import VARIANTS, Rules, rules
from solver.sources import named_deal, read_deals

EXAMPLES = """\b
Examples:
  canfield-solve --seed 42
  canfield-solve --deal pysolfc:11982 --variant pysolfc --passes 2
  canfield-solve verify deals.txt --variant second-life --json > solved.jsonl
  canfield-solve verify --solutions solved.jsonl

\b
Exit status: 0 winnable (verify: all), 1 unwinnable (verify: any),
3 undecided, 2 bad input, 130 interrupted.
"""


@click.group(PROGRAM, cls=Program, invoke_without_command=True, epilog=EXAMPLES)
@deal_options
@rule_options
@budget_options
@json_option("the result as one JSON object")
@click.version_option(__version__, prog_name=PROGRAM)
@click.pass_context
def main(ctx: click.Context, seed: int | None, source: str | None, nodes: int | None, memory: int | None,
         as_json: bool, **options: object) -> int:
    """Can this deal of Canfield solitaire be won? With all cards known: an exact answer, and a solution to play."""
    if ctx.invoked_subcommand is not None:
        given = [name for name in ctx.params if ctx.get_parameter_source(name) != ParameterSource.DEFAULT]
        if given:
            raise click.UsageError(f"options of {ctx.invoked_subcommand} go after its name, not before it")
        return WON
    ruleset = rules_given(options) or rules()
    title, position = open_deal(seed, source, ruleset)
    return solve_one(title, position, ruleset, budget(nodes, memory), as_json)


@main.command()
@click.argument("file", required=False)
@make_option("Deals", "--solutions", metavar="FILE",
             help="Replay these instead of searching: JSON lines as --json prints them, with their own deals, or for "
                  "those of FILE in turn. Their own rules count, unless options give others.")
@rule_options
@budget_options
@json_option("one JSON object a line for each deal")
def verify(file: str | None, solutions: str | None, nodes: int | None, memory: int | None, as_json: bool,
           **options: object) -> int:
    """Solve all deals of a file, or replay given solutions.

    FILE has one deal a line, or JSON; - is standard input.
    """
    from solver.display import name_with_changes
    from solver.verifying import progress_over, replay_solutions, report, solve_deals

    asked = rules_given(options)
    if solutions is not None:
        lines = read_file(solutions).splitlines()
        deals = None if file is None else deals_under_rules(file)
        with blaming(solutions), progress_over(lines, "replaying") as lines:
            return report(replay_solutions(lines, asked, deals), "solution", as_json)
    if file is None:
        raise click.UsageError("give a FILE of deals (- for standard input), or --solutions FILE")
    ruleset = asked or rules()
    lines = read_file(file).splitlines()
    with blaming(file), progress_over(lines, "solving") as lines:
        return report(solve_deals(lines, ruleset, budget(nodes, memory)), "deal", as_json,
                      f" under {name_with_changes(ruleset)}")


@main.command("deal")
@deal_options
@make_option("Output", "--format", "form", type=click.Choice(("line", "position", "solvitaire", "table")),
             default="line", show_default=True, help="Line form, position as JSON, JSON for Solvitaire, or drawn.")
@rule_options
def print_deal(seed: int | None, source: str | None, form: str, **options: object) -> int:
    """Print a deal without solving it, in any of the formats."""
    from solver.formats import write_document, write_line, write_solvitaire

    ruleset = rules_given(options) or rules()
    title, position = open_deal(seed, source, ruleset)
    if form == "table":
        from solver.display import deal_drawing, show

        show(*deal_drawing(title, position, ruleset))
    elif form == "line":
        print(write_line(position, ruleset))
    else:
        print(json.dumps((write_document if form == "position" else write_solvitaire)(position, ruleset)))
    return WON


main.add_command(odds)


@main.command()
@json_option("all fields of all variants as a JSON list")
def variants(as_json: bool) -> int:
    """List the named rule sets with their fields."""
    if as_json:
        print(json.dumps([variant.as_dict() for variant in VARIANTS.values()], indent=1))
    else:
        from solver.display import show, variants_drawing

        show(*variants_drawing())
    return WON


def open_deal(seed: int | None, source: str | None, ruleset: Rules) -> tuple[str, Position]:
    """Title and position of the deal that ``--seed`` or ``--deal`` asks for. Raises BadInput and UsageError."""
    if seed is not None and source is not None:
        raise click.UsageError("give --seed or --deal, not both")
    if seed is not None:
        return named_deal(seed, ruleset)
    if source is None:
        raise click.UsageError(f"give --seed N or --deal DEAL; {PROGRAM} --help tells more")
    if source == "-" or os.path.exists(source):
        text = read_file(source)
        with blaming(source):
            name, position = named_deal(text, ruleset)
        return name or os.path.basename(source), position
    if re.fullmatch(r"[^\s:{]*[^\s:{\d][^\s:{]*", source):
        raise BadInput(f"{source}: no such file, and no deal either")
    name, position = named_deal(source, ruleset)
    return name or "deal", position


def deals_under_rules(file: str) -> Callable[[Rules], list[tuple[str, Position]]]:
    """The deals of a file, as they are under whatever rule set is asked for."""
    text = read_file(file)

    @cache
    def deals(ruleset: Rules) -> list[tuple[str, Position]]:
        with blaming(file):
            return list(read_deals(text, ruleset))

    return deals


def solve_one(title: str, position: Position, ruleset: Rules, limits: dict[str, int], as_json: bool) -> int:
    """Solve one deal and print it with what was found; returns the exit status."""
    if as_json:
        from solver.records import write_record

        result = load_solve()(position, ruleset, **limits)
        print(json.dumps(write_record(result)))
        return STATUSES[result.verdict]
    from solver.display import deal_drawing, result_text, searching, show, solution_drawing

    show(*deal_drawing(title, position, ruleset), "")
    began = time.perf_counter()
    try:
        solve = load_solve()
        with searching():
            result = solve(position, ruleset, **limits)
    except KeyboardInterrupt:
        show(f"interrupted after {time.perf_counter() - began:.2f} s: undecided")
        raise
    show(result_text(result))
    if result.solution:
        show("", solution_drawing(result.solution))
    return STATUSES[result.verdict]
