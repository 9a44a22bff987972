"""A batch on a Dask cluster: the same chunks as on one machine, solved by whatever workers there are at the time.

Workers may join and die during a run. The chunks of a dead worker are solved by others; what was finished is stored
by the process that asked for it, so nothing but Python and this package is needed on the workers.
"""

import gc
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from solver.batch import Chunk, OnRow, Runner, signature, solve_seed
from solver.cards import BadInput
from solver.extras import load
from solver.outcomes import Outcomes, gather
from solver.rulesets import Rules

SECONDS_TO_CONNECT = 10
CHUNKS_A_THREAD = 2
"""Chunks that are sent ahead for each thread of a worker, so that it need not wait for the next."""

GOES_ON = "the same command goes on from what is stored"
DEATHS = 10
"""A chunk whose workers died so often is given up: most likely it is what kills them."""


@contextmanager
def cluster_at(address: str) -> Iterator[Runner]:
    """A runner for the cluster of the scheduler at ``address``. Raises BadInput where there is none."""
    distributed = load("distributed")
    _silence_library()
    client, reason = None, ""
    try:
        client = distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    if client is None:
        gc.collect()  # now, for the half-made client deadlocks when it is collected while another one starts
        raise BadInput(f"no Dask scheduler at {address} ({reason:.80})")
    if not client.nthreads():
        print(f"the scheduler at {address} has no workers yet; waiting for them", file=sys.stderr)
    try:
        yield lambda chunks, on_row: _run(client, address, chunks, on_row)
    finally:
        client.close(timeout=SECONDS_TO_CONNECT)


def _silence_library() -> None:
    """Lost connections are told in one line of ours, not in the tracebacks of the library's loggers."""
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def solve_chunk(chunk: Chunk) -> tuple[str, Outcomes]:
    """What a worker does: the signature of its search (see ``batch.signature``), and the rows of the chunk."""
    rows = [solve_seed(seed, chunk.rules, chunk.budget) for seed in chunk.seeds]
    return signature(chunk.rules), gather(rows)


def _run(client: object, address: str, chunks: Iterable[Chunk], on_row: OnRow) -> Iterator[tuple[Chunk, Outcomes]]:
    """Keep the workers supplied with chunks and yield each that is done. Raises BadInput when the cluster fails."""
    distributed = load("distributed")
    waiting, pending = iter(chunks), {}
    deaths: Counter[tuple[int, int]] = Counter()
    arrivals = distributed.as_completed(loop=client.loop)

    def submit(chunk: Chunk) -> None:
        future = client.submit(solve_chunk, chunk, pure=False)
        pending[future.key] = chunk, future
        arrivals.add(future)

    try:
        _supply(client, waiting, pending, submit)
        while pending:
            future = next(arrivals)
            chunk, _ = pending[future.key]
            if future.status == "cancelled":
                raise BadInput(f"lost the Dask scheduler at {address}; {GOES_ON}")
            if future.status == "error":
                del pending[future.key]
                _raise_unless_killed(future.exception(), distributed)
                _count_death(deaths, chunk)
                submit(chunk)
            else:
                result = _fetch(future)
                if result is None:
                    arrivals.add(future)
                    continue
                del pending[future.key]
                outcomes = _checked(result, chunk.rules)
                for verdict in outcomes.verdict.tolist():
                    on_row(chunk.index, verdict)
                yield chunk, outcomes
            _supply(client, waiting, pending, submit)
    except (OSError, distributed.CancelledError) as error:
        raise BadInput(f"lost the Dask scheduler at {address} ({type(error).__name__}); {GOES_ON}") from None
    finally:
        client.cancel([future for _, future in pending.values()])


def _fetch(future: object) -> tuple[str, Outcomes] | None:
    """What a worker has found; None when it died with its result, which the scheduler then has made again."""
    if future.status != "finished":
        return None
    try:
        return future.result(timeout=SECONDS_TO_CONNECT)
    except TimeoutError:
        return None


def _count_death(deaths: Counter[tuple[int, int]], chunk: Chunk) -> None:
    """Raise BadInput when too many workers have died on a chunk."""
    deaths[chunk.index, chunk.seeds[0]] += 1
    if deaths[chunk.index, chunk.seeds[0]] == DEATHS:
        raise BadInput(f"workers keep dying on deals {chunk.seeds[0]} to {chunk.seeds[-1]}: too little memory for "
                       "--memory there?")


def _supply(client: object, waiting: Iterator[Chunk], pending: dict, submit: object) -> None:
    """Submit chunks until every thread of every worker that is there now has some ahead."""
    threads = sum(client.nthreads().values())
    wanted = CHUNKS_A_THREAD * max(1, threads) - len(pending)
    for chunk in islice(waiting, max(0, wanted)):
        submit(chunk)


def _checked(result: tuple[str, Outcomes], rules: Rules) -> Outcomes:
    """The rows of a worker, unless its search is another version than the one here."""
    its_signature, outcomes = result
    if its_signature != signature(rules):
        raise BadInput("a worker runs another version of the search; install the same version everywhere")
    return outcomes


def _raise_unless_killed(error: BaseException, distributed: object) -> None:
    """Let workers die; anything else that went wrong on one ends the run."""
    if isinstance(error, distributed.scheduler.KilledWorker):
        return
    if isinstance(error, ModuleNotFoundError):
        raise BadInput(f"a worker lacks {error.name}; install canfield-solve on all workers") from None
    raise error
