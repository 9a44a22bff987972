"""The measurements: figures, known verdicts, the signature on record, and the peer adapter on a program faking it."""

import json
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from numba import config

from bench import signature
from bench.__main__ import HUNDRED, main, parse_range
from bench.measure import Run, Timed, deals_of_file, known_verdicts, measure, seeded_deals
from bench.peer import Comparison, ask_peer, peer_summary, read_answer
from solver.cards import BadInput
from solver.rulesets import VARIANTS, rules
from solver.solving import solve
from solver.sources import deal


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), standalone_mode=False)


def figures(*timed: tuple[str, int, float]) -> Run:
    return Run(rules(), [Timed(str(number), *entry) for number, entry in enumerate(timed, 1)], 1.5)


# Figures.


def test_figures_of_a_run() -> None:
    run = figures(("winnable", 100, 0.5), ("unwinnable", 50, 0.25), ("undecided", 1000, 2.25), ("winnable", 0, 0.0))
    found = run.as_dict()
    assert (found["winnable"], found["unwinnable"], found["undecided"], found["deals"]) == (2, 1, 1, 4)
    assert (found["nodes"], found["nodes_per_second"]) == (1150, round(1150 / 3))
    assert (found["mean_seconds"], found["median_seconds"], found["worst_seconds"]) == (0.75, 0.375, 2.25)
    assert found["wall_seconds"] == 1.5 and found["rules"] == rules().as_dict()
    assert found["each"][2] == {"deal": "3", "verdict": "undecided", "nodes": 1000, "seconds": 2.25}


@pytest.mark.parametrize("jobs", [1, 2])
def test_measured_verdicts_are_those_of_the_solver(jobs: int) -> None:
    rule_set, ticks = rules("second-life"), []
    deals = seeded_deals(3, 8, rule_set)
    run = measure(deals, rule_set, nodes=500, memory=32, jobs=jobs, replayed=True, tick=lambda: ticks.append(1))
    assert [timed.name for timed in run.timed] == ["3", "4", "5", "6", "7", "8"]
    for timed in run.timed:
        result = solve(deal(int(timed.name), rule_set), rule_set, nodes=500, memory=32)
        assert (timed.verdict, timed.nodes, timed.objection) == (result.verdict, result.nodes, None)
        assert timed.seconds >= 0
    assert len(ticks) == 6 and run.objections == []


def test_a_contradiction_is_told() -> None:
    rule_set = rules("solvitaire")
    deals = deals_of_file(HUNDRED, rule_set)[:3]
    known = known_verdicts(HUNDRED, "solvitaire")
    assert known["4"] == "unwinnable" and known["1"] == "winnable"
    assert measure(deals, rule_set, 20_000, 64, known=known).objections == []
    false = {"1": "unwinnable", "2": known["2"]}
    assert measure(deals, rule_set, 20_000, 64, known=false).objections == [
        "solvitaire, deal 1: winnable, known to be unwinnable"]


def test_known_verdicts_are_those_beside_the_deals(tmp_path: Path) -> None:
    assert set(known_verdicts(HUNDRED, "second-life").values()) == {"winnable", "unwinnable"}
    assert known_verdicts(HUNDRED, "rainbow") == {}
    assert known_verdicts(tmp_path / "deals.txt", "canfield") == {}
    assert known_verdicts(tmp_path / "other.txt", "canfield") == {}


# The command line.


def test_a_table_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    result = call("--variant", "canfield", "--variant", "solvitaire", "--seeds", "1-4", "--nodes", 300, "--json", file)
    assert result.exception is None and result.return_value == 0, result.output
    lines = result.stdout.splitlines()  # the start may say on standard error that it compiles
    assert lines[0].startswith("canfield-solve ") and "commit" in lines[0]
    assert "seeds 1-4, 300 nodes and 512 MB a deal, 1 thread" in result.output
    record = json.loads(file.read_text())
    assert record["settings"]["nodes"] == 300 and {"version", "commit", "machine"} <= set(record)
    assert [run["variant"] for run in record["runs"]] == ["canfield", "solvitaire"]
    for run in record["runs"]:
        rows = [line.split() for line in lines if line.strip().startswith(run["variant"] + " ")]
        assert [int(cell.replace(",", "")) for cell in rows[0][1:5]] == [
            run["deals"], run["winnable"], run["unwinnable"], run["undecided"]]
        assert rows[0][-1] == "0"


def test_the_hundred_deals_are_the_default() -> None:
    result = call("--variant", "solvitaire-strict", "--nodes", 20)
    assert "deals-100.txt, 20 nodes" in result.output and " 100 " in result.output


