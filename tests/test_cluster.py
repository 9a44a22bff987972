"""Batches on a Dask cluster: a real scheduler and real workers on loopback, of which one dies and one joins."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from smallruns import OPTIONS, ORDER, RULES, command, contents, finish, stored

from solver import cluster
from solver.batch import Budget, Order, Watch, folder_name, run_order, solve_on_threads
from solver.cards import BadInput
from solver.cluster import cluster_at
from solver.store import Store

HERE = Path(__file__).parent
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def start(module, *words):
    """A process of the cluster."""
    paths = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *words], **QUIET,
                            env={**os.environ, "PYTHONPATH": paths})


def start_worker(address):
    return start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")


def end(process):
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler."""
    file = tmp_path_factory.mktemp("cluster") / "scheduler.json"
    process = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    try:
        deadline = time.monotonic() + 60
        while not file.exists() or not file.read_text().strip():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"]
    finally:
        end(process)


class OnChunk(Watch):
    """Does something once after so many deals."""

    def __init__(self, deals, act):
        self.left, self.act = deals, act

    def solved(self, index, verdict):
        self.left -= 1
        if self.left == 0:
            self.act()


def test_a_cluster_that_loses_a_worker_in_mid_run_stores_what_a_local_run_stores(scheduler, tmp_path):
    order = Order(0, 400, Budget(200, 16), 20, second=Budget(20_000, 16), sample=8)
    workers = [start_worker(scheduler), start_worker(scheduler)]
    try:
        def replace_one():
            workers[0].send_signal(signal.SIGKILL)
            workers.append(start_worker(scheduler))

        with cluster_at(scheduler) as runner:
            run_order(order, [RULES], tmp_path / "cluster", runner, OnChunk(60, replace_one))
        assert workers[0].wait() == -signal.SIGKILL
    finally:
        for worker in workers:
            end(worker)
    run_order(order, [RULES], tmp_path / "local", solve_on_threads(2), Watch())
    files = [set(contents(tmp_path / name)) for name in ("cluster", "local")]
    assert files[0] == files[1]
    for place in ("", "second-20000"):
        found = [Store.open(tmp_path / name / folder_name(RULES) / place).read() for name in ("cluster", "local")]
        assert found[0].same_but_for_time(found[1])
    assert len(stored(tmp_path / "cluster")) == 400


@pytest.mark.slow
def test_the_command_runs_on_a_cluster_and_tells_a_lost_scheduler_in_one_line(tmp_path):
    file = tmp_path / "scheduler.json"
    process = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    worker = None
    try:
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        worker = start_worker(address)
        odds = command("--deals", 20_000, "--nodes", 200, "--memory", 16, "--chunk", 50, *OPTIONS, "--out",
                       tmp_path / "runs", "--scheduler", address)
        deadline = time.monotonic() + 100
        while not list((tmp_path / "runs").glob("*/*.parquet")):
            assert odds.poll() is None and time.monotonic() < deadline, odds.communicate()
            time.sleep(0.05)
        end(process)
        status, _, errors = finish(odds)
        lines = [line for line in errors.splitlines() if "waiting for them" not in line]
        assert status == 2 and len(lines) == 1
        assert lines[0].startswith(f"canfield-solve: lost the Dask scheduler at {address}")
        assert 0 < len(stored(tmp_path / "runs")) < 20_000
    finally:
        end(process)
        if worker:
            end(worker)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tcp://no.such.host.invalid:8786", "nonsense", "udp://x:1",
                                     ""])
def test_an_unreachable_scheduler_is_one_line(monkeypatch, address):
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(BadInput) as caught, cluster_at(address):
        pass
    assert "\n" not in str(caught.value) and f"no Dask scheduler at {address}" in str(caught.value)


def test_a_worker_with_another_search_is_refused(monkeypatch):
    chunk = cluster.Chunk(0, RULES, ORDER.budget, (1, 2))
    result = cluster.solve_chunk(chunk)
    assert cluster._checked(result, RULES).seed.tolist() == [1, 2]
    with pytest.raises(BadInput, match="another version"):
        cluster._checked(("0" * 16, result[1]), RULES)


