"""
Decisions as arrays of rows: the numbers a local model's fit knows, padded to one shape.

A number is known when enough of the tasks that are fitted on have it. What one session
alone holds (a name, an address) is therefore in no model.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int32
from numpy.typing import NDArray

from stretto.oracle.local.case import Case
from stretto.oracle.local.hashing import Numbers, numbers
from stretto.oracle.local.net import marks_of

FEWEST, MOST, SHARE = 2, 10, 0.1
"""A number is known that this share of the tasks have, of 2 to 10 of them."""

_NOTHING = np.uint32(0)


class Told(NamedTuple):
    """A case's numbers; 0 is none."""

    words: Numbers
    marks: NDArray[np.uint32]
    """Option by slot; a slot holds one mark of the state for every option."""


class Known(NamedTuple):
    """The numbers that a fit knows, rising; the row of the first is 1."""

    words: Numbers
    marks: Numbers


class Rows(NamedTuple):
    """Decisions as rows of parameters; row 0 is none."""

    words: Int32[np.ndarray, "decision word"]
    marks: Int32[np.ndarray, "decision option mark"]
    offered: Bool[np.ndarray, "decision option"]
    taken: Int32[np.ndarray, " decision"]
    weight: Float[np.ndarray, " decision"]
    """1, or 0 for a decision that only fills a batch up."""

    def take(self, places: NDArray[np.intp], size: int) -> "Rows":
        """The decisions at some places, and as many of no weight as make up `size`."""
        filled = np.concatenate([places, np.zeros(size - len(places), np.intp)])
        taken = Rows(*(column[filled] for column in self))
        weight = np.where(np.arange(size) < len(places), taken.weight, 0.0)
        return taken._replace(weight=weight.astype(np.float32))


def told(case: Case) -> Told:
    """A case's numbers."""
    return Told(numbers(case.clues.words), marks_of(case.clues))


def known(tolds: Sequence[Told], tasks: Sequence[str]) -> Known:
    """The numbers that enough of the tasks have."""
    needed = min(max(math.ceil(SHARE * len(set(tasks))), FEWEST), MOST)
    return Known(
        _common([t.words for t in tolds], tasks, needed),
        _common([t.marks.ravel() for t in tolds], tasks, needed),
    )


def rows(
    cases: Sequence[Case], tolds: Sequence[Told], known: Known, offering: int
) -> Rows:
    """
    The cases as rows, each case's step being among what is offered.

    Args:
        offering: Whose offers count: the place in `Case.offered`.
    """
    words = [found[found > 0] for t in tolds for found in [_places(known.words, t[0])]]
    marks = [_compact(_places(known.marks, t.marks)) for t in tolds]
    most = max((len(case.options) for case in cases), default=1)
    offered = np.zeros((len(cases), most), bool)
    for row, case in zip(offered, cases, strict=True):
        row[: len(case.options)] = [o in case.offered[offering] for o in case.options]
    return Rows(
        _padded(words, (_room(words, 64),)),
        _padded(marks, (most, _room([m.T for m in marks], 32))),
        offered,
        np.array([_index(case) for case in cases], np.int32),
        np.ones(len(cases), np.float32),
    )


def _index(case: Case) -> int:
    assert case.taken is not None
    return case.options.index(case.taken)


def _common(found: Sequence[Numbers], tasks: Sequence[str], needed: int) -> Numbers:
    by_task: dict[str, list[Numbers]] = defaultdict(list)
    for of_case, task in zip(found, tasks, strict=True):
        by_task[task].append(of_case)
    once = [np.unique(np.concatenate(of_task)) for of_task in by_task.values()]
    if not once:
        return numbers(())
    values, counts = np.unique(np.concatenate(once), return_counts=True)
    common: Numbers = values[(counts >= needed) & (values != _NOTHING)]
    return common


def _places(known: Numbers, found: NDArray[np.uint32]) -> NDArray[np.int32]:
    """The rows of some numbers, from 1; 0 for one that is not known."""
    if not len(known):
        return np.zeros(found.shape, np.int32)
    places = np.minimum(np.searchsorted(known, found), len(known) - 1)
    return np.where(known[places] == found, places + 1, 0).astype(np.int32)


def _compact(marks: NDArray[np.int32]) -> NDArray[np.int32]:
    """The slots in which some option has a row."""
    return marks[:, marks.any(axis=0)]


def _room(found: Sequence[NDArray[np.int32]], step: int) -> int:
    """The longest length, rounded up, so that few shapes are compiled."""
    longest = max(map(len, found), default=0)
    return max(math.ceil(longest / step), 1) * step


def _padded(
    found: Sequence[NDArray[np.int32]], shape: tuple[int, ...]
) -> NDArray[np.int32]:
    out = np.zeros((len(found), *shape), np.int32)
    for row, value in zip(out, found, strict=True):
        row[tuple(slice(n) for n in value.shape)] = value
    return out
