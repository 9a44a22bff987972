"""Estimators against simulated truth: intervals must cover the true rate as often as they claim."""

from collections import Counter
from itertools import product
from math import isclose, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from solver.estimators import (
    Counts,
    Interval,
    PairCell,
    bounded_estimate,
    hard_bounds,
    mcnemar_p_value,
    paired_difference,
    two_phase_estimate,
    wilson,
    wilson_of_share,
)

BATCHES = 2000
COVERED = (0.94, 0.965)


def coverage(truth, estimates):
    """The share of estimates whose interval holds the truth."""
    return np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])


@pytest.mark.parametrize(("rate", "deals"), [(0.71, 1000), (0.9, 400), (0.5, 200), (0.03, 2000)])
def test_wilson_covers_as_often_as_it_says(rate, deals):
    wins, times = np.unique(np.random.default_rng(deals).binomial(deals, rate, BATCHES), return_counts=True)
    covered = [limits.low <= rate <= limits.high for limits in (wilson(number, deals) for number in wins)]
    assert COVERED[0] <= np.average(covered, weights=times) <= COVERED[1]


@pytest.mark.parametrize("wins", [0, 1, 37, 99, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_of_a_share_is_that_of_scipy_at_whole_counts(wins, confidence):
    ours, scipys = wilson_of_share(wins / 100, 100, confidence), wilson(wins, 100, confidence)
    assert np.allclose(ours, scipys, atol=1e-12)


def test_wilson_limits_solve_the_score_equation():
    """Wilson's own definition: at the limits the share lies exactly z standard errors away."""
    share, deals = 30 / 80, 80
    for limit in wilson(30, deals):
        assert isclose(abs(share - limit) / sqrt(limit * (1 - limit) / deals), norm.ppf(0.975), rel_tol=1e-9)


def test_hard_bounds_count_the_undecided_both_ways():
    assert hard_bounds(Counts(60, 30, 10)) == (0.6, 0.7)
    assert hard_bounds(Counts(60, 40, 0)) == (0.6, 0.6)


def test_bounded_estimate_is_wilson_when_all_is_decided_and_wider_otherwise():
    decided = bounded_estimate(Counts(60, 40, 0))
    assert decided.is_point and decided[2:] == wilson(60, 100)
    opened = bounded_estimate(Counts(60, 30, 10))
    assert not opened.is_point
    assert (opened.low, opened.high) == (wilson(60, 100).low, wilson(70, 100).high)


def test_bounded_estimate_covers_the_truth_whatever_the_undecided_are():
    rng = np.random.default_rng(7)
    for share_won in (0.0, 1.0):
        batches = rng.multinomial(500, (0.6, 0.3, 0.1), BATCHES // 4)
        estimates = [bounded_estimate(Counts(*batch)) for batch in batches.tolist()]
        assert coverage(0.6 + 0.1 * share_won, estimates) >= COVERED[0]


def two_phase_batches(rng, deals, shares, won_if_open, sampled):
    """First counts and sample counts of BATCHES simulated runs: a sample without replacement of the undecided."""
    for winnable, unwinnable, undecided in rng.multinomial(deals, shares, BATCHES).tolist():
        won = rng.binomial(undecided, won_if_open)
        size = min(sampled, undecided)
        in_sample = int(rng.hypergeometric(won, undecided - won, size)) if size else 0
        yield Counts(winnable, unwinnable, undecided), Counts(in_sample, size - in_sample, 0)


@pytest.mark.parametrize(("deals", "shares", "won_if_open", "sampled"), [
    (2000, (0.55, 0.15, 0.30), 0.4, 100),
    (2000, (0.55, 0.15, 0.30), 0.4, 10 ** 6),
    (5000, (0.70, 0.10, 0.20), 0.8, 300),
    (1000, (0.60, 0.38, 0.02), 0.5, 10),
    (20000, (0.60, 0.20, 0.20), 0.05, 200),
])
def test_two_phases_cover_as_often_as_they_say(deals, shares, won_if_open, sampled):
    batches = list(two_phase_batches(np.random.default_rng(sampled), deals, shares, won_if_open, sampled))
    estimates = [two_phase_estimate(counts, sample) for counts, sample in batches]
    truth = shares[0] + shares[2] * won_if_open
    assert COVERED[0] <= coverage(truth, estimates) <= COVERED[1]
    assert isclose(np.mean([estimate.rate for estimate in estimates]), truth, abs_tol=0.002)


def test_two_phase_width_is_that_of_the_textbook_variance():
    """p(1-p)/N + share^2 q(1-q)/m, when m is small beside the number of undecided deals."""
    counts, sample = Counts(550_000, 150_000, 300_000), Counts(800, 1200, 0)
    estimate = two_phase_estimate(counts, sample)
    rate, share, won = 0.55 + 0.3 * 0.4, 0.3, 0.4
    deviation = sqrt(rate * (1 - rate) / 1e6 + share ** 2 * won * (1 - won) / 2000)
    assert isclose(estimate.rate, rate)
    assert isclose(estimate.high - estimate.low, 2 * norm.ppf(0.975) * deviation, rel_tol=0.01)


def test_two_phases_over_all_undecided_are_wilson_of_the_whole():
    estimate = two_phase_estimate(Counts(60, 30, 10), Counts(4, 6, 0))
    assert np.allclose(estimate[2:], wilson(64, 100))
    assert np.allclose(two_phase_estimate(Counts(60, 40, 0), Counts(0, 0, 0))[2:], wilson(60, 100))


def test_deals_left_open_by_the_second_phase_widen_rate_and_interval():
    counts = Counts(600, 300, 100)
    opened = two_phase_estimate(counts, Counts(20, 20, 10))
    lost, won = two_phase_estimate(counts, Counts(20, 30, 0)), two_phase_estimate(counts, Counts(30, 20, 0))
    assert (opened.rate_low, opened.low) == (lost.rate, lost.low)
    assert (opened.rate_high, opened.high) == (won.rate, won.high)


def test_two_phases_need_a_sample():
    with pytest.raises(ValueError, match="sample"):
        two_phase_estimate(Counts(6, 3, 1), Counts(0, 0, 0))


def decided_pairs(both, first_only, second_only, neither):
    """The cells of four counts of decided pairs."""
    counts = {0: both + neither, 1: first_only, -1: second_only}
    return [PairCell(number, (value, value), {(value, value): number}) for value, number in counts.items()]


@pytest.mark.parametrize("shares", [(0.5, 0.2, 0.1, 0.2), (0.68, 0.03, 0.02, 0.27), (0.4, 0.2, 0.2, 0.2)])
def test_paired_differences_cover_as_often_as_they_say(shares):
    batches = np.random.default_rng(11).multinomial(1000, shares, BATCHES).tolist()
    estimates = [paired_difference(decided_pairs(*batch)) for batch in batches]
    assert COVERED[0] <= coverage(shares[1] - shares[2], estimates) <= COVERED[1]


def test_pairing_beats_two_separate_runs():
    paired = paired_difference(decided_pairs(680, 30, 20, 270))
    apart = [wilson(wins, 1000) for wins in (710, 700)]
    unpaired_width = sqrt(sum((limits.high - limits.low) ** 2 for limits in apart))
    assert isclose(paired.rate, 0.01)
    assert paired.high - paired.low < 0.5 * unpaired_width


FIRST, SECOND_IF_FIRST, SECOND_IF_NOT = 0.7, 0.9, 0.2
OPEN_FIRST, OPEN_SECOND = 0.2, 0.15


def pair_kinds():
    """Every kind of pair: its share, the cell it falls into, the span that first verdicts leave, the difference."""
    for one, two, one_open, two_open in product((0, 1), repeat=4):
        share = FIRST if one else 1 - FIRST
        second = SECOND_IF_FIRST if one else SECOND_IF_NOT
        share *= second if two else 1 - second
        share *= OPEN_FIRST if one_open else 1 - OPEN_FIRST
        share *= OPEN_SECOND if two_open else 1 - OPEN_SECOND
        low = (0 if one_open else one) - (1 if two_open else two)
        span = low, low + one_open + two_open
        yield share, ("?" if one_open else one, "?" if two_open else two), span, one - two


def simulated_pair_cells(rng, deals, sampled):
    """Pairs of true results, of which either is found at once or only on a second look at a sample by seed."""
    kinds = list(pair_kinds())
    cells = {}
    numbers = rng.multinomial(deals, [share for share, *_ in kinds]).tolist()
    for number, (_, name, span, difference) in zip(numbers, kinds, strict=True):
        looked_at = number if span[0] == span[1] else int(rng.binomial(number, sampled))
        before, _, known = cells.get(name, (0, span, Counter()))
        known[difference, difference] += looked_at
        cells[name] = (before + number, span, known)
    return [PairCell(*cell) for cell in cells.values()]


@pytest.mark.parametrize("sampled", [0.25, 1.0])
def test_paired_differences_with_open_verdicts_cover_as_often_as_they_say(sampled):
    rng = np.random.default_rng(5)
    truth = FIRST - (FIRST * SECOND_IF_FIRST + (1 - FIRST) * SECOND_IF_NOT)
    estimates = [paired_difference(simulated_pair_cells(rng, 2000, sampled)) for _ in range(BATCHES)]
    assert COVERED[0] <= coverage(truth, estimates) <= COVERED[1]


def test_a_cell_of_which_nothing_is_known_goes_the_worst_way():
    cells = [*decided_pairs(50, 10, 5, 25), PairCell(10, (-1, 0), {})]
    estimate = paired_difference(cells)
    assert (estimate.rate_low, estimate.rate_high) == ((10 - 15) / 100, (10 - 5) / 100)
    assert estimate.low == paired_difference(decided_pairs(50, 10, 15, 25)).low
    assert estimate.high == paired_difference(decided_pairs(60, 10, 5, 25)).high


def test_mcnemar_is_the_exact_binomial_test():
    assert isclose(mcnemar_p_value(0, 10), 2 / 2 ** 10)
    assert mcnemar_p_value(5, 5) == mcnemar_p_value(0, 0) == 1


def test_limits_stay_within_possible_shares():
    assert two_phase_estimate(Counts(0, 9, 1), Counts(0, 1, 0)).low == 0
    assert two_phase_estimate(Counts(9, 0, 1), Counts(1, 0, 0)).high == pytest.approx(1)
    assert wilson_of_share(0.3, float("inf")) == Interval(0.3, 0.3)