@pytest.mark.parametrize("arguments, message", [
    (["--seeds", "5-4"], "a range of deals is A-B with A not above B, not '5-4'"),
    (["--seeds", "x"], "a range of deals is A-B with A not above B, not 'x'"),
    (["--variant", "klondike"], "unknown variant 'klondike'"),
    (["--deals", "/no/such/file"], "/no/such/file: No such file or directory"),
    (["--deals", "x", "--seeds", "1-2"], "--deals and --seeds exclude each other"),
    (["peer", "--solver", "/no/such/program", "--deals", "1"], "/no/such/program: No such file or directory"),
])
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert isinstance(result.exception, BadInput)
    assert str(result.exception).startswith(message) and "\n" not in str(result.exception)


def test_ranges() -> None:
    assert parse_range("3-17") == (3, 17) and parse_range("5") == (5, 5)


# The signature.


@pytest.mark.skipif(config.DISABLE_JIT, reason="hundreds of thousands of nodes")
def test_the_signature_is_the_one_on_record() -> None:
    """A change of the search shows here: if it is meant, ``python -m bench signature --write``."""
    assert signature.changes(signature.signature(), signature.pinned()) == []
    assert signature.pinned()["nodes"] == sum(signature.pinned()["variants"].values())
    assert set(signature.pinned()["variants"]) == set(VARIANTS)


def test_a_changed_signature_is_told_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "PINNED", tmp_path / "signature.json")
    monkeypatch.setattr(signature, "SEEDS", range(1, 3))
    monkeypatch.setattr(signature, "VARIANTS", {"canfield": rules()})
    assert "not on record" in call("signature").output
    assert not signature.PINNED.exists()
    call("signature", "--write")
    assert call("signature").output.endswith("nodes, as on record\n")
    monkeypatch.setattr(signature, "NODES", 3)
    result = call("signature")
    assert "canfield: " in result.output and " on record" in result.output and "as on record" not in result.output


# The peer.


FAKE = """#!{python}
import sys
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
number = int(sys.argv[sys.argv.index("--random") + 1])
assert sys.argv[1:3] == ["--type", "{game_type}"] and "--classify" in sys.argv and sys.argv[-2:] == ["--timeout", "500"]
print("Deal", number)
print(number, {verdicts}[number], 12, 3456, 7, sep=", ")
"""


def fake_solver(path: Path, verdicts: dict[int, str], game_type: str = "canfield") -> str:
    """A program that prints answers as Solvitaire does."""
    program = path / "solvitaire"
    program.write_text(FAKE.format(python=sys.executable, verdicts=verdicts, game_type=game_type))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_side_by_side_with_a_peer(tmp_path: Path) -> None:
    """Deals 1 to 4 of the hundred are winnable but the last; the peer leaves the third open."""
    solver = fake_solver(tmp_path, {1: "solved", 2: "solved", 3: "timed-out", 4: "unsolvable"})
    result = call("peer", "--solver", solver, "--deals", "1-4", "--timeout", 500)
    assert "4 deals decided" not in result.output
    assert "3 deals decided by both, 3 alike" in result.output
    assert "left open: 0 by canfield-solve, 1 by Solvitaire" in result.output
    assert "CPU time: Solvitaire takes " in result.output


def test_a_peer_that_disagrees_is_told(tmp_path: Path) -> None:
    solver = fake_solver(tmp_path, {1: "solved", 2: "unsolvable"}, "canfield-strict")
    result = call("peer", "--solver", solver, "--variant", "solvitaire-strict", "--deals", "2", "--timeout", 500)
    assert "1 deal decided by both, 0 alike; DIFFERENT: 2" in result.output


def test_a_peers_answer_and_time(tmp_path: Path) -> None:
    timed = ask_peer(fake_solver(tmp_path, {7: "unsolvable"}), "canfield", 7, 500)
    assert (timed.name, timed.verdict, timed.nodes) == ("7", "unwinnable", 3456)
    assert 0 < timed.seconds < 5


@pytest.mark.parametrize("output", [
    "", "7", "8, solved, 1, 2", "7, perhaps, 1, 2", "7, solved, 1, many", "error: no type",
])
def test_answers_that_cannot_be_read(output: str) -> None:
    with pytest.raises(BadInput, match="^cannot read Solvitaire's answer for deal 7: "):
        read_answer(output, 7)


def test_comparison() -> None:
    ours = [Timed("1", "winnable", 1, 0.1), Timed("2", "undecided", 1, 0.3), Timed("3", "unwinnable", 1, 0.1)]
    theirs = [Timed("1", "unwinnable", 1, 1.0), Timed("2", "winnable", 1, 1.0), Timed("3", "unwinnable", 1, 3.0)]
    comparison = Comparison(ours, theirs)
    assert comparison.disagreements == ["1"] and round(comparison.cpu_ratio, 6) == 10
    assert peer_summary(comparison)[0] == "2 deals decided by both, 1 alike; DIFFERENT: 1"
    assert peer_summary(comparison)[1] == "left open: 1 by canfield-solve, 0 by Solvitaire"
