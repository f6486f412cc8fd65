"""
The network that scores the options of a state, in NumPy.

A text's words have an embedding each, and so have the marks of an option: what is told
of it alone, and the state's marks crossed with it. An option's score is the sum of its
marks' weights, and the inner product of the two embeddings, each summed over the n
numbers that are known and divided by √(1 + n). A number that was not learned from
counts for nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stretto.oracle.local.clues import Clues
from stretto.oracle.local.hashing import Numbers, crossed, numbers

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers that are known, rising from 1 up, and a row of parameters each."""

    numbers: Numbers
    rows: Scores
    """Number by dimension."""

    def summed(self, found: Numbers) -> tuple[Scores, Scores]:
        """
        For each line of `found`: the sum of its known numbers' rows, and 1/√(1 + n).
        """
        if not len(self.numbers):
            return np.zeros((len(found), self.rows.shape[1])), np.ones(len(found))
        places = self.numbers.searchsorted(found)
        is_known = self.numbers.take(places, mode="clip") == found
        counts = np.count_nonzero(is_known, axis=1)
        begins, has_any = counts.cumsum() - counts, counts > 0
        sums = np.zeros((len(found), self.rows.shape[1]))
        rows = self.rows.take(places[is_known], axis=0)
        sums[has_any] = np.add.reduceat(rows, begins[has_any], axis=0)
        return sums, 1 / np.sqrt(1 + counts)


@dataclass(frozen=True, slots=True)
class Net:
    """The network's parameters."""

    words: Table
    marks: Table
    """A mark's weight, and then its embedding."""

    def scores(self, clues: Clues) -> Scores:
        """Each option's score, in their order; only their differences mean anything."""
        said, scale = self.words.summed(numbers(clues.words)[None])
        marked, scales = self.marks.summed(marks_of(clues))
        scores: Scores = marked[:, 0] + marked[:, 1:] @ said[0] * (scale * scales)
        return scores


def marks_of(clues: Clues) -> Numbers:
    """
    Each option's marks, option by slot: the state's crossed with it, then its own.

    Those of fewer own marks are filled up with 0, which is no mark's number.
    """
    crosses = crossed(numbers(clues.marks), clues.names)
    own = np.zeros((len(clues.own), max(map(len, clues.own), default=0)), np.uint32)
    for row, of_option in zip(own, clues.own, strict=True):
        row[: len(of_option)] = of_option
    return np.concatenate([crosses, own], axis=1)
