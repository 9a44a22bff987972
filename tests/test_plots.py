"""Figures: drawn for any results, with the figures they claim to show."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from smallruns import OTHER, RULES, TWO_PHASES, run

from solver.cards import BadInput
from solver.estimators import wilson
from solver.odds import read_odds
from solver.outcomes import WINNABLE
from solver.plots import draw_bases, draw_effort, draw_figures, draw_rates, wins_by_base


@pytest.fixture(scope="module")
def odds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    run(folder, TWO_PHASES, (RULES, OTHER))
    return read_odds([folder])


@pytest.mark.parametrize("number", [1, 2])
def test_a_png_is_a_picture_with_ink_on_it(odds, tmp_path, number):
    draw_figures(odds[:number], tmp_path / "odds.png")
    picture = imread(tmp_path / "odds.png")
    assert picture.shape[1] >= 1000 and picture.shape[0] > picture.shape[1]
    assert 0.02 < np.mean(picture[..., :3] < 0.9) < 0.5
    assert picture[0].min() == picture[-1].min() == picture[:, 0].min() == picture[:, -1].min() == 1, "cut off"


def test_an_svg_is_the_same_every_time(odds, tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_figures(odds, tmp_path / name)
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_intervals_drawn_are_those_of_the_estimates(odds):
    axes = Figure().subplots()
    draw_rates(axes, odds)
    lines = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    assert np.allclose(lines, [[100 * entry.estimate.low, 100 * entry.estimate.high] for entry in odds])
    names = [label.get_text().replace("\n", " with ") for label in axes.get_yticklabels()]
    assert names == [entry.name for entry in odds]


def test_the_medians_drawn_are_those_of_the_nodes(odds):
    axes = Figure().subplots()
    draw_effort(axes, odds)
    medians = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert len(medians) == 2 * len(odds) and axes.get_xscale() == "log"
    assert medians[0] == np.median(odds[0].first.nodes[odds[0].first.verdict == WINNABLE])


def test_base_ranks_of_one_rule_set_are_shares_with_intervals(odds):
    axes = Figure().subplots()
    draw_bases(axes, odds[:1])
    won, deals = wins_by_base(odds[0])
    assert deals.sum() == 120 and len(deals) == RULES.ranks
    points = [float(line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "o"]
    assert np.allclose(points, 100 * won / deals)
    spans = [line.get_ydata() for line in axes.lines if line.get_marker() != "o"][1:]
    assert np.allclose(spans, [[100 * limit for limit in wilson(*pair)] for pair in zip(won, deals, strict=True)])


def test_base_ranks_of_several_rule_sets_are_standard_errors(odds):
    axes = Figure().subplots()
    draw_bases(axes, odds)
    dots = np.concatenate([line.get_ydata() for line in axes.lines if line.get_marker() == "o"])
    assert len(dots) == 2 * RULES.ranks and 0.3 < np.std(dots) < 2


def test_a_figure_that_cannot_be_written_is_one_line(odds, tmp_path):
    with pytest.raises(BadInput, match="No such file or directory"):
        draw_figures(odds, tmp_path / "nowhere" / "odds.png")
