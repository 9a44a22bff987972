"""A live bar for each rule set of a run: deals done, their rate, time left, and the win rate as it looks by now."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from solver.batch import Watch
from solver.display import QUIET, name_with_changes
from solver.estimators import Counts, bounded_estimate
from solver.odds_tables import span_in_percent
from solver.outcomes import Outcomes
from solver.rulesets import Rules

REFRESHES_A_SECOND = 2
"""More would cost a noticeable share of a core."""

FEW_DEALS = 10


@contextmanager
def bars() -> Iterator[Watch]:
    """A watch that draws bars on standard error where that is a terminal, and otherwise none."""
    if not sys.stderr.isatty():
        yield Watch()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=8), MofNCompleteColumn(), _speed_column(),
               TimeRemainingColumn(compact=True), _rate_column())
    with Progress(*columns, console=Console(stderr=True), refresh_per_second=REFRESHES_A_SECOND, transient=True,
                  speed_estimate_period=120) as progress:
        yield Bars(progress)


def running_rate(counts: Counts) -> str:
    """The win rate so far with its interval, in percent; both cover the undecided either way."""
    if counts.deals < FEW_DEALS:
        return ""
    estimate = bounded_estimate(counts)
    text = (f"{span_in_percent(estimate.rate_low, estimate.rate_high, 1)} "
            f"({span_in_percent(estimate.low, estimate.high, 1)}) %")
    return text.replace(" to ", "-")


class Tally:
    """A running count of verdicts that any thread may add to."""

    def __init__(self, counts: Counts) -> None:
        self._counts = list(counts)
        self._lock = threading.Lock()

    def add(self, verdict: int) -> None:
        """Count one more."""
        with self._lock:
            self._counts[verdict] += 1

    def counts(self) -> Counts:
        """The counts by now."""
        return Counts(*self._counts)


class Bars(Watch):
    """A watch that moves the bars of a rich Progress."""

    def __init__(self, progress: object) -> None:
        self._progress = progress
        self._tasks: dict[int, tuple[object, Tally]] = {}

    def begin(self, phase: int, index: int, rules: Rules, deals: int, stored: Outcomes) -> None:
        tally = Tally(stored.counts())
        name = name_with_changes(rules) + (", undecided" if phase == 2 else "")
        task = self._progress.add_task(name, total=deals, completed=len(stored), tally=tally)
        self._tasks[index] = task, tally

    def solved(self, index: int, verdict: int) -> None:
        task, tally = self._tasks[index]
        tally.add(verdict)
        self._progress.advance(task)


def _speed_column() -> object:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class SpeedColumn(ProgressColumn):
        """Deals a second."""

        def render(self, task: object) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.3g}/s", QUIET)

    return SpeedColumn()


def _rate_column() -> object:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """The running estimate."""

        def render(self, task: object) -> Text:
            return Text(running_rate(task.fields["tally"].counts()))

    return RateColumn()
