"""Stored results: whole files or none, nothing mixed, damage named, readable by anything that reads Parquet."""

import errno
import json
import os

import numpy as np
import pandas
import pytest

from solver.cards import BadInput
from solver.outcomes import NO_SOLUTION, Row, gather, join
from solver.rulesets import rules
from solver.store import FORMAT, Store, find_stores, mark_results, write_whole

WANTED = {"format": FORMAT, "phase": 1, "rules": rules("solvitaire").as_dict(), "generator": "g", "nodes": 1000,
          "memory": 64, "signature": "abc"}
RUN = {"version": "1", "commit": None, "machine": {}}


def some_rows(first, number):
    """Made-up rows of every verdict."""
    return gather(Row(seed, seed % 13, seed % 3, 10 * (seed % 1000), NO_SOLUTION if seed % 3 else 50 + seed % 1000, 7)
                  for seed in range(first, first + number))


@pytest.fixture
def store(tmp_path):
    mark_results(tmp_path / "runs")
    return Store.prepare(tmp_path / "runs" / "solvitaire", WANTED, RUN)


def only_file(store):
    (path,) = store.folder.glob("*.parquet")
    return path


def refused(function, *arguments):
    """The message of the refusal, which has to be one line."""
    with pytest.raises(BadInput) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_written_is_read_back(store):
    chunks = [some_rows(20, 10), some_rows(0, 20), some_rows(2 ** 64 - 5, 5)]
    for chunk in chunks:
        store.write(chunk)
    found = Store.open(store.folder).read()
    assert np.array_equal(found.seed, join(chunks).seed) and found.seed[-1] == 2 ** 64 - 1
    assert found.same_but_for_time(join(chunks)) and np.array_equal(found.microseconds, join(chunks).microseconds)
    assert found.seed.dtype == np.uint64 and found.verdict.dtype == np.int8


def test_an_empty_store_has_no_rows(store):
    assert len(store.read()) == 0


def test_pandas_reads_the_folder_without_our_help(store):
    store.write(some_rows(0, 30))
    frame = pandas.concat(map(pandas.read_parquet, store.folder.glob("*.parquet")))
    assert list(frame.columns) == ["seed", "base", "verdict", "nodes", "solution_length", "microseconds"]
    assert (frame.verdict == "winnable").sum() == 10 == frame.solution_length.notna().sum()
    assert frame.seed.dtype == np.uint64


def test_the_manifest_names_everything(store):
    manifest = json.loads((store.folder / "manifest.json").read_text())
    assert {**WANTED, "runs": [RUN]} == manifest


def test_other_machines_are_noted_and_the_same_one_only_once(store):
    Store.prepare(store.folder, WANTED, RUN)
    Store.prepare(store.folder, WANTED, {**RUN, "commit": "1234"})
    assert Store.open(store.folder).manifest["runs"] == [RUN, {**RUN, "commit": "1234"}]


@pytest.mark.parametrize(("field", "value"), [("nodes", 2000), ("memory", 65), ("signature", "abd"),
                                              ("generator", "h"), ("phase", 2)])
def test_results_that_do_not_fit_are_refused(store, field, value):
    message = refused(Store.prepare, store.folder, {**WANTED, field: value}, RUN)
    assert str(store.folder) in message and field in message and str(value) in message


@pytest.mark.parametrize(("field", "value"), [("draw", 1), ("passes", 3), ("cover_base", True), ("name", "canfield")])
def test_other_rules_are_refused(store, field, value):
    message = refused(Store.prepare, store.folder, {**WANTED, "rules": {**WANTED["rules"], field: value}}, RUN)
    assert field in message and repr(value) in message


def test_another_format_is_refused(store):
    path = store.folder / "manifest.json"
    path.write_text(path.read_text().replace(FORMAT, "canfield-solve odds 99"))
    assert "odds 99" in refused(Store.open, store.folder)
    assert "odds 99" in refused(Store.prepare, store.folder, WANTED, RUN)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "%s"}' % FORMAT, "\xff"])
