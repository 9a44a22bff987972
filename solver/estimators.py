"""From counts of verdicts to a win rate and how far it can be trusted; every estimator with its source.

A budget leaves some deals undecided, so a rate here is a range [rate_low, rate_high], one point where everything is
decided, and its interval covers the true rate at the confidence asked for whatever the open deals turn out to be.
All rates, limits and differences are shares (0.7 for 70 %), all confidences too (0.95).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from math import sqrt
from typing import NamedTuple

from solver.extras import load

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A range of shares, or of differences of shares."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A rate (from ``rate_low`` with all open deals lost to ``rate_high`` with all of them won) and its interval."""

    rate_low: float
    rate_high: float
    low: float
    high: float

    @property
    def is_point(self) -> bool:
        """Is the rate a single number, because nothing that counts is open?"""
        return self.rate_low == self.rate_high

    @property
    def rate(self) -> float:
        """The middle of the range."""
        return (self.rate_low + self.rate_high) / 2


class Counts(NamedTuple):
    """How many deals got which verdict."""

    winnable: int
    unwinnable: int
    undecided: int

    @property
    def deals(self) -> int:
        return sum(self)


def wilson(wins: int, deals: int, confidence: float = CONFIDENCE) -> Interval:
    """Score interval of a binomial share (E. B. Wilson, JASA 22 (1927) 209-212), from scipy. deals: 1 or more."""
    limits = load("scipy.stats").binomtest(int(wins), int(deals)).proportion_ci(confidence, "wilson")
    return Interval(float(limits.low), float(limits.high))


