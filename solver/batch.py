"""Many seeded deals under one rule set or several: what is to be solved, solving it on all cores, storing it, resuming.

The work is cut into chunks of seeds. Threads take deals one by one, so that none is idle while another finishes a
chunk; the kernels run outside Python's global lock. A search needs up to the memory limit, so a run needs up to
jobs x limit. Whatever order deals finish in, the stored rows are the same but for their CPU times.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from solver.cards import BadInput
from solver.display import differences
from solver.outcomes import NO_SOLUTION, UNDECIDED, VERDICTS, Outcomes, Row, gather
from solver.provenance import provenance
from solver.rulesets import VARIANTS, Rules
from solver.shuffle import SEEDS, mix64
from solver.sources import deal
from solver.store import FORMAT, Store, mark_results

GENERATOR = "deal N of solver/shuffle.py (SplitMix64, Fisher-Yates), version 1"
SAMPLE_KEY = 0x5EC0_4D50_9BA5_E000
"""Tells the order in which undecided deals are sampled from the order of anything else made of their seeds."""

SAMPLE_CHUNK = 16
SIGNED_DEALS, SIGNED_NODES, SIGNED_MEMORY = 16, 3000, 64


class Budget(NamedTuple):
    """Limits of one search: positions, and MB."""

    nodes: int
    memory: int


class Chunk(NamedTuple):
    """Deals to be solved and stored together. index: whose they are, in the caller's numbering of its stores."""

    index: int
    rules: Rules
    budget: Budget
    seeds: tuple[int, ...]


OnRow = Callable[[int, int], None]
"""Told of each solved deal: the index of its chunk, the index of its verdict. May be called from any thread."""

Runner = Callable[[Iterable[Chunk], OnRow], Iterator[tuple[Chunk, Outcomes]]]
"""Solves chunks; yields each when it is done, in any order."""


class Order(NamedTuple):
    """What a run is to solve: seeds ``first_seed`` and on with ``budget``; then, where ``second`` is given, that many
    (``sample``, None for all) of the undecided ones with ``second``. chunk: seeds a file."""

    first_seed: int
    deals: int
    budget: Budget
    chunk: int
    second: Budget | None = None
    sample: int | None = None


def solve_seed(seed: int, rules: Rules, budget: Budget) -> Row:
    """Solve one deal. The time is that of this thread's CPU for the search alone, without dealing."""
    from solver.solving import solve

    position = deal(seed, rules)
    began = time.thread_time_ns()
    result = solve(position, rules, budget.nodes, budget.memory, want_solution=False, want_length=True)
    microseconds = (time.thread_time_ns() - began) // 1000
    length = NO_SOLUTION if result.length is None else result.length
    return Row(seed, position.base, VERDICTS.index(result.verdict), result.nodes, length, microseconds)


@lru_cache
def signature(rules: Rules) -> str:
    """What the search makes of some deals, in short: results of searches that differ in it are never mixed.

    Versions of the program with one signature count the same nodes; a change of the search changes it.
    """
    rows = [solve_seed(seed, rules, Budget(SIGNED_NODES, SIGNED_MEMORY))[:-1] for seed in range(SIGNED_DEALS)]
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


def solve_on_threads(jobs: int) -> Runner:
    """A runner that solves on so many threads of this process.

    Left early (Ctrl-C, an error), it stops the threads after the deals that they are at, without waiting for them.
    """

    def run(chunks: Iterable[Chunk], on_row: OnRow) -> Iterator[tuple[Chunk, Outcomes]]:
        crew = _Crew(chunks, on_row)
        threads = [threading.Thread(target=crew.work, daemon=True) for _ in range(jobs)]
        try:
            for thread in threads:
                thread.start()
            at_work = jobs
            while at_work:
                done = crew.finished.get()
                if done is None:
                    at_work -= 1
                elif isinstance(done, BaseException):
                    raise done
                else:
                    yield done
        finally:
            crew.stopped = True

    return run


class _Crew:
    """What the threads of a run share: the deals still to take, and the queue of finished chunks."""

    def __init__(self, chunks: Iterable[Chunk], on_row: OnRow) -> None:
        self.deals = ((chunk, seed, rows) for chunk, rows in ((chunk, []) for chunk in chunks) for seed in chunk.seeds)
        self.on_row = on_row
        self.lock = threading.Lock()
        self.finished: SimpleQueue = SimpleQueue()
        self.stopped = False

    def work(self) -> None:
        """One thread: solve deals until there are none left; ``None`` in the queue says that it has ended."""
        try:
            while not self.stopped:
                with self.lock:
                    taken = next(self.deals, None)
                if taken is None:
                    break
                chunk, seed, rows = taken
                row = solve_seed(seed, chunk.rules, chunk.budget)
                with self.lock:
                    rows.append(row)
                    is_finished = len(rows) == len(chunk.seeds)
                self.on_row(chunk.index, row.verdict)
                if is_finished:
                    self.finished.put((chunk, gather(rows)))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller's thread raises it
            self.finished.put(error)
        finally:
            self.finished.put(None)