def test_a_damaged_manifest_is_named(store, content):
    (store.folder / "manifest.json").write_text(content, encoding="latin-1")
    assert "manifest.json" in refused(find_stores, store.folder) or "format" in refused(find_stores, store.folder)


def test_rules_that_lack_a_field_are_damage(store):
    content = {**store.manifest, "rules": {"name": "solvitaire", "draw": 3}}
    (store.folder / "manifest.json").write_text(json.dumps(content))
    assert "every field" in refused(Store.open, store.folder)


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    assert "not a folder of odds results" in refused(mark_results, tmp_path)
    assert "not a folder of odds results" in refused(find_stores, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]
    assert "no such folder" in refused(find_stores, tmp_path / "nowhere")
    assert "Not a directory" in refused(mark_results, tmp_path / "holiday.jpg" / "runs")


def test_a_store_goes_into_no_folder_of_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    assert "manifest.json" in refused(Store.prepare, tmp_path, WANTED, RUN)


def test_an_empty_folder_of_results_says_so(tmp_path):
    mark_results(tmp_path)
    assert "no results" in refused(find_stores, tmp_path)


@pytest.mark.parametrize("damage", [
    lambda content: b"",
    lambda content: content[:len(content) // 2],
    lambda content: b"PAR1" + bytes(100) + b"PAR1",
    lambda content: content[:40] + bytes([content[40] ^ 255]) + content[41:],
    lambda content: b"this was a file once" * 30,
], ids=["empty", "cut", "hollow", "one byte", "text"])
def test_a_damaged_file_is_named(store, damage):
    store.write(some_rows(0, 50))
    path = only_file(store)
    path.write_bytes(damage(path.read_bytes()))
    message = refused(store.read)
    assert message.startswith(f"{path}: damaged")


def test_a_parquet_file_of_something_else_is_named(store):
    path = store.folder / "seeds-000000000000-000000000001.parquet"
    pandas.DataFrame({"seed": [0, 1], "verdict": ["winnable", "winnable"]}).to_parquet(path)
    assert refused(store.read).startswith(f"{path}: damaged")


def test_an_unknown_verdict_is_damage(store):
    store.write(some_rows(0, 3))
    path = only_file(store)
    frame = pandas.read_parquet(path)
    frame["verdict"] = ["winnable", "perhaps", "undecided"]
    frame.to_parquet(path)
    assert "unknown verdict" in refused(store.read)


def test_a_renamed_file_is_damage(store):
    store.write(some_rows(0, 3))
    only_file(store).rename(store.folder / "seeds-000000000000-000000000009.parquet")
    assert "not those of its name" in refused(store.read)


def test_a_deal_that_is_stored_twice_is_refused(store):
    store.write(some_rows(0, 10))
    store.write(some_rows(5, 10))
    assert "deal 5 is stored twice" in refused(store.read)


def test_a_full_disk_leaves_nothing_half_written(store, monkeypatch):
    store.write(some_rows(0, 10))
    before = sorted(os.listdir(store.folder))

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    message = refused(store.write, some_rows(10, 10))
    assert "No space left on device" in message and "000000000019" in message
    assert sorted(os.listdir(store.folder)) == before
    monkeypatch.undo()
    assert len(store.read()) == 10


def test_an_interrupted_write_leaves_nothing(tmp_path):
    def interrupted(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "list.txt", interrupted)
    assert os.listdir(tmp_path) == []


def test_a_failed_rewrite_keeps_the_old_file(tmp_path):
    path = tmp_path / "list.txt"
    write_whole(path, lambda file: file.write(b"old"))
    with pytest.raises(ZeroDivisionError):
        write_whole(path, lambda file: file.write(b"new" * (1 // 0)))
    assert path.read_bytes() == b"old"


def test_two_runs_in_one_folder_are_refused(store):
    with store.reserved(), pytest.raises(BadInput, match="another run"), Store.open(store.folder).reserved():
        pass
    with store.reserved():
        pass


def test_what_a_killed_run_left_is_cleared_away(store):
    (store.folder / ".seeds-0-1.parquet.77.partial").write_bytes(b"half")
    assert len(store.read()) == 0
    with store.reserved():
        assert sorted(os.listdir(store.folder)) == ["manifest.json"]
