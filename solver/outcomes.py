"""What a batch finds out about its deals: one row a deal, as columns of equal length."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from solver.estimators import Counts

VERDICTS = ("winnable", "unwinnable", "undecided")
"""The verdicts of a search; a row has the index of its own."""

WINNABLE, UNWINNABLE, UNDECIDED = range(3)
NO_SOLUTION = -1


class Row(NamedTuple):
    """One deal: its number; base rank 0..12; index in VERDICTS; positions searched; moves of the solution or
    NO_SOLUTION; CPU time of the search in microseconds. All but the last are the same on every machine."""

    seed: int
    base: int
    verdict: int
    nodes: int
    solution_length: int
    microseconds: int


@dataclass(frozen=True)
class Outcomes:
    """Rows as columns (see Row): numpy arrays of one length."""

    seed: np.ndarray
    base: np.ndarray
    verdict: np.ndarray
    nodes: np.ndarray
    solution_length: np.ndarray
    microseconds: np.ndarray

    def __len__(self) -> int:
        return len(self.seed)

    def counts(self) -> Counts:
        """How many rows have which verdict."""
        return Counts(*np.bincount(self.verdict, minlength=len(VERDICTS)).tolist())

    def take(self, rows: np.ndarray) -> "Outcomes":
        """Some of the rows: a mask or indices."""
        return Outcomes(*(getattr(self, name)[rows] for name in COLUMNS))

    def same_but_for_time(self, other: "Outcomes") -> bool:
        """Are the rows the same, CPU times aside?"""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in SURE_COLUMNS)


COLUMNS = {"seed": np.uint64, "base": np.int8, "verdict": np.int8, "nodes": np.int64, "solution_length": np.int32,
           "microseconds": np.int64}
"""Type of each column, in the order of the fields of Outcomes."""

SURE_COLUMNS = [name for name in COLUMNS if name != "microseconds"]
"""The columns that are the same on every machine."""


def gather(rows: Iterable[Row]) -> Outcomes:
    """Columns of rows, by seed in rising order."""
    columns = zip(*sorted(rows), strict=True)
    return Outcomes(*(np.array(column, kind) for column, kind in zip(columns, COLUMNS.values(), strict=True)))


def join(parts: Sequence[Outcomes]) -> Outcomes:
    """All rows of several outcomes, by seed in rising order; no parts make no rows."""
    joined = Outcomes(*(np.concatenate([np.empty(0, kind), *(getattr(part, name) for part in parts)])
                        for name, kind in COLUMNS.items()))
    return joined.take(np.argsort(joined.seed))
