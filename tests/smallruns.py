"""Small batches for the tests: decks so small that a deal takes a millisecond, budgets so small that some stay open."""

import subprocess
import sys

from solver.batch import Budget, Order, Watch, folder_name, run_order, solve_on_threads
from solver.rulesets import rules
from solver.store import Store

SMALL = {"ranks": 6, "reserve": 8, "piles": 2}
RULES = rules("canfield", **SMALL)
OTHER = rules("second-life", **SMALL)
ORDER = Order(0, 120, Budget(100, 16), 20)
TWO_PHASES = ORDER._replace(second=Budget(20_000, 16), sample=10)
OPTIONS = [word for field, value in SMALL.items() for word in (f"--{field}", str(value))]
"""The rule sets above as options of the command line."""


def run(folder, order=ORDER, rule_sets=(RULES,), jobs=2, watch=None):
    """Run an order on threads."""
    run_order(order, rule_sets, folder, solve_on_threads(jobs), watch or Watch())


def stored(folder, rules=RULES):
    """What is stored of a rule set's first phase."""
    return Store.open(folder / folder_name(rules)).read()


def contents(folder):
    """The bytes of every file below a folder but for manifests, by their paths."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def command(*words, **settings):
    """A started ``canfield-solve odds`` with such words."""
    return subprocess.Popen([sys.executable, "-m", "solver", "odds", *map(str, words)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **settings)


def finish(process, seconds=120):
    """Exit status, standard output, standard error of a started command."""
    output, errors = process.communicate(timeout=seconds)
    return process.returncode, output, errors
