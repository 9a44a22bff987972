"""Batches: the same rows whatever the threads do, resumed after any end, chunks that cover the order exactly."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from smallruns import OPTIONS, ORDER, OTHER, RULES, TWO_PHASES, command, finish, run, stored

from solver import batch
from solver.batch import (
    Budget,
    Chunk,
    Order,
    Watch,
    choose_sample,
    folder_name,
    missing_chunks,
    sample_chunks,
    sampling_order,
    signature,
    solve_on_threads,
    solve_seed,
    within,
)
from solver.cards import BadInput
from solver.outcomes import UNDECIDED, VERDICTS, gather, join
from solver.rulesets import rules
from solver.solving import solve
from solver.sources import deal
from solver.store import Store


def rows_of(seeds, verdict=UNDECIDED):
    return gather(batch.Row(seed, 0, verdict, 1, -1, 1) for seed in seeds)


def test_a_row_is_what_solve_says():
    for seed in range(30):
        row, result = solve_seed(seed, RULES, ORDER.budget), solve(deal(seed, RULES), RULES, *ORDER.budget)
        assert (VERDICTS[row.verdict], row.nodes) == (result.verdict, result.nodes)
        assert row.solution_length == (len(result.solution) if result.solution is not None else -1)
        assert row.base == deal(seed, RULES).base and row.microseconds > 0


def test_rows_are_the_same_on_any_number_of_threads(tmp_path):
    outcomes = []
    for jobs in (1, 2, 5):
        run(tmp_path / str(jobs), jobs=jobs)
        outcomes.append(stored(tmp_path / str(jobs)))
    assert outcomes[0].same_but_for_time(outcomes[1]) and outcomes[0].same_but_for_time(outcomes[2])
    assert outcomes[0].seed.tolist() == list(range(ORDER.deals))
    assert all(outcomes[0].counts()), "every verdict should occur, or this tests little"


def test_a_run_that_is_complete_solves_nothing(tmp_path, monkeypatch):
    run(tmp_path, TWO_PHASES)
    monkeypatch.setattr(batch, "solve_seed", None)
    run(tmp_path, TWO_PHASES)


def test_more_deals_later_are_the_same_as_all_at_once(tmp_path):
    run(tmp_path / "a", ORDER._replace(first_seed=30, deals=25))
    run(tmp_path / "a", ORDER._replace(first_seed=90, deals=7, chunk=3))
    run(tmp_path / "a")
    run(tmp_path / "b")
    assert stored(tmp_path / "a").same_but_for_time(stored(tmp_path / "b"))


class Break(Watch):
    """Stops a run after so many deals."""

    def __init__(self, deals):
        self.left = deals
        self.lock = threading.Lock()

    def solved(self, index, verdict):
        with self.lock:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize("order", [ORDER, TWO_PHASES])
@pytest.mark.parametrize("deals", [3, 70, 123])
def test_a_run_stopped_and_resumed_ends_in_the_same_rows(tmp_path, order, deals):
    if deals < order.deals or order.second:
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "a", order, watch=Break(deals))
    run(tmp_path / "a", order)
    run(tmp_path / "b", order)
    assert stored(tmp_path / "a").same_but_for_time(stored(tmp_path / "b"))
    if order.second:
        second = [Store.open(tmp_path / name / folder_name(RULES) / "second-20000").read() for name in "ab"]
        assert second[0].same_but_for_time(second[1]) and len(second[0]) == order.sample


def test_an_error_in_a_thread_ends_the_run_and_keeps_what_was_finished(tmp_path, monkeypatch):
    def fails_late(seed, rules, budget):
        if seed == 100:
            raise MemoryError
        return solve_seed(seed, rules, budget)

    signature(RULES)
    monkeypatch.setattr(batch, "solve_seed", fails_late)
    with pytest.raises(MemoryError):
        run(tmp_path, jobs=1)
    assert stored(tmp_path).seed.tolist() == list(range(100))


def test_a_full_disk_ends_the_run_and_keeps_what_was_finished(tmp_path, monkeypatch):
    written = []

    def write(self, outcomes):
        if len(written) == 2:
            raise BadInput("No space left on device")
        written.append(outcomes)
        return original(self, outcomes)

    original = Store.write
    monkeypatch.setattr(Store, "write", write)
    with pytest.raises(BadInput, match="No space"):
        run(tmp_path, jobs=1)
    assert stored(tmp_path).same_but_for_time(join(written))


def test_at_most_so_many_searches_run_at_once(monkeypatch):
    """Memory is bounded by jobs x limit: a search holds its memory while it runs, and no more run than jobs."""
    running, most, lock = [], [], threading.Lock()

    def watched(seed, rules, budget):
        with lock:
            running.append(seed)
            most.append(len(running))
        time.sleep(0.002)
        with lock:
            running.remove(seed)
        return batch.Row(seed, 0, 0, 1, 1, 1)

    monkeypatch.setattr(batch, "solve_seed", watched)
    chunks = [Chunk(0, RULES, ORDER.budget, tuple(range(start, start + 5))) for start in range(0, 60, 5)]
    done = list(solve_on_threads(3)(chunks, lambda index, verdict: None))
    assert max(most) == 3
    assert sorted(seed for _, outcomes in done for seed in outcomes.seed) == list(range(60))


def test_missing_chunks_cover_what_is_not_stored_once():
    stored_seeds = rows_of([*range(7, 12), 15, *range(20, 30), 99])
    order = Order(3, 40, Budget(1, 1), 10)
    chunks = list(missing_chunks(order, stored_seeds))
    covered = [seed for chunk in chunks for seed in chunk]
    assert covered == [seed for seed in range(3, 43) if seed not in set(stored_seeds.seed.tolist())]
    assert all(chunk[0] // 10 == chunk[-1] // 10 for chunk in chunks)
    assert list(missing_chunks(order, rows_of(range(50)))) == []


def test_the_last_deals_there_are():
    order = Order(2 ** 64 - 5, 5, Budget(1, 1), 3)
    assert [seed for chunk in missing_chunks(order, join([])) for seed in chunk] == list(range(2 ** 64 - 5, 2 ** 64))
    assert list(missing_chunks(order, rows_of(range(2 ** 64 - 5, 2 ** 64)))) == []
    assert len(within(rows_of(range(2 ** 64 - 9, 2 ** 64)), order)) == 5


def test_deals_beyond_the_last_are_refused(tmp_path):
    with pytest.raises(BadInput, match="beyond the last"):
        run(tmp_path, Order(2 ** 64 - 5, 6, Budget(1, 1), 3))
    assert list(tmp_path.iterdir()) == []


def test_samples_of_any_size_begin_alike_and_look_random():
    order = sampling_order(range(10_000))
    assert sorted(order) == list(range(10_000)) and order != sorted(order)
    assert sampling_order(range(5000)) == [seed for seed in order if seed < 5000]
    means = [np.mean(order[start:start + 100]) for start in range(0, 10_000, 100)]
    expected = 10_000 / np.sqrt(12 * 100)
    assert abs(np.mean(means) - 4999.5) < 1 and 0.8 < np.std(means) / expected < 1.2


def test_the_sample_is_of_the_undecided_alone():
    first = join([rows_of(range(0, 100, 2)), rows_of(range(1, 100, 2), verdict=0)])
    sample = choose_sample(first, 20)
    assert len(set(sample)) == 20 and all(seed % 2 == 0 for seed in sample)
    assert len(choose_sample(first, None)) == 50
    chunks = list(sample_chunks(sample, rows_of(sample[3:9])))
    assert sorted(seed for chunk in chunks for seed in chunk) == sorted(set(sample) - set(sample[3:9]))
    assert all(list(chunk) == sorted(chunk) for chunk in chunks)


def test_signatures_tell_searches_apart(monkeypatch):
    from solver import solving

    assert signature.__wrapped__(RULES) == signature(RULES) != signature(OTHER)
    monkeypatch.setattr(solving, "solve", lambda *given, **options: solve(*given, prunings=0, **options))
    assert signature.__wrapped__(RULES) != signature(RULES)


def test_folders_are_named_by_the_rules():
    assert folder_name(rules("solvitaire")) == "solvitaire"
    assert folder_name(rules("canfield", draw=1, passes=2)) == "canfield_draw-1_passes-2"
    assert folder_name(rules("canfield-draw1", passes=None)) == "canfield-draw1_passes-unlimited"


# The program, killed and interrupted ----------------------------------------------------------------------------

LONG = ["--deals", 1000, "--nodes", 200, "--memory", 16, "--chunk", 10, *OPTIONS]


def wait_for_files(folder, number, process):
    """Wait until a run has stored so many chunks."""
    deadline = time.monotonic() + 100
    while len(list(folder.glob("*/*.parquet"))) < number:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_killed_in_the_middle_goes_on_and_ends_in_the_same_numbers(tmp_path):
    killed = command(*LONG, "--out", tmp_path / "a")
    wait_for_files(tmp_path / "a", 20, killed)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    left = len(stored(tmp_path / "a"))
    assert 200 <= left < 1000 and left % 10 == 0
    assert finish(command(*LONG, "--out", tmp_path / "a"))[0] == 0
    run(tmp_path / "b", Order(0, 1000, Budget(200, 16), 500))
    assert stored(tmp_path / "a").same_but_for_time(stored(tmp_path / "b"))
    assert not list(tmp_path.rglob(".*"))


def test_control_c_prints_what_is_stored(tmp_path):
    process = command(*LONG, "--out", tmp_path)
    wait_for_files(tmp_path, 3, process)
    process.send_signal(signal.SIGINT)
    status, output, errors = finish(process)
    assert status == 130
    deals = len(stored(tmp_path))
    assert 0 < deals < 1000 and f"{deals:,}" in output and "win rate" in output
    assert errors == "interrupted; what is stored by now:\n"


@pytest.mark.skipif(os.geteuid() != 0 or not Path("/bin/mount").exists(), reason="a small disk needs to be mounted")
def test_a_disk_that_fills_up(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(BadInput, match="No space left on device"):
            run(disk / "runs", Order(0, 1000, Budget(200, 16), 10))
        assert 0 < len(stored(disk / "runs")) < 1000
        assert not list(disk.rglob(".*"))
    finally:
        subprocess.run(["umount", disk], check=True)


# The time that something takes is no matter for CI, where other things run as well.
measurement = pytest.mark.skipif("CANFIELD_MEASURE" not in os.environ,
                                 reason="for a quiet machine: set CANFIELD_MEASURE=1")


@measurement
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="only Linux tells what threads wait for")
def test_two_threads_keep_two_cores_busy(tmp_path, monkeypatch):
    """Time that threads are blocked (Python's lock, ours), leaving out waits for a core.

    On a busy machine a thread that holds the lock may itself wait for a core, so only a quiet one tells.
    """
    if os.getloadavg()[0] > 0.5:
        pytest.skip("others are working on this machine")
    spans = []

    def measured(crew):
        began, (ran, waited) = time.perf_counter(), thread_times()
        work(crew)
        ran_now, waited_now = thread_times()
        spans.append((time.perf_counter() - began, ran_now - ran, waited_now - waited))

    work = batch._Crew.work
    monkeypatch.setattr(batch._Crew, "work", measured)
    order, game = Order(0, 400, Budget(100_000, 512), 100), rules("solvitaire")
    run(tmp_path / "warm", order._replace(deals=20), (game,))
    spans.clear()
    run(tmp_path / "run", order, (game,))
    wall, ran, waited = map(sum, zip(*spans, strict=True))
    assert 2 * ran / (wall - waited) >= 1.9


def thread_times():
    """Seconds that this thread ran, and waited for a core."""
    return [int(word) / 1e9 for word in Path("/proc/thread-self/schedstat").read_text().split()[:2]]


@measurement
@pytest.mark.slow
def test_the_loop_costs_at_most_five_percent_over_the_solves(tmp_path):
    """CPU time of the whole process against the sum of the solves, which is fair on a busy machine."""
    script = ("import sys, time; from pathlib import Path; from smallruns import run;"
              "from solver.rulesets import rules; from solver.batch import Order, Budget;"
              "from solver.store import Store;"
              "folder = Path(sys.argv[1]); game = rules('solvitaire'); order = Order(0, 1000, Budget(50_000, 64), 250);"
              "run(folder / 'warm', order._replace(deals=20), (game,)); began = time.process_time();"
              "run(folder / 'run', order, (game,)); spent = time.process_time() - began;"
              "solves = Store.open(folder / 'run' / 'solvitaire').read().microseconds.sum() / 1e6;"
              "print(spent / solves - 1)")
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": f"{Path(__file__).parent}:{Path(__file__).parent.parent}"})
    assert float(done.stdout) <= 0.05
