"""What stored results say: win rates with intervals, paired differences between rule sets, lists of winnable deals.

Everything here is made of stored rows alone (see ``store``), so it can be made again at any time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver.batch import Order, choose_sample, second_folder, within
from solver.cards import BadInput
from solver.display import name_with_changes
from solver.estimators import (
    Counts,
    Estimate,
    Interval,
    PairCell,
    bounded_estimate,
    hard_bounds,
    mcnemar_p_value,
    paired_difference,
    two_phase_estimate,
)
from solver.outcomes import UNDECIDED, UNWINNABLE, WINNABLE, Outcomes, join
from solver.rulesets import VARIANTS, Rules
from solver.store import FITTING, Store, find_stores

GRADES = ("easy", "medium", "hard")
CAN_WIN = {WINNABLE: (1, 1), UNWINNABLE: (0, 0), UNDECIDED: (0, 1)}
"""Least and greatest number of wins in a deal of that verdict."""


@dataclass(frozen=True)
class Odds:
    """All that is stored of one rule set, and what follows from it.

    first: every deal at the first budget; second: those of the undecided that were solved again, with whatever
    larger budget; manifest: of the first phase; second_nodes: the larger budget, None without a second phase.
    """

    rules: Rules
    manifest: dict
    first: Outcomes
    second: Outcomes
    second_nodes: int | None

    @property
    def name(self) -> str:
        """The variant, and in which fields the rule set departs from it."""
        return name_with_changes(self.rules)

    @cached_property
    def counts(self) -> Counts:
        """Verdicts at the first budget."""
        return self.first.counts()

    @cached_property
    def sample(self) -> Outcomes:
        """The random sample that is stored of the undecided: as many in the order of sampling as are all there.

        In a run that was cut short the last deals at work are not there yet; they may be harder than others, so wait
        for the end of a run before taking its figures.
        """
        stored = set(self.second.seed.tolist())
        chosen = []
        for seed in choose_sample(self.first, None):
            if seed not in stored:
                break
            chosen.append(seed)
        return self.second.take(np.isin(self.second.seed, np.array(chosen, np.uint64)))

    @cached_property
    def verdicts(self) -> np.ndarray:
        """What is known by now of each deal of ``first``."""
        known = self.first.verdict.copy()
        again = np.isin(self.second.seed, self.first.seed)
        known[np.searchsorted(self.first.seed, self.second.seed[again])] = self.second.verdict[again]
        return known

    @cached_property
    def bounds(self) -> Interval:
        """The share of these deals that can be won, by all that is known of them."""
        return hard_bounds(Counts(*np.bincount(self.verdicts, minlength=3).tolist()))

    @cached_property
    def estimate(self) -> Estimate:
        """The win rate: by two phases where there is a sample of the undecided, else by the first budget alone."""
        if len(self.sample):
            return two_phase_estimate(self.counts, self.sample.counts())
        return bounded_estimate(self.counts)

    @property
    def nodes_a_deal(self) -> float:
        """Positions searched at the first budget, a deal."""
        return float(self.first.nodes.mean())

    @property
    def seconds_a_deal(self) -> float:
        """CPU time at the first budget, a deal."""
        return float(self.first.microseconds.mean()) / 1e6


class Pair(NamedTuple):
    """Two rule sets on the same deals: who wins where, by all that is known; ``undecided``: open under either.

    difference: first rate minus second rate; p_value: McNemar's, None where deals are open.
    """

    first: str
    second: str
    deals: int
    both: int
    first_only: int
    second_only: int
    neither: int
    undecided: int
    difference: Estimate
    p_value: float | None


class Winnable(NamedTuple):
    """A deal proven winnable, the positions that took, and which third of all such deals it is in."""

    seed: int
    nodes: int
    grade: str


def read_odds(folders: Iterable[Path]) -> list[Odds]:
    """All that is stored in folders of results. Results of one kind in several folders are put together.

    Raises BadInput for folders that are none, damaged files, deals that are there twice.
    """
    kinds: dict[tuple, list[Store]] = {}
    for folder in folders:
        for store in find_stores(folder):
            fitting = tuple(store.manifest.get(field) for field in FITTING)
            kinds.setdefault((store.rules, fitting), []).append(store)
    found = [odds for odds in (_put_together(stores) for stores in kinds.values()) if len(odds.first)]
    if not found:
        raise BadInput("no finished chunk of deals is stored there yet")
    return sorted(found, key=lambda odds: _place(odds.rules))


def _place(rules: Rules) -> tuple:
    """Where a rule set comes in a list: as the variants do, then by draw and passes."""
    names = list(VARIANTS)
    return names.index(rules.name) if rules.name in names else len(names), rules.draw, rules.passes or 256


def read_order(order: Order, folders: Iterable[Path]) -> list[Odds]:
    """As :func:`read_odds` for the deals of one order only, each folder one rule set; those without a deal are left
    out."""
    found = []
    for folder in folders:
        store = Store.open(folder)
        first, second = within(store.read(), order), join([])
        if order.second and (second_folder(folder, order.second.nodes)).is_dir():
            second = within(Store.open(second_folder(folder, order.second.nodes)).read(), order)
        if len(first):
            nodes = order.second.nodes if len(second) else None
            found.append(Odds(store.rules, store.manifest, first, second, nodes))
    return found


def _put_together(stores: Sequence[Store]) -> Odds:
    """The odds of stores of one kind; of several second phases the one with the largest budget counts."""
    first = join([store.read() for store in stores])
    twice = np.flatnonzero(first.seed[1:] == first.seed[:-1])
    if len(twice):
        raise BadInput(f"deal {first.seed[twice[0]]} of {name_with_changes(stores[0].rules)} is in two of the folders")
    second: dict[int, list[Outcomes]] = {}
    for store in stores:
        for folder in store.folder.glob("second-*/manifest.json"):
            phase = Store.open(folder.parent)
            outcomes = phase.read()
            if len(outcomes):
                second.setdefault(phase.manifest.get("nodes", 0), []).append(outcomes)
    nodes = max(second, default=None)
    return Odds(stores[0].rules, stores[0].manifest, first, join(second.get(nodes, [])), nodes)


def compare(odds: Sequence[Odds], every_pair: bool = False) -> list[Pair]:
    """Each rule set against the first one, or every pair; pairs without common deals are left out."""
    pairs = combinations(odds, 2) if every_pair else ((odds[0], other) for other in odds[1:])
    return [pair for pair in (_compare_two(first, second) for first, second in pairs) if pair is not None]


def _compare_two(first: Odds, second: Odds) -> Pair | None:
    """The pair of two rule sets; None where no deal is common, as between decks of different sizes."""
    alike = all(getattr(first.rules, field) == getattr(second.rules, field) for field in ("decks", "ranks"))
    alike = alike and first.manifest.get("generator") == second.manifest.get("generator")
    seeds, at_first, at_second = np.intersect1d(first.first.seed, second.first.seed, assume_unique=True,
                                                return_indices=True)
    if not alike or not len(seeds):
        return None
    known = Counter(zip(first.verdicts[at_first].tolist(), second.verdicts[at_second].tolist(), strict=True))
    decided = [known[pair] for pair in ((WINNABLE, WINNABLE), (WINNABLE, UNWINNABLE), (UNWINNABLE, WINNABLE),
                                        (UNWINNABLE, UNWINNABLE))]
    undecided = len(seeds) - sum(decided)
    return Pair(first.name, second.name, len(seeds), *decided, undecided,
                paired_difference(_pair_cells(first, second, seeds, at_first, at_second)),
                None if undecided else mcnemar_p_value(decided[1], decided[2]))


def _pair_cells(first: Odds, second: Odds, seeds: np.ndarray, at_first: np.ndarray,
                at_second: np.ndarray) -> Iterator[PairCell]:
    """The deals by both first verdicts, and what is known now of those that belong to the samples (see PairCell)."""
    columns = []
    for odds, at in ((first, at_first), (second, at_second)):
        verdict = odds.first.verdict[at]
        in_sample = np.isin(seeds, odds.sample.seed)
        columns += [verdict, odds.verdicts[at], (verdict != UNDECIDED) | in_sample]
    first_was, first_is, first_seen, second_was, second_is, second_seen = columns
    seen = first_seen & second_seen
    for one in CAN_WIN:
        for other in CAN_WIN:
            here = (first_was == one) & (second_was == other)
            looked_at = here & seen
            known = Counter(zip(first_is[looked_at].tolist(), second_is[looked_at].tolist(), strict=True))
            spans: Counter[tuple[int, int]] = Counter()
            for verdicts, number in known.items():
                spans[_span(*verdicts)] += number
            yield PairCell(int(here.sum()), _span(one, other), spans)


def _span(first: int, second: int) -> tuple[int, int]:
    """Least and greatest difference of wins between two verdicts."""
    return CAN_WIN[first][0] - CAN_WIN[second][1], CAN_WIN[first][1] - CAN_WIN[second][0]


def winnable_deals(odds: Odds) -> tuple[list[Winnable], tuple[int, int]]:
    """The deals proven winnable by rising seed, and the positions up to which they are easy, and medium.

    The effort is what all searches of a deal took together. Equal efforts have equal grades, so the thirds may be
    uneven.
    """
    effort = dict(zip(odds.first.seed.tolist(), odds.first.nodes.tolist(), strict=True))
    for seed, nodes in zip(odds.second.seed.tolist(), odds.second.nodes.tolist(), strict=True):
        if seed in effort:
            effort[seed] += nodes
    seeds = odds.first.seed[odds.verdicts == WINNABLE].tolist()
    nodes = sorted(effort[seed] for seed in seeds)
    if not nodes:
        return [], (0, 0)
    limits = nodes[(len(nodes) - 1) // 3], nodes[(2 * len(nodes) - 1) // 3]
    return [Winnable(seed, effort[seed], GRADES[sum(effort[seed] > limit for limit in limits)])
            for seed in seeds], limits