def missing_chunks(order: Order, stored: Outcomes) -> Iterator[tuple[int, ...]]:
    """The seeds of the order that are not stored, in chunks; their borders lie at multiples of ``order.chunk``."""
    start, end = order.first_seed, order.first_seed + order.deals
    while start < end:
        stop = min(end, (start // order.chunk + 1) * order.chunk)
        low = np.searchsorted(stored.seed, np.uint64(start))
        high = np.searchsorted(stored.seed, np.uint64(stop - 1), side="right")
        present = set(stored.seed[low:high].tolist())
        if len(present) < stop - start:
            yield tuple(seed for seed in range(start, stop) if seed not in present)
        start = stop


def within(outcomes: Outcomes, order: Order) -> Outcomes:
    """The rows of the order's seeds."""
    last = np.uint64(order.first_seed + order.deals - 1)
    return outcomes.take((outcomes.seed >= np.uint64(order.first_seed)) & (outcomes.seed <= last))


def sampling_order(seeds: Iterable[int]) -> list[int]:
    """Seeds in the order in which they are sampled: random, but fixed for ever, and blind to all but the seed.

    The first m of it are a simple random sample without replacement, for every m. More deals or a larger m later on
    keep what was sampled before as far as it still belongs to the sample.
    """
    return sorted(seeds, key=lambda seed: mix64(seed ^ SAMPLE_KEY))


def choose_sample(first: Outcomes, size: int | None) -> list[int]:
    """So many (None: all) of the undecided deals, in the order of sampling."""
    return sampling_order(first.seed[first.verdict == UNDECIDED].tolist())[:size]


def sample_chunks(sample: Sequence[int], stored: Outcomes) -> Iterator[tuple[int, ...]]:
    """The deals of a sample that are not stored yet, in chunks, the first of the sample first."""
    present = set(stored.seed.tolist())
    wanted = [seed for seed in sample if seed not in present]
    for start in range(0, len(wanted), SAMPLE_CHUNK):
        yield tuple(sorted(wanted[start:start + SAMPLE_CHUNK]))


def folder_name(rules: Rules) -> str:
    """The name of a rule set's folder, such as ``canfield_draw-1_passes-2``."""
    standard = VARIANTS.get(rules.name)
    changes = "" if standard is None else differences(rules, standard)
    return "_".join([rules.name, *changes.split(", ")]).replace(" ", "-").rstrip("_")


class Watch:
    """Is told how a run goes on; this one does not care."""

    def begin(self, phase: int, index: int, rules: Rules, deals: int, stored: Outcomes) -> None:
        """A phase (1 or 2) of a rule set is about to be run: how many deals it has, and which of them are stored."""

    def solved(self, index: int, verdict: int) -> None:
        """A deal was solved (see OnRow)."""


def run_order(order: Order, rule_sets: Sequence[Rules], folder: Path, runner: Runner, watch: Watch) -> None:
    """Solve what is missing of an order for each rule set, and store it under ``folder``.

    Raises BadInput for a folder that holds something else, or a disk that is full; all that was finished is stored.
    """
    if order.first_seed + order.deals > SEEDS:
        last = order.first_seed + order.deals - 1
        raise BadInput(f"deals {order.first_seed} to {last} go beyond the last, {SEEDS - 1}")
    mark_results(folder)
    run = provenance()
    with ExitStack() as reserved:
        stores = [_prepare(folder / folder_name(rules), rules, 1, order.budget, run) for rules in rule_sets]
        seconds = [_prepare(second_folder(store.folder, order.second.nodes), store.rules, 2, order.second, run)
                   for store in stores] if order.second else []
        for store in [*stores, *seconds]:
            reserved.enter_context(store.reserved())
        _run(list(_first_chunks(order, stores, watch)), stores, runner, watch)
        if order.second:
            _run(list(_second_chunks(order, stores, seconds, watch)), seconds, runner, watch)


def _first_chunks(order: Order, stores: Sequence[Store], watch: Watch) -> Iterator[Chunk]:
    """The chunks of all deals that are not stored yet."""
    for index, store in enumerate(stores):
        stored = store.read()
        watch.begin(1, index, store.rules, order.deals, within(stored, order))
        for seeds in missing_chunks(order, stored):
            yield Chunk(index, store.rules, order.budget, seeds)


def _second_chunks(order: Order, stores: Sequence[Store], seconds: Sequence[Store], watch: Watch) -> Iterator[Chunk]:
    """The chunks of all samples of undecided deals that are not stored yet; the first phase has to be over."""
    for index, (store, second) in enumerate(zip(stores, seconds, strict=True)):
        sample, stored = choose_sample(within(store.read(), order), order.sample), second.read()
        in_sample = np.isin(stored.seed, np.array(sample, np.uint64))
        watch.begin(2, index, store.rules, len(sample), stored.take(in_sample))
        for seeds in sample_chunks(sample, stored):
            yield Chunk(index, store.rules, order.second, seeds)


def second_folder(folder: Path, nodes: int) -> Path:
    """Where a rule set's second phase with such a budget is stored."""
    return folder / f"second-{nodes}"


def _prepare(folder: Path, rules: Rules, phase: int, budget: Budget, run: dict) -> Store:
    wanted = {"format": FORMAT, "phase": phase, "rules": rules.as_dict(), "generator": GENERATOR,
              **budget._asdict(), "signature": signature(rules)}
    return Store.prepare(folder, wanted, run)


def _run(chunks: list[Chunk], stores: Sequence[Store], runner: Runner, watch: Watch) -> None:
    """Solve chunks and store each in the store of its index."""
    for chunk, outcomes in runner(chunks, watch.solved):
        stores[chunk.index].write(outcomes)
