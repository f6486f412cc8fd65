"""
Deciders on the same sessions: what each comes to, and how far from another.

Every measure is a function of sums over tasks, so that one draw of tasks gives them all
for every decider, and a difference between two is paired by the task.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from stretto.evaluate.calibration import N_BINS
from stretto.evaluate.decisions import Scored
from stretto.evaluate.intervals import Floats, Interval, resampled
from stretto.evaluate.rows import Row

Measure: TypeAlias = Callable[[Floats], Floats]
"""What rows of sums come to, a number for each row."""

Session: TypeAlias = tuple[Hashable, Sequence[Scored], Row]
"""A session's task, the decisions scored in it, and what its replay came to."""

OF_DECISIONS = ("decisions", "agreed", "surprise", "offered", "surprise offered")
OF_REPLAYS = ("turns", "turns saved", "lookups", "detours")
COLUMNS = OF_DECISIONS + OF_REPLAYS
"""What is summed over a task; after these, for each tenth, Σ (top p − agreed)."""

_DECISION = slice(len(OF_DECISIONS))
_REPLAY = slice(len(OF_DECISIONS), len(COLUMNS))
_TENTHS = slice(len(COLUMNS), None)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure, and how far it would move for other tasks."""

    value: float
    interval: Interval | None
    """Central, 95%; None for fewer than two tasks."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """One decider's sums, task by task."""

    tasks: tuple[Hashable, ...]
    """As texts, rising."""
    by_task: Floats
    """A row for each task, of `COLUMNS` and the tenths."""

    @classmethod
    def of(cls, sessions: Iterable[Session]) -> "Sums":
        """The sums over the sessions of each task."""
        found: dict[Hashable, Floats] = {}
        for task, decisions, row in sessions:
            sums = found.setdefault(task, np.zeros(len(COLUMNS) + N_BINS))
            sums[_REPLAY] += row.turns, row.turns_saved, row.lookups, row.detours
            for decision in decisions:
                _add(sums, decision)
        tasks = tuple(sorted(found, key=str))
        return cls(tasks, np.array([found[task] for task in tasks]))

    def estimate(self, measure: str) -> Estimate:
        """A measure of `MEASURES`."""
        of = MEASURES[measure]
        value = float(of(self.by_task.sum(axis=0)[None])[0])
        if len(self.tasks) < 2:
            return Estimate(value, None)
        return Estimate(value, _central(of(resampled(self.by_task))))

    def beyond(self, other: "Sums", measure: str) -> Estimate:
        """
        How much larger a measure of `MEASURES` is than the other's.

        Raises:
            ValueError: the two are not of the same tasks.
        """
        if self.tasks != other.tasks:
            raise ValueError("the sums are of different tasks")
        of = MEASURES[measure]
        value = self.estimate(measure).value - other.estimate(measure).value
        if len(self.tasks) < 2:
            return Estimate(value, None)
        drawn = of(resampled(self.by_task)) - of(resampled(other.by_task))
        return Estimate(value, _central(drawn))


def _add(sums: Floats, decision: Scored) -> None:
    surprise, top = -decision.log_p, decision.probabilities[decision.top]
    offered = decision.offered
    sums[_DECISION] += 1, decision.agreed, surprise, offered, surprise * offered
    sums[_TENTHS][min(N_BINS - 1, int(N_BINS * top))] += top - decision.agreed


def _central(drawn: Floats) -> Interval | None:
    """The interval of the draws that have a value."""
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return None
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def _total(column: str) -> Measure:
    place = COLUMNS.index(column)
    return lambda sums: sums[:, place]


def _ratio(part: str, whole: str) -> Measure:
    over, under = COLUMNS.index(part), COLUMNS.index(whole)

    def ratio(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            quotient: Floats = sums[:, over] / sums[:, under]
        return quotient

    return ratio


def _ece(sums: Floats) -> Floats:
    """Σ over tenths of |Σ (top p − agreed)|, over the decisions."""
    off = np.abs(sums[:, _TENTHS]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        error: Floats = off / sums[:, COLUMNS.index("decisions")]
    return error


MEASURES: Mapping[str, Measure] = {
    "decisions": _total("decisions"),
    "agreement": _ratio("agreed", "decisions"),
    "log loss": _ratio("surprise", "decisions"),
    "log loss offered": _ratio("surprise offered", "offered"),
    "ECE": _ece,
    "turns saved": _total("turns saved"),
    "share saved": _ratio("turns saved", "turns"),
    "lookups": _total("lookups"),
    "detours": _total("detours"),
}
"""Log losses are in nats a decision; NaN where there is nothing to divide by."""
