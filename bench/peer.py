"""Side by side with Solvitaire: the same deals, the same machine, the same run.

Solvitaire (Blake and Gent) is a C++ program of its own that this project neither contains nor needs. Its deal number N
is our ``solvitaire:N``. Called as ``solvitaire --type T --random N --classify --timeout MS``, the last line that it
prints begins with the deal's number, the verdict, milliseconds and states.
"""

import re
import resource
import statistics
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rich.table import Table

from bench.measure import VERDICTS, Timed, share
from bench.report import plain_table
from solver.cards import BadInput
from solver.display import counted
from solver.solving import UNDECIDED, UNWINNABLE, WINNABLE

TYPES = {"solvitaire": "canfield", "solvitaire-strict": "canfield-strict"}
ANSWERS = {"solved": WINNABLE, "unsolvable": UNWINNABLE, "timed-out": UNDECIDED, "mem-limit": UNDECIDED}
GRACE_SECONDS = 30


@dataclass(frozen=True)
class Comparison:
    """The same deals under both programs; ours and theirs are in the same order."""

    ours: list[Timed]
    theirs: list[Timed]

    @property
    def counts(self) -> Counter:
        """Deals by (our verdict, their verdict)."""
        return Counter((our.verdict, their.verdict) for our, their in zip(self.ours, self.theirs))

    @property
    def disagreements(self) -> list[str]:
        """Names of the deals that both decided, and differently."""
        return [our.name for our, their in zip(self.ours, self.theirs)
                if our.verdict != their.verdict and UNDECIDED not in (our.verdict, their.verdict)]

    @property
    def cpu_ratio(self) -> float:
        """Their CPU time over ours, all deals counted."""
        return sum(timed.seconds for timed in self.theirs) / max(sum(timed.seconds for timed in self.ours), 1e-9)


def ask_peer(solver: str, game_type: str, number: int, timeout: int) -> Timed:
    """Let Solvitaire solve one deal; ``timeout`` in milliseconds. The CPU time is that of its process.

    Raises BadInput when the program cannot be run or its answer cannot be read.
    """
    command = [solver, "--type", game_type, "--random", str(number), "--classify", "--timeout", str(timeout)]
    before = _children_seconds()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=timeout / 1000 + GRACE_SECONDS)
    except OSError as error:
        raise BadInput(f"{solver}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise BadInput(f"{solver}: no answer {GRACE_SECONDS} s after its timeout") from None
    verdict, states = read_answer(done.stdout, number)
    return Timed(str(number), verdict, states, _children_seconds() - before)


def read_answer(output: str, number: int) -> tuple[str, int]:
    """(verdict, states) from what Solvitaire prints. Raises BadInput that shows the line that cannot be read."""
    lines = output.strip().splitlines()
    fields = [part for part in re.split(r"[,;\s]+", lines[-1]) if part] if lines else []
    if len(fields) < 4 or fields[0] != str(number) or fields[1] not in ANSWERS or not fields[3].isdecimal():
        raise BadInput(f"cannot read Solvitaire's answer for deal {number}: {(lines or [''])[-1][:80]!r}")
    return ANSWERS[fields[1]], int(fields[3])


def _children_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ask_peer_for_all(solver: str, game_type: str, numbers: range, timeout: int,
                     tick: Callable[[], None] = lambda: None) -> list[Timed]:
    """All deals one after the other; ``tick`` is called after each."""
    timed = []
    for number in numbers:
        timed.append(ask_peer(solver, game_type, number, timeout))
        tick()
    return timed


def peer_table(comparison: Comparison, title: str) -> Table:
    """A row for each program; times are CPU milliseconds a deal."""
    table = plain_table(title, "program", *VERDICTS, "open %", "nodes", "mean ms", "median", "worst")
    for program, timed in (("canfield-solve", comparison.ours), ("Solvitaire", comparison.theirs)):
        counts = Counter(entry.verdict for entry in timed)
        milliseconds = [1000 * entry.seconds for entry in timed]
        table.add_row(program, *(f"{counts[verdict]:,}" for verdict in VERDICTS),
                      f"{share(counts[UNDECIDED], timed):.2f}", f"{sum(entry.nodes for entry in timed):,}",
                      f"{statistics.mean(milliseconds):.2f}", f"{statistics.median(milliseconds):.2f}",
                      f"{max(milliseconds):.0f}")
    return table


def peer_summary(comparison: Comparison) -> list[str]:
    """Agreement and the ratio of CPU times, one line each."""
    decided = sum(count for (our, their), count in comparison.counts.items() if UNDECIDED not in (our, their))
    wrong = comparison.disagreements
    open_counts = [sum(entry.verdict == UNDECIDED for entry in timed) for timed in (comparison.ours, comparison.theirs)]
    return [f"{counted(decided, 'deal')} decided by both, {decided - len(wrong)} alike"
            + (f"; DIFFERENT: {' '.join(wrong)}" if wrong else ""),
            f"left open: {open_counts[0]} by canfield-solve, {open_counts[1]} by Solvitaire",
            f"CPU time: Solvitaire takes {comparison.cpu_ratio:,.1f} times as much, all deals counted"]
