"""The figures of odds: win rates, effort, and win rate by base rank, in one picture that a phone shows whole.

Rows are rule sets, in the order given, and the same in the first two panels. Colours are those of Okabe and Ito, which
colour-blind readers tell apart; greys keep their order in print.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from solver.cards import RANK_NAMES
from solver.estimators import wilson
from solver.extras import load
from solver.odds import Odds
from solver.odds_tables import percent
from solver.outcomes import UNWINNABLE, WINNABLE
from solver.store import write_whole

WIN, LOSS, OPEN, INK, FAINT = "#0072B2", "#D55E00", "#999999", "#222222", "#DDDDDD"
WIDTH = 5.4
DOTS_AN_INCH = 200
ROW, LEAST_PANEL, BASE_PANEL = 0.31, 0.9, 2.0
"""Heights in inches: of a row, of the smallest panel of rows, of the panel by base rank."""

STYLE = {"font.size": 10, "font.family": "DejaVu Sans", "axes.edgecolor": INK, "axes.labelcolor": INK,
         "text.color": INK, "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False,
         "axes.spines.right": False, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
         "svg.hashsalt": "canfield-solve"}


def draw_figures(odds: Sequence[Odds], path: Path) -> None:
    """Draw all figures into a file, ``.png`` or ``.svg`` by its name. Raises BadInput where it cannot be written."""
    with load("matplotlib").rc_context(STYLE):
        figure = _compose(odds)
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"Date": None} if kind == "svg" else None
        write_whole(path, lambda file: figure.savefig(file, format=kind, dpi=DOTS_AN_INCH, metadata=metadata))


def _compose(odds: Sequence[Odds]) -> object:
    """The figure with its panels one below the other; panels of rows grow with their number."""
    rows = max(LEAST_PANEL, ROW * len(odds) + 0.3)
    heights = [rows, rows, BASE_PANEL]
    figure = load("matplotlib.figure").Figure(figsize=(WIDTH, sum(heights) + 2.5), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.06)
    rates, effort, bases = figure.subplots(3, 1, height_ratios=heights)
    draw_rates(rates, odds)
    draw_effort(effort, odds)
    draw_bases(bases, odds)
    return figure


def draw_rates(axes: object, odds: Sequence[Odds]) -> None:
    """Win rates: a point or a bar for the estimate, a line for its 95 % interval, a grey bar for the hard bounds."""
    for row, entry in enumerate(odds):
        estimate, bounds = entry.estimate, entry.bounds
        axes.barh(row, 100 * (bounds.high - bounds.low), 0.62, 100 * bounds.low, color=FAINT, linewidth=0)
        axes.plot([100 * estimate.low, 100 * estimate.high], [row, row], color=WIN, linewidth=1.6,
                  solid_capstyle="butt")
        if estimate.is_point:
            axes.plot(100 * estimate.rate, row, "o", color=WIN, markersize=5)
        else:
            axes.barh(row, 100 * (estimate.rate_high - estimate.rate_low), 0.3, 100 * estimate.rate_low, color=WIN,
                      linewidth=0)
        text = percent(estimate.rate, 1) if estimate.is_point else (
            f"{percent(estimate.rate_low, 1)}–{percent(estimate.rate_high, 1)}")
        axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=9)
    _name_rows(axes, odds)
    axes.set_title("Winnable deals")
    axes.set_xlabel("% of deals; line: 95 % interval, grey: hard bounds")


def draw_effort(axes: object, odds: Sequence[Odds]) -> None:
    """Positions searched: for winnable and unwinnable deals the middle half, the middle 90 %, and the median."""
    for row, entry in enumerate(odds):
        for verdict, colour, place in ((WINNABLE, WIN, row - 0.17), (UNWINNABLE, LOSS, row + 0.17)):
            nodes = np.maximum(1, entry.first.nodes[entry.first.verdict == verdict])
            if not len(nodes):
                continue
            low, quarter, half, three, high = np.quantile(nodes, (0.05, 0.25, 0.5, 0.75, 0.95))
            axes.plot([low, high], [place, place], color=colour, linewidth=1)
            axes.plot([quarter, three], [place, place], color=colour, linewidth=5, solid_capstyle="butt")
            axes.plot(half, place, "o", color="white", markersize=3.2, markeredgecolor=colour, markeredgewidth=1)
        if entry.counts.undecided:
            axes.annotate(f"{percent(entry.counts.undecided / entry.counts.deals, 1)} % open", (1.01, row),
                          xycoords=("axes fraction", "data"), va="center", fontsize=9, color=OPEN)
    axes.set_xscale("log")
    _name_rows(axes, odds)
    axes.set_title("Effort")
    axes.set_xlabel("positions searched; bar: middle half, line: 90 %, dot: median")
    for colour, name in ((WIN, "winnable"), (LOSS, "unwinnable")):
        axes.plot([], [], color=colour, linewidth=5, label=name)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize=9, borderaxespad=0.1)


def draw_bases(axes: object, odds: Sequence[Odds]) -> None:
    """The share proven winnable by base rank: flat, if deals and rules treat all ranks alike.

    One rule set: shares with their intervals. Several: each rank's distance from the rule set's share in standard
    errors; about 1 in 20 lies outside the band, and the rule sets' dots at a rank move together, for they share their
    deals. Rule sets with a fixed base rank have no part in it.
    """
    dealt = [entry for entry in odds if entry.rules.base == "dealt"]
    axes.set_title("Base rank: no rank should stand out")
    axes.set_xticks(range(len(RANK_NAMES)), _rank_labels())
    axes.set_xlabel("rank of the base card")
    if len(dealt) == 1:
        _draw_base_shares(axes, dealt[0])
    else:
        _draw_base_distances(axes, dealt)


def _rank_labels() -> list[str]:
    return ["10" if name == "T" else name for name in RANK_NAMES]


def wins_by_base(odds: Odds) -> tuple[np.ndarray, np.ndarray]:
    """Deals proven winnable and deals, by base rank."""
    ranks = odds.rules.ranks
    won = np.bincount(odds.first.base[odds.verdicts == WINNABLE], minlength=ranks)
    return won, np.bincount(odds.first.base, minlength=ranks)


def _draw_base_shares(axes: object, odds: Odds) -> None:
    """One rule set's shares with their intervals."""
    won, deals = wins_by_base(odds)
    axes.axhline(100 * won.sum() / deals.sum(), color=OPEN, linewidth=1, zorder=0)
    for rank in np.flatnonzero(deals):
        limits = wilson(won[rank], deals[rank])
        axes.plot([rank, rank], [100 * limits.low, 100 * limits.high], color=WIN, linewidth=1.6)
        axes.plot(rank, 100 * won[rank] / deals[rank], "o", color=WIN, markersize=5)
    axes.set_ylabel("% proven winnable")


