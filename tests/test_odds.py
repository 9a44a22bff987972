"""Odds from stored results: tables, pairs, lists; and the command with everything that can be wrong about it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from smallruns import OPTIONS, ORDER, OTHER, RULES, TWO_PHASES, run, stored

from solver import extras
from solver.batch import Budget, choose_sample, folder_name
from solver.cards import BadInput
from solver.cli import main
from solver.cli_odds import _rule_sets
from solver.estimators import bounded_estimate, two_phase_estimate, wilson
from solver.odds import Odds, compare, read_odds, winnable_deals
from solver.odds_tables import span_in_percent, time_in_words
from solver.outcomes import NO_SOLUTION, UNDECIDED, UNWINNABLE, WINNABLE, Row, gather, join
from solver.progress import Tally, running_rate
from solver.rulesets import FIELDS, VARIANTS, rules
from solver.solution import replay
from solver.solving import solve
from solver.sources import read_deals


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    run(folder, TWO_PHASES, (RULES, OTHER))
    return folder


@pytest.fixture(scope="module")
def odds(folder):
    return read_odds([folder])


def call(*words):
    """Exit status, standard output and standard error of ``canfield-solve odds`` in this process."""
    result = CliRunner().invoke(main, ["odds", *map(str, words)])
    return result.exit_code, result.stdout, result.stderr


def refused(*words):
    """The one line of a refusal."""
    status, output, errors = call(*words)
    assert (status, output) == (2, "") and errors.startswith("canfield-solve: ") and errors.count("\n") == 1, errors
    return errors


def made_up(first, second=(), name="canfield", ranks=13):
    """Odds of given verdicts of deals 0, 1, 2 ..., and of (seed, verdict) pairs of a second phase."""
    rows = gather(Row(seed, 0, verdict, 10, NO_SOLUTION, 1) for seed, verdict in enumerate(first))
    again = [Row(seed, 0, verdict, 90, NO_SOLUTION, 1) for seed, verdict in second]
    return Odds(rules(name), {"generator": "g"}, rows, gather(again) if again else join([]), 100 if again else None)


# What is read ---------------------------------------------------------------------------------------------------


def test_counts_are_those_of_the_rows(odds, folder):
    assert [entry.name for entry in odds] == ["canfield with ranks 6, piles 2, reserve 8",
                                              "second-life with ranks 6, piles 2, reserve 8"]
    for entry, ruleset in zip(odds, (RULES, OTHER), strict=True):
        verdicts = [solve(deal, ruleset, *ORDER.budget).verdict
                    for _, deal in read_deals("\n".join(map(str, range(ORDER.deals))), ruleset)]
        assert entry.counts == tuple(verdicts.count(verdict) for verdict in ("winnable", "unwinnable", "undecided"))
        assert entry.estimate == two_phase_estimate(entry.counts, entry.sample.counts())
        assert entry.nodes_a_deal == stored(folder, ruleset).nodes.mean()


def test_what_the_second_phase_found_tightens_the_bounds(odds):
    entry = odds[0]
    again = entry.second.counts()
    assert again.deals == TWO_PHASES.sample and again.winnable + again.unwinnable > 0
    deals = entry.counts.deals
    assert entry.bounds.low == (entry.counts.winnable + again.winnable) / deals
    assert entry.bounds.high == pytest.approx(1 - (entry.counts.unwinnable + again.unwinnable) / deals)


def test_without_a_second_phase_the_bounds_are_all_there_is():
    entry = made_up([0] * 6 + [1] * 3 + [2])
    assert entry.estimate == bounded_estimate(entry.counts) and entry.bounds == (0.6, 0.7)


def test_only_a_sample_that_is_whole_counts():
    """Of the order of sampling, as much as is there without a gap."""
    everything = made_up([2] * 40, [(seed, 0) for seed in range(40)])
    assert len(everything.sample) == 40
    order = choose_sample(everything.first, None)
    gap = made_up([2] * 40, [(seed, 0) for seed in order[:7] + order[8:20]])
    assert sorted(gap.sample.seed.tolist()) == sorted(order[:7])
    assert gap.bounds.low == 19 / 40


def test_folders_with_different_deals_are_put_together(tmp_path):
    run(tmp_path / "a", ORDER._replace(deals=50))
    run(tmp_path / "b", ORDER._replace(first_seed=50, deals=70))
    run(tmp_path / "c")
    (together,) = read_odds([tmp_path / "a", tmp_path / "b"])
    (whole,) = read_odds([tmp_path / "c" / folder_name(RULES)])
    assert together.first.same_but_for_time(whole.first)
    with pytest.raises(BadInput, match="deal 0 of canfield .* is in two of the folders"):
        read_odds([tmp_path / "a", tmp_path / "c"])


# Pairs ----------------------------------------------------------------------------------------------------------


def test_who_wins_where():
    first = made_up([0, 0, 0, 0, 1, 1, 1, 2, 0, 2])
    second = made_up([0, 0, 1, 1, 0, 1, 1, 0, 2, 2])
    (pair,) = compare([first, second])
    assert pair[2:8] == (10, 2, 2, 1, 2, 3) and pair.p_value is None
    assert (pair.difference.rate_low, pair.difference.rate_high) == (pytest.approx((2 - 1 - 2) / 10),
                                                                    pytest.approx((2 - 1 + 2) / 10))


def test_decided_pairs_have_mcnemars_interval_and_p_value(odds):
    rng = np.random.default_rng(1)
    first, second = made_up(rng.integers(0, 2, 500).tolist()), made_up(rng.integers(0, 2, 500).tolist())
    (pair,) = compare([first, second])
    assert pair.difference.is_point and 0 < pair.p_value <= 1
    assert pair.difference.rate == pytest.approx((pair.first_only - pair.second_only) / 500)
    (turned,) = compare([second, first])
    assert turned.difference.low == pytest.approx(-pair.difference.high) and turned.p_value == pair.p_value


def test_a_second_phase_counts_in_pairs(odds):
    (pair,) = compare(odds)
    assert pair.deals == ORDER.deals == sum(pair[3:8])
    first, second = (entry.estimate for entry in odds)
    assert pair.difference.low <= first.rate - second.rate <= pair.difference.high
    before = [made_up(entry.first.verdict.tolist()) for entry in odds]
    (without,) = compare(before)
    assert pair.undecided < without.undecided
    assert pair.difference.high - pair.difference.low < without.difference.high - without.difference.low


def test_a_rule_set_that_allows_more_never_loses_alone(tmp_path):
    """second-life allows every move of canfield."""
    run(tmp_path, ORDER._replace(budget=Budget(20_000, 64)), (RULES, OTHER))
    (pair,) = compare(read_odds([tmp_path]))
    assert pair.undecided == pair.first_only == 0 < pair.second_only


def test_decks_of_different_sizes_share_no_deals():
    small = Odds(rules("canfield", ranks=6, piles=2, reserve=8), {"generator": "g"}, made_up([0]).first, join([]), None)
    assert compare([made_up([0, 1]), small]) == []


def test_every_pair_or_each_with_the_first():
    entries = [made_up([0, 1, number]) for number in (0, 1, 2)]
    assert len(compare(entries)) == 2 and len(compare(entries, every_pair=True)) == 3


# Lists of winnable deals ----------------------------------------------------------------------------------------


def test_winnable_deals_are_in_thirds(odds):
    listed, (easy, medium) = winnable_deals(odds[0])
    assert [deal.seed for deal in listed] == odds[0].first.seed[odds[0].verdicts == WINNABLE].tolist()
    for deal in listed:
        assert deal.grade == ("easy" if deal.nodes <= easy else "medium" if deal.nodes <= medium else "hard")
    nodes = np.array([deal.nodes for deal in listed])
    for limit, share in ((easy, 1 / 3), (medium, 2 / 3)):
        assert np.mean(nodes < limit) < share <= np.mean(nodes <= limit)


def test_effort_counts_both_phases():
    listed, _ = winnable_deals(made_up([0, 1, 2, 2], [(2, 0), (3, 1)]))
    assert [(deal.seed, deal.nodes) for deal in listed] == [(0, 10), (2, 100)]
    assert winnable_deals(made_up([1, 2])) == ([], (0, 0))


@pytest.mark.parametrize("form", ["seeds", "line"])
def test_an_exported_list_is_read_back_and_every_deal_is_won(folder, odds, tmp_path, form):
    path = tmp_path / "winnable.txt"
    assert call("report", folder / folder_name(RULES), "--export", path, "--export-form", form)[0] == 0
    deals = list(read_deals(path.read_text(), RULES))
    assert len(deals) == len(winnable_deals(odds[0])[0]) > 20
    for _, position in deals:
        assert replay(position, RULES, solve(position, RULES).solution).won
    assert ("seed-" in path.read_text()) == (form == "line")


def test_several_rule_sets_have_a_list_each(folder, tmp_path):
    assert call("report", folder, "--export", tmp_path / "list.txt")[0] == 0
    assert sorted(os.listdir(tmp_path)) == [f"list-{folder_name(ruleset)}.txt" for ruleset in (RULES, OTHER)]


# The command ----------------------------------------------------------------------------------------------------


def test_a_grid_of_rule_sets():
    fields = dict.fromkeys(FIELDS)
    grid = _rule_sets((("canfield",),), {**fields, "draw": (1, 3), "passes": (1, "unlimited")})
    assert grid == [rules("canfield", draw=draw, passes=passes) for draw in (1, 3) for passes in (1, None)]
    assert _rule_sets((), {**fields, "draw": (3, 3)}) == [rules("canfield")]
    assert _rule_sets((("solvitaire", "canfield"), ("solvitaire",)), fields) == [rules("solvitaire"), rules("canfield")]
    assert _rule_sets((("all",),), fields) == list(VARIANTS.values())


def test_odds_and_report_print_the_same(tmp_path):
    words = ["--variant", "canfield,second-life", "--deals", 60, "--nodes", 100, "--memory", 16, *OPTIONS]
    status, output, errors = call(*words, "--out", tmp_path / "runs", "--jobs", 2)
    assert (status, errors) == (0, "")
    assert call("report", tmp_path / "runs") == (0, output, "")
    for heading in ("deals", "win rate", "95 % interval", "hard bounds", "winnable", "unwinnable", "undecided", "nodes",
                    "CPU", "difference", "first only"):
        assert heading in output
    assert "build down" in output
    assert call(*words, "--out", tmp_path / "runs") == (0, output, "")


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, _ = call("--deals", 30, "--nodes", 100, "--draw", "1,3", *OPTIONS)
    assert status == 0 and "canfield with" in output and "draw 1" in output
    assert os.listdir(tmp_path) == []


def test_figures_and_markdown_and_json(folder, odds, tmp_path):
    status, output, _ = call("report", folder, "--json", "--plot", tmp_path / "odds.svg", "--pairs", "all")
    record = json.loads(output)
    assert status == 0 and (tmp_path / "odds.svg").stat().st_size > 1000
    assert [entry["winnable"] for entry in record["odds"]] == [entry.counts.winnable for entry in odds]
    assert record["odds"][0]["rate"]["low"] == pytest.approx(odds[0].estimate.low, abs=1e-6)
    assert record["odds"][0]["second"]["sampled"] == TWO_PHASES.sample
    assert record["odds"][0]["manifest"]["rules"] == RULES.as_dict() and len(record["pairs"]) == 1
    status, output, _ = call("report", folder, "--markdown")
    tables = [line for line in output.splitlines() if line.startswith("|")]
    assert status == 0 and {line.count("|") for line in tables[:4]} == {11}
    assert f"| {odds[0].counts.winnable:,} |" in tables[2]


def test_published_pages_are_made_from_stored_results(folder, odds, tmp_path):
    script = Path(__file__).parent.parent / "results" / "publish.py"
    done = subprocess.run([sys.executable, script, folder, "--into", tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["README.md", "odds.json", "odds.png", "odds.svg"]
    page = (tmp_path / "README.md").read_text()
    assert odds[0].name in page and f"{ORDER.budget.nodes:,}" in page and f"{odds[0].counts.winnable:,}" in page
    record = json.loads((tmp_path / "odds.json").read_text())
    assert [entry["deals"] for entry in record["odds"]] == [ORDER.deals] * 2


@pytest.mark.parametrize("words", [
    ["--deals", "-5"], ["--deals", "0"], ["--deals", "many"], ["--first-seed", "-1"], ["--first-seed", 2 ** 64],
    ["--deals", 10, "--first-seed", 2 ** 64 - 5], ["--nodes", "0"], ["--nodes", "-1"], ["--memory", "0"],
    ["--jobs", "0"], ["--jobs", "x"], ["--chunk", "0"], ["--variant", "patience"], ["--variant", ""],
    ["--draw", "1,,3"], ["--draw", "0,1"], ["--draw", "x"], ["--passes", "1,never"], ["--build", "red"],
    ["--reserve", "60"], ["--sample", "5"], ["--second-memory", "5"], ["--second-nodes", "10", "--nodes", "10"],
    ["--second-nodes", "-1"], ["--plot", "odds.pdf"], ["--plot", "odds"], ["--plot", "/nowhere/odds.png"],
    ["--export", "/nowhere/list.txt"], ["--export", "/"], ["--json", "--markdown"], ["--export-form", "poem"],
    ["--jobs", "2", "--scheduler", "tcp://127.0.0.1:9"], ["report"], ["report", "/nowhere"],
    ["--deals", 5, "report", "x"],
    ["nonsense"], ["--nonsense"],
], ids=lambda words: " ".join(map(str, words)))
def test_bad_input_is_one_line(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(*words)
    assert os.listdir(tmp_path) == []


def test_folders_that_are_not_ours_are_one_line(tmp_path):
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file", tmp_path / "file" / "runs"):
        assert str(place) in refused("--deals", 1, "--out", place)
        assert str(place) in refused("report", place)
    assert os.listdir(tmp_path) == ["file"]


def test_another_budget_in_the_same_folder_is_one_line(folder):
    before = stored(folder)
    message = refused("--deals", 5, "--nodes", 101, "--memory", 16, *OPTIONS, "--out", folder)
    assert "nodes 100, not 101" in message and stored(folder).same_but_for_time(before)


def test_a_damaged_file_is_one_line_and_stays(tmp_path):
    run(tmp_path)
    path = next(tmp_path.glob("*/*.parquet"))
    path.write_bytes(b"damaged")
    words = ["--deals", ORDER.deals, "--nodes", ORDER.budget.nodes, "--memory", 16, *OPTIONS, "--out", tmp_path]
    assert str(path) in refused("report", tmp_path) and str(path) in refused(*words)
    assert path.read_bytes() == b"damaged"
    path.unlink()
    assert call(*words, "--chunk", ORDER.chunk)[0] == 0


def test_an_unreachable_scheduler_is_one_line(monkeypatch):
    from solver import cluster

    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    assert "no Dask scheduler at tcp://127.0.0.1:9" in refused("--deals", 1, "--scheduler", "tcp://127.0.0.1:9")


@pytest.mark.parametrize(("package", "words"), [("scipy", []), ("pyarrow", ["report", "x"]),
                                                ("matplotlib", ["--plot", "odds.png"]),
                                                ("distributed", ["--scheduler", "tcp://127.0.0.1:9"])])
def test_a_missing_extra_is_named(monkeypatch, package, words):
    found = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == package else found(name))
    assert f"{package} is needed" in (message := refused(*words)) and f"[{extras.EXTRAS[package]}]" in message


def test_help_needs_no_extra():
    """Nor the engine: the command line starts quickly."""
    script = ("import sys; from solver.cli import main\ntry: main(['odds', '--help'])\nexcept SystemExit: pass\n"
              "print(sorted({'numba', 'numpy', 'scipy', 'pyarrow', 'matplotlib', 'distributed'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and "--second-nodes" in done.stdout


# Small things ---------------------------------------------------------------------------------------------------


def test_figures_in_words():
    assert span_in_percent(0.7, 0.7) == "70.00" and span_in_percent(-0.011, 0.02, 1, "+") == "-1.1 to +2.0"
    assert [time_in_words(seconds) for seconds in (2e-5, 0.0123, 4.567)] == ["20 us", "12.3 ms", "4.57 s"]


def test_the_running_rate_covers_the_undecided_both_ways():
    tally = Tally(made_up([0] * 60 + [1] * 30).counts)
    for _ in range(10):
        tally.add(UNDECIDED)
    tally.add(UNWINNABLE)
    assert tally.counts() == (60, 31, 10)
    low, high = 100 * wilson(60, 101).low, 100 * wilson(70, 101).high
    assert running_rate(tally.counts()) == f"59.4-69.3 ({low:.1f}-{high:.1f}) %"
    assert running_rate(made_up([0]).counts) == ""
