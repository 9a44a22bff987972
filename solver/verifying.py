"""Many deals in one run: a verdict for each, or a replay of each given solution, and the count at the end."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click
from rich.text import Text

from solver.cards import BadInput
from solver.display import counted, outcome_text, show, with_cards
from solver.position import Position
from solver.program import LOST, OPEN, STATUSES, WON, load_solve
from solver.records import read_record, write_record
from solver.rulesets import Rules
from solver.solution import replay
from solver.sources import read_deals

GRAVEST_FIRST = (LOST, OPEN, WON)
"""Exit statuses: that of a whole run is the first of these that any of its deals asks for."""


class Outcome(NamedTuple):
    """What was found for one deal: its name, a key of STATUSES (see program.py), details for a person, and a JSON record of it all."""

    name: str
    found: str
    details: Text
    record: dict


def solve_deals(lines: Iterable[str], rules: Rules, budget: dict[str, int]) -> Iterator[Outcome]:
    """Solve each deal of ``lines``; ``budget`` holds further arguments of ``solve``. Raises BadInput at a bad line."""
    solve = load_solve()
    for name, position in read_deals(lines, rules):
        result = solve(position, rules, **budget)
        details = f"{counted(result.nodes, 'node'):>16} {result.seconds:8.2f} s"
        if result.solution is not None:
            details += f"   {counted(len(result.solution), 'move')}"
        yield Outcome(name, result.verdict, Text(details), {"name": name, **write_record(result)})


def replay_solutions(lines: Iterable[str], asked: Rules | None,
                     deals: Callable[[Rules], list[tuple[str, Position]]] | None = None) -> Iterator[Outcome]:
    """Replay the solution of each record in ``lines``, under the rule set ``asked`` for or else the record's own.

    ``deals`` gives the deals under a rule set, one for each record, in turn; without it records bring their own.
    Raises BadInput at a bad line, or when deals and solutions do not come out even.
    """
    done = 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            claim = read_record(line, asked)
            name, position = (claim.name, claim.position) if deals is None else _deal_in_turn(deals(claim.rules), done)
            if position is None:
                raise BadInput("field 'deal' is missing")
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
        done += 1
        yield _replayed(name or f"line {number}", position, claim.rules, claim.solution)
    if deals is not None and done and len(deals(claim.rules)) > done:
        raise BadInput(f"{counted(done, 'solution')} for {counted(len(deals(claim.rules)), 'deal')}")


def _deal_in_turn(deals: list[tuple[str, Position]], index: int) -> tuple[str, Position]:
    if index == len(deals):
        raise BadInput(f"a solution too many, there are only {counted(len(deals), 'deal')}")
    return deals[index]


def _replayed(name: str, position: Position, rules: Rules, solution: list | None) -> Outcome:
    """The outcome of one replay."""
    if solution is None:
        found, message, moves = "no solution", "", 0
    else:
        played = replay(position, rules, solution)
        found, message, moves = "won" if played.won else "not won", played.message, played.moves
    record = {"name": name, "variant": rules.name, "rules": rules.as_dict(), "replay": found, "moves": moves,
              "message": message}
    return Outcome(name, found, with_cards(message.removeprefix(found).lstrip(": ")), record)


def report(outcomes: Iterable[Outcome], noun: str, as_json: bool, rules_in_force: str = "") -> int:
    """Print each outcome as it comes, then the count of all; returns the exit status.

    noun: what is counted, ``"deal"`` or ``"solution"``. Ctrl-C or bad input end the run where it is; after Ctrl-C
    the count so far is still printed. With JSON the count goes to standard error. Raises BadInput for none at all.
    """
    found: Counter[str] = Counter()
    began = time.perf_counter()
    try:
        for outcome in outcomes:
            found[outcome.found] += 1
            if as_json:
                print(json.dumps(outcome.record), flush=True)
            else:
                show(outcome_text(outcome.name, outcome.found, outcome.details))
    except KeyboardInterrupt:
        _print_count(found, noun, rules_in_force, began, as_json, ", interrupted")
        raise
    if not found:
        raise BadInput(f"no {noun}s")
    _print_count(found, noun, rules_in_force, began, as_json)
    return next(status for status in GRAVEST_FIRST if any(STATUSES[key] == status for key in found))


def _print_count(found: Counter[str], noun: str, rules_in_force: str, began: float, as_json: bool,
                 ending: str = "") -> None:
    """Print how many of each were found since ``began``; to standard error where standard output holds JSON."""
    parts = ", ".join(f"{found[key]:,} {key}" for key in STATUSES if found[key]) or "none"
    line = f"{counted(found.total(), noun)}{rules_in_force} in {time.perf_counter() - began:.2f} s{ending}: {parts}"
    if as_json:
        click.echo(line, err=True)
    else:
        show(Text(line, "bold"))


@contextmanager
def progress_over(lines: list[str], doing: str) -> Iterator[Iterable[str]]:
    """``lines`` to go through, under a progress bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield lines
        return
    from rich.console import Console
    from rich.progress import Progress

    # Lines on the same terminal as the bar have to pass through it; those in a file must not.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
        yield progress.track(lines, description=doing)