def _draw_base_distances(axes: object, odds: Sequence[Odds]) -> None:
    """Distances from each rule set's share, in standard errors."""
    axes.axhspan(-1.96, 1.96, color=FAINT, alpha=0.6, linewidth=0, zorder=0)
    axes.axhline(0, color=OPEN, linewidth=1, zorder=0)
    for number, entry in enumerate(odds):
        won, deals = wins_by_base(entry)
        share = won.sum() / deals.sum()
        ranks = np.flatnonzero(deals)
        errors = np.sqrt(np.maximum(share * (1 - share), 1e-12) / deals[ranks] * (1 - deals[ranks] / deals.sum()))
        distances = (won[ranks] / deals[ranks] - share) / np.maximum(errors, 1e-9)
        beside = (number - (len(odds) - 1) / 2) * 0.6 / max(1, len(odds))
        axes.plot(ranks + beside, distances, "o", color=WIN, markersize=3.5, alpha=0.75, markeredgewidth=0)
    reach = max(3.5, *(abs(limit) for limit in axes.get_ylim()))
    axes.set_ylim(-reach, reach)
    axes.set_ylabel("standard errors\nfrom the average")


def _name_rows(axes: object, odds: Sequence[Odds]) -> None:
    """Names at the rows, the first one on top, and a light grid for the eye."""
    axes.set_yticks(range(len(odds)), [entry.name.replace(" with ", "\n", 1) for entry in odds])
    axes.set_ylim(len(odds) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
