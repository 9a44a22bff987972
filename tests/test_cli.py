"""The command line: what it prints, its exit statuses, and one clear line for everything that is wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from solver import deal, replay, rules
from solver.cli import main
from solver.formats import write_document, write_line
from solver.program import COMPILING
from solver.rulesets import FIELDS, VARIANTS
from solver.solution import solution_from_json

ROOT = Path(__file__).parent.parent
DEALS = (ROOT / "tests" / "data" / "deals-100.txt").read_text().splitlines()
SMALL = ("--ranks", "5", "--reserve", "7", "--piles", "2")


def run(*args: str, given: str | None = None) -> Result:
    """The program's exit status and output on ``args``; any exception but its exit is a failure of the test."""
    result = CliRunner().invoke(main, args, input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


def start(*args: str, **settings: object) -> subprocess.Popen:
    """The program as a process of its own, its output captured as text."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
             "cwd": ROOT, "env": {**os.environ, "PYTHONUTF8": "1"}}
    return subprocess.Popen([sys.executable, "-m", "solver", *args], **{**pipes, **settings})


def deal_line(number: int) -> str:
    """A line of the hundred deals."""
    return next(line for line in DEALS if line.startswith(f"{number}:"))


def complaints(stderr: str) -> str:
    """What stands on standard error besides the news that kernels are compiled, as on the first run of all."""
    return stderr.replace(f"{COMPILING}\n", "")


def without_times(text: str) -> str:
    """``text`` with every time in seconds masked."""
    return re.sub(r"\d+\.\d\d s\b", "T", text)


@pytest.fixture
def seeds_file(tmp_path: Path) -> str:
    """Twelve small deals, some of which can be won under SMALL and some not."""
    path = tmp_path / "seeds.txt"
    path.write_text("# small deals\n" + "".join(f"deal {seed}: {seed}\n" for seed in range(12)))
    return str(path)


# One deal


def test_a_winnable_deal_is_drawn_and_solved():
    result = run("--seed", "3")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and complaints(result.stderr) == ""
    assert lines[0] == "seed:3, base 2"
    assert any(line.startswith("rules                canfield: one deck, 4 piles, reserve 13") for line in lines)
    verdict = next(line for line in lines if line.startswith("winnable in "))
    last_move = int(lines[-1].split()[0])
    assert verdict.startswith(f"winnable in {last_move} moves (")
    assert "foundation" in lines[-1]
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert "\x1b" not in result.stdout


def test_a_drawing_shows_every_card_once():
    result = run("deal", "--seed", "3", "--format", "table")
    words = [word for word in result.stdout.partition("rules")[0].split() if word[-1] in "♣♦♠♥" and word[0] != "."]
    assert len(words) == len(set(words)) == 52


def test_an_unwinnable_deal_has_status_1():
    result = run("--deal", deal_line(13))
    assert result.exit_code == 1
    assert "\nunwinnable: every line of play ends without a win (" in result.stdout
    assert "move" not in result.stdout.rpartition("unwinnable")[2]


def test_a_budget_that_runs_out_has_status_3():
    result = run("--deal", deal_line(8), "--nodes", "2000")
    assert result.exit_code == 3
    assert "\nundecided within the budget (2,000 nodes, " in result.stdout


def test_json_holds_what_the_rule_page_asks_for_and_the_solution_replays():
    result = run("--seed", "3", "--variant", "second-life", "--draw", "2", "--passes", "4", "--json")
    record = json.loads(result.stdout)
    assert list(record) == ["deal", "variant", "rules", "verdict", "nodes", "seconds", "solution"]
    ruleset = rules("second-life", draw=2, passes=4)
    assert record["rules"] == ruleset.as_dict() and record["variant"] == "second-life"
    assert record["verdict"] == "winnable" and result.exit_code == 0
    assert record["nodes"] > 0 and record["seconds"] > 0
    assert record["deal"] == write_line(deal(3, ruleset), ruleset)
    assert replay(deal(record["deal"], ruleset), ruleset, solution_from_json(record["solution"])).won


def test_json_of_an_unwinnable_deal_has_a_null_solution():
    record = json.loads(run("--deal", deal_line(13), "--json").stdout)
    assert record["verdict"] == "unwinnable" and record["solution"] is None


def test_json_of_a_game_in_progress_holds_the_position():
    solved = json.loads(run("--seed", "3", "--json").stdout)
    ruleset = rules()
    position = deal(3, ruleset)
    from solver.game import apply
    moved = apply(position, ruleset, solution_from_json(solved["solution"])[0])
    document = write_document(moved, ruleset)
    record = json.loads(run("--deal", json.dumps(document), "--json").stdout)
    assert record["deal"] == document and record["verdict"] == "winnable"


@pytest.mark.parametrize("field", FIELDS)
def test_every_rule_field_is_an_option(field: str):
    changed = {"decks": 2, "ranks": 12, "piles": 5, "reserve": 11, "base": "7", "build": "any", "cover_base": False,
               "unit": "suffix", "fill": "free", "space": "any", "draw": 2, "passes": 4, "foundation_return": True}
    value = changed[field]
    written = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    drawn = run("deal", "--seed", "1", "--format", "table", f"--{field.replace('_', '-')}", written).stdout
    assert f"canfield with {field.replace('_', '-')} {written}:" in drawn


def test_unlimited_passes_can_be_asked_for():
    record = json.loads(run("--seed", "1", "--variant", "casino", "--passes", "unlimited", "--json").stdout)
    assert record["rules"]["passes"] is None and record["variant"] == "casino"


# Where deals come from


def test_a_deal_may_come_from_a_file_from_standard_input_or_from_the_argument(tmp_path: Path):
    line = deal_line(2)
    path = tmp_path / "deal.txt"
    path.write_text(f"\ufeff# one deal\n{line}\n", encoding="utf-8")
    from_file = run("deal", "--deal", str(path))
    assert from_file.exit_code == 0
    assert from_file.stdout == run("deal", "--deal", "-", given=line).stdout == run("deal", "--deal", line).stdout
    assert from_file.stdout.split() == line.split()[1:]


@pytest.mark.parametrize("source", ["7", "seed:7", "pysolfc:11982", "pysolfc:ms11982", "solvitaire:7"])
def test_numbered_deals_are_deals(source: str):
    result = run("deal", "--deal", source)
    assert result.exit_code == 0 and len(result.stdout.split()) == 52


@pytest.mark.parametrize("form", ["line", "position", "solvitaire"])
def test_a_printed_deal_reads_back(form: str):
    printed = run("deal", "--seed", "5", "--format", form).stdout
    assert run("deal", "--deal", "-", given=printed).stdout == run("deal", "--seed", "5").stdout


# Many deals


def test_verify_gives_each_deal_a_line_and_counts_at_the_end(seeds_file: str):
    result = run("verify", seeds_file, *SMALL)
    *lines, count = result.stdout.splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == [f"deal {seed}" for seed in range(12)]
    verdicts = [line[13:].split()[0] for line in lines]
    assert set(verdicts) == {"winnable", "unwinnable"} and result.exit_code == 1
    assert without_times(count) == (
        f"12 deals under canfield with ranks 5, piles 2, reserve 7 in T: {verdicts.count('winnable')} winnable, "
        f"{verdicts.count('unwinnable')} unwinnable")
    for seed in (0, 1, 2, 3):
        assert run("--seed", str(seed), *SMALL, "--json").stdout.count(f'"verdict": "{verdicts[seed]}"') == 1


def test_the_status_of_verify_is_the_gravest_one():
    won, lost, hard = deal_line(2), deal_line(13), deal_line(8)
    assert run("verify", "-", given=f"{won}\n").exit_code == 0
    assert run("verify", "-", "--nodes", "1000", given=f"{won}\n{hard}\n").exit_code == 3
    assert run("verify", "-", "--nodes", "1000", given=f"{hard}\n{won}\n{lost}\n").exit_code == 1


def test_what_verify_prints_as_json_replays(seeds_file: str, tmp_path: Path):
    solved = run("verify", seeds_file, *SMALL, "--json")
    records = [json.loads(line) for line in solved.stdout.splitlines()]
    assert [record["name"] for record in records] == [f"deal {seed}" for seed in range(12)]
    path = tmp_path / "solutions.jsonl"
    path.write_text(solved.stdout)
    result = run("verify", "--solutions", str(path))
    wins = sum(record["verdict"] == "winnable" for record in records)
    assert without_times(result.stdout).splitlines()[-1] == f"12 solutions in T: {wins} won, {12 - wins} no solution"
    assert result.exit_code == 3
    paired = run("verify", seeds_file, "--solutions", str(path))
    assert without_times(paired.stdout) == without_times(result.stdout)


def test_a_corrupted_solution_is_refused_with_its_move():
    record = json.loads(run("--seed", "3", "--json").stdout)
    assert run("verify", "--solutions", "-", given=json.dumps(record)).exit_code == 0
    moves = len(record["solution"])
    record["solution"][4:6] = record["solution"][5:3:-1]
    result = run("verify", "--solutions", "-", "--json", given=json.dumps(record))
    outcome = json.loads(result.stdout)
    assert result.exit_code == 1 and outcome["replay"] == "not won"
    assert outcome["moves"] < moves and outcome["message"].startswith(f"move {outcome['moves'] + 1}: ")


def test_a_solution_of_another_variant_is_refused():
    # Deal 1 is lost with whole piles, so that no solution of it can do without a part of a pile.
    solved = run("--deal", deal_line(1), "--variant", "solvitaire", "--json").stdout
    assert run("verify", "--solutions", "-", given=solved).exit_code == 0
    result = run("verify", "--solutions", "-", "--variant", "solvitaire-strict", given=solved)
    assert result.exit_code == 1 and "not won    move " in result.stdout


def test_deals_and_solutions_have_to_come_out_even(seeds_file: str, tmp_path: Path):
    solved = run("verify", seeds_file, *SMALL, "--json").stdout.splitlines()
    fewer = run("verify", seeds_file, "--solutions", "-", given="\n".join(solved[:5]))
    assert fewer.exit_code == 2 and fewer.stderr.endswith("5 solutions for 12 deals\n")
    more = run("verify", seeds_file, "--solutions", "-", given="\n".join(solved + solved[:1]))
    assert more.exit_code == 2 and "line 13: a solution too many" in more.stderr


# The lists


def test_variants_are_listed_with_their_fields():
    listed = json.loads(run("variants", "--json").stdout)
    assert listed == [variant.as_dict() for variant in VARIANTS.values()]
    drawn = run("variants").stdout
    assert all(f"\n{name} " in drawn for name in VARIANTS)
    assert all(f"\n{field.replace('_', '-')} " in drawn for field in FIELDS)


def test_help_names_the_budgets_that_the_engine_has():
    from solver.solving import DEFAULT_MEMORY, DEFAULT_NODES
    words = " ".join(run("--help").stdout.split())
    assert f"[default: {DEFAULT_NODES:,}]" in words and f"[default: {DEFAULT_MEMORY}]" in words


# What can go wrong


@pytest.mark.parametrize("args, message", [
    ([], "give --seed N or --deal DEAL; canfield-solve --help tells more"),
    (["--seed", "1", "--deal", "2"], "give --seed or --deal, not both"),
    (["--seed", "-1"], "Invalid value for '--seed': '-1' is not from 0 to 18446744073709551615"),
    (["--seed", str(2**64)], "Invalid value for '--seed': '18446744073709551616' is not from 0 to"),
    (["--seed", "9" * 6000], "Invalid value for '--seed': '999"),
    (["--seed", "x"], "Invalid value for '--seed': 'x' is not a whole number"),
    (["--seed", "1", "--nodes", "0"], "Invalid value for '--nodes': '0' is not from 1 to"),
    (["--seed", "1", "--nodes", "1" + "0" * 30], "Invalid value for '--nodes': '1000"),
    (["--seed", "1", "--memory", "-5"], "Invalid value for '--memory': '-5' is not from 1 to"),
    (["--seed", "1", "--variant", "bridge"], "unknown variant 'bridge': one of canfield, "),
    (["--seed", "1", "--piles", "99"], "piles must be a whole number from 1 to 12, not 99"),
    (["--seed", "1", "--passes", "often"], "Invalid value for '--passes': 'often' is not a whole number or unlimited"),
    (["--seed", "1", "--base", "1"], "unknown rank '1'"),
    (["--seed", "1", "--cover-base", "maybe"], "Invalid value for '--cover-base': 'maybe' is not one of"),
    (["--seed", "1", "--reserve", "52"], "52 cards are too few"),
    (["--deal", "no-such-file"], "no-such-file: no such file, and no deal either"),
    (["--deal", "9C KS"], "2 cards where the deck has 52, missing "),
    (["--deal", DEALS[1].replace("JS", "1S", 1)], "unknown card '1S'"),
    (["--deal", DEALS[1].replace("JS", "TD", 1)], "card 2, TD, is there once too often"),
    (["--deal", "{}"], "a position needs a tableau"),
    (["--deal", str(ROOT)], f"{ROOT}: Is a directory"),
    (["--deal", "tests/data/deals-100.txt"], "tests/data/deals-100.txt: 100 deals where one is wanted"),
    (["deal", "--seed", "1", "--format", "picture"], "Invalid value for '--format'"),
    (["verify"], "give a FILE of deals (- for standard input), or --solutions FILE"),
    (["verify", "no-such-file"], "no-such-file: No such file or directory"),
    (["verify", os.devnull], f"{os.devnull}: no deals"),
    (["verify", "--solutions", os.devnull], f"{os.devnull}: no solutions"),
    (["--seed", "1", "verify", "x"], "options of verify go after its name, not before it"),
    (["--frobnicate"], "No such option '--frobnicate'."),
    (["frobnicate"], "No such command 'frobnicate'."),
    (["--seed"], "Option '--seed' requires an argument."),
])
def test_bad_input_is_one_line_and_status_2(args: list[str], message: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    result = run(*args)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(f"canfield-solve: {message}") and result.stderr.count("\n") == 1


def test_a_bad_line_is_named_after_what_was_done_before():
    result = run("verify", "-", given=f"{deal_line(2)}\n\n{deal_line(3)} KS\n{deal_line(6)}\n")
    assert result.exit_code == 2
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["2", "winnable"]]
    assert complaints(result.stderr) == (
        "canfield-solve: standard input: line 3: card 53, KS, is there once too often\n")


@pytest.mark.parametrize("line, message", [
    ("{", "not JSON: "),
    ("[1]", "a record is a JSON object"),
    ('{"deal": "1"}', "field 'solution' is missing"),
    ('{"solution": []}', "field 'deal' is missing"),
    ('{"deal": "1", "solution": 7}', "a solution is a list of moves"),
    ('{"deal": "1", "solution": [{"card": "9C"}]}', "move 1: field 'count' is missing"),
    ('{"deal": "1", "solution": [], "variant": 1}', "field 'variant' must be a name"),
    ('{"deal": "1", "solution": [], "rules": []}', "field 'rules' must be an object"),
    ('{"deal": "1", "solution": [], "rules": {"jokers": 2}}', "unknown rule field 'jokers'"),
    ('{"deal": "1", "solution": [], "rules": {"draw": "3"}}', "draw must be a whole number"),
    ("[" * 100_000, "not JSON: "),
])
def test_a_bad_record_is_named(line: str, message: str):
    result = run("verify", "--solutions", "-", given=f"\n{line}\n")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(f"canfield-solve: standard input: line 2: {message}")
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_not_text_is_bad_input(tmp_path: Path):
    path = tmp_path / "deal.bin"
    path.write_bytes(b"9C \xff")
    result = run("--deal", str(path))
    assert result.exit_code == 2 and result.stderr == f"canfield-solve: {path}: not UTF-8 text (byte 4)\n"


# As a process


def test_letters_stand_in_for_symbols_where_there_are_none():
    process = start("deal", "--seed", "3", "--format", "table",
                    env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    stdout, stderr = process.communicate()
    assert process.returncode == 0 and stderr == ""
    assert stdout.isascii() and " 2C  .D  .S  .H\n" in stdout


def test_colour_appears_on_a_terminal_only():
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = start("deal", "--seed", "3", "--format", "table", stdout=theirs, stderr=theirs,
                    env={**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"})
    os.close(theirs)
    drawn = b""
    while b"final" not in drawn:
        drawn += os.read(ours, 65536)
    os.close(ours)
    process.wait()
    assert b"\x1b[" in drawn


def test_interrupting_a_search_ends_it_at_once():
    # Every search of this deal compiled before: an interrupt that meets the compiler's callbacks can be lost.
    start("--deal", deal_line(3), "--variant", "rainbow", "--nodes", "250000").communicate()
    process = start("--deal", deal_line(3), "--variant", "rainbow", "--nodes", "1000000000")
    title = process.stdout.readline()
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert title == "3, base 7\n"
    assert process.returncode == 130 and complaints(stderr) == ""
    assert stdout.splitlines()[-1].startswith("interrupted after ")


def test_interrupting_verify_keeps_the_count_so_far(tmp_path: Path):
    path = tmp_path / "deals.txt"
    path.write_text(f"{deal_line(2)}\n{deal_line(8)}\n")
    process = start("verify", str(path), "--nodes", "1000000000")
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert first.split()[:2] == ["2", "winnable"]
    assert process.returncode == 130 and complaints(stderr) == ""
    assert without_times(stdout) == "1 deal under canfield in T, interrupted: 1 winnable\n"


def test_a_closed_pipe_is_no_error(tmp_path: Path):
    path = tmp_path / "deals.txt"
    path.write_text("".join(f"{seed}\n" for seed in range(400)))
    process = start("verify", str(path), "--json", *SMALL)
    process.stdout.readline()
    process.stdout.close()
    assert complaints(process.stderr.read()) == ""
    assert process.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["line", "table"])
def test_a_full_disk_is_one_line(form: str):
    with open("/dev/full", "w") as full:
        process = start("deal", "--seed", "3", "--format", form, stdout=full)
        assert process.stderr.read() == "canfield-solve: cannot write: No space left on device\n"
    assert process.wait() == 2


def test_closed_streams_are_no_error_of_ours():
    command = f"{sys.executable} -m solver deal --deal - <&- >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, "canfield-solve: standard input: no deal given\n")