def wilson_of_share(share: float, size: float, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's interval for an observed share and a size that need not be whole; infinite sizes leave the share alone.

    scipy has it for whole counts only; effective sizes of samples without replacement are none.
    """
    z_squared = _quantile(confidence) ** 2
    if size == float("inf"):
        return Interval(share, share)
    middle = (share + z_squared / (2 * size)) / (1 + z_squared / size)
    half = sqrt(z_squared * (share * (1 - share) / size + z_squared / (4 * size * size))) / (1 + z_squared / size)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def hard_bounds(counts: Counts) -> Interval:
    """The share of these very deals that can be won: all undecided ones lost, and all won. No statistics in it."""
    return Interval(counts.winnable / counts.deals, (counts.winnable + counts.undecided) / counts.deals)


def bounded_estimate(counts: Counts, confidence: float = CONFIDENCE) -> Estimate:
    """The rate from one budget alone: hard bounds, and Wilson's limits of either.

    Where all deals are decided this is Wilson's interval. Otherwise it covers whatever the undecided ones are: the
    true number of wins lies between the two counts, and Wilson's limits rise with the count.
    """
    bounds = hard_bounds(counts)
    return Estimate(
        *bounds,
        wilson(counts.winnable, counts.deals, confidence).low,
        wilson(counts.winnable + counts.undecided, counts.deals, confidence).high,
    )


def two_phase_estimate(counts: Counts, sample: Counts, confidence: float = CONFIDENCE) -> Estimate:
    """The rate from all deals at a small budget and a random sample of the undecided ones at a much larger one.

    Double sampling for stratification (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, 12.2): with N deals, U of
    them undecided, and a share q of the m sampled ones winnable, the rate is p = (winnable + U q) / N with variance

        p (1 - p) / N  +  (U / N)^2  q (1 - q) / m  (1 - m / U)

    where the last factor is that of sampling without replacement (2.6 there). The interval puts Wilson's limits of
    both parts together by the square-and-add rule (G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008) 1693-1702),
    which keeps it honest where q is near 0 or 1 and makes it Wilson's own where m = U or U = 0. Deals that the larger
    budget leaves open count as lost for the lower end of rate and interval, and as won for the upper end.
    """
    if counts.undecided == 0:
        return bounded_estimate(counts, confidence)
    if sample.deals == 0:
        raise ValueError("a two-phase estimate needs a sample of the undecided deals")
    share_open = counts.undecided / counts.deals
    left_out = 1 - sample.deals / counts.undecided
    size = sample.deals / left_out if left_out else float("inf")

    def at(wins: int) -> tuple[float, Interval]:
        won = wins / sample.deals
        rate = counts.winnable / counts.deals + share_open * won
        whole, part = wilson_of_share(rate, counts.deals, confidence), wilson_of_share(won, size, confidence)
        return rate, Interval(
            rate - sqrt((rate - whole.low) ** 2 + (share_open * (won - part.low)) ** 2),
            rate + sqrt((whole.high - rate) ** 2 + (share_open * (part.high - won)) ** 2),
        )

    rate_low, limits_low = at(sample.winnable)
    rate_high, limits_high = at(sample.winnable + sample.undecided)
    return Estimate(rate_low, rate_high, max(0.0, limits_low.low), min(1.0, limits_high.high))


class PairCell(NamedTuple):
    """The deals of one pair of first verdicts under two rule sets, and what is known of them by now.

    A difference is wins under the one rule set minus wins under the other: -1, 0 or 1. deals: how many there are;
    span: the least and the greatest difference that the first verdicts leave possible; known: of the deals that were
    looked at again (of all where both first verdicts were decided), how many have which span now.
    """

    deals: int
    span: tuple[int, int]
    known: Mapping[tuple[int, int], int]


def paired_difference(cells: Iterable[PairCell], confidence: float = CONFIDENCE) -> Estimate:
    """Difference of the win rates of two rule sets on the same deals.

    With everything decided, b deals won under the first only and c under the second only, of n: the rate is
    (b - c) / n with the adjusted Wald interval for McNemar's table, b, c and n raised by 1, 1 and 2 (D. G. Bonett,
    R. M. Price, J. Educ. Behav. Stat. 37 (2012) 479-488). Where verdicts are open, the cells are strata of a double
    sampling as in :func:`two_phase_estimate` (Cochran 12.2): whether a deal was looked at again must not depend on
    anything but its seed. Open ends go the worst way for either limit, and so does a cell of which nothing is known.
    """
    cells = [cell for cell in cells if cell.deals]
    rate_low, low, _ = _difference_at(cells, 0, confidence)
    rate_high, _, high = _difference_at(cells, 1, confidence)
    return Estimate(rate_low, rate_high, max(-1.0, low), min(1.0, high))


def _difference_at(cells: list[PairCell], end: int, confidence: float) -> tuple[float, float, float]:
    """Rate, lower and upper limit of a difference with all open ones at the low (0) or high (1) end."""
    deals = sum(cell.deals for cell in cells)
    ahead = behind = variance = 0.0
    for cell in cells:
        looked_at = sum(cell.known.values())
        known = cell.known if looked_at else {cell.span: cell.deals}
        seen = {-1: 0, 0: 0, 1: 0}
        for span, number in known.items():
            seen[span[end]] += number
        scale = cell.deals / sum(seen.values())
        ahead += scale * seen[1]
        behind += scale * seen[-1]
        if 0 < looked_at < cell.deals:
            left_out = 1 - looked_at / cell.deals
            variance += (cell.deals / deals) ** 2 * _spread(seen, cell.span) / looked_at * left_out
    size = deals + 2
    middle = (ahead - behind) / size
    variance += ((ahead + behind + 2) / size - middle ** 2) / size
    half = _quantile(confidence) * sqrt(variance)
    return (ahead - behind) / deals, middle - half, middle + half


def _spread(seen: Mapping[int, int], span: tuple[int, int]) -> float:
    """Variance of differences seen so often, with half a one more of each that is possible (the prior of Jeffreys).

    That keeps it off 0 in small samples.
    """
    raised = {value: number + (span[0] <= value <= span[1]) / 2 for value, number in seen.items()}
    total = sum(raised.values())
    return (raised[1] + raised[-1]) / total - ((raised[1] - raised[-1]) / total) ** 2


def mcnemar_p_value(first_only: int, second_only: int) -> float:
    """Exact two-sided p-value of McNemar's test (Psychometrika 12 (1947) 153-157) that neither rule set wins more."""
    discordant = first_only + second_only
    if discordant == 0:
        return 1.0
    return float(load("scipy.stats").binomtest(int(first_only), int(discordant)).pvalue)


@cache
def _quantile(confidence: float) -> float:
    """How many standard deviations a two-sided normal interval reaches; 1.96 at 95 %."""
    return float(load("scipy.special").ndtri((1 + confidence) / 2))
