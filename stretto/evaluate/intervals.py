"""Shares with intervals that respect how sessions come: several to a task."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_DRAWS = 4000
SEED = 0


class Interval(NamedTuple):
    """A central 95% percentile interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, with how far it would move for other tasks."""

    part: float
    whole: float
    interval: Interval | None = None
    """Over tasks; None where there are fewer than two."""

    @property
    def value(self) -> float:
        """The part over the whole, 0 where there is no whole."""
        return self.part / self.whole if self.whole else 0.0


def share(
    tasks: Sequence[Hashable],
    parts: Sequence[float],
    wholes: Sequence[float],
) -> Share:
    """Σ parts / Σ wholes, and its interval; all three go episode by episode."""
    return Share(sum(parts), sum(wholes), share_interval(tasks, parts, wholes))


def share_interval(
    tasks: Sequence[Hashable],
    parts: Sequence[float],
    wholes: Sequence[float],
    *,
    draws: int = N_DRAWS,
    seed: int = SEED,
) -> Interval | None:
    """
    The bootstrap interval of Σ parts / Σ wholes over tasks drawn with replacement.

    A task's episodes stay together. None for fewer than two tasks with a whole.

    Args:
        tasks: Each episode's task; `parts` and `wholes` go with it.
    """
    names = sorted(set(tasks), key=str)
    place = {name: i for i, name in enumerate(names)}
    sums = np.zeros((len(names), 2))
    for task, part, whole in zip(tasks, parts, wholes, strict=True):
        sums[place[task]] += part, whole
    sums = sums[sums[:, 1] > 0]
    if len(sums) < 2:
        return None
    drawn = _times_drawn(len(sums), draws, seed) @ sums
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    return Interval(float(low), float(high))


@lru_cache(maxsize=16)
def _times_drawn(n: int, draws: int, seed: int) -> NDArray[np.float64]:
    """How often each of `n` tasks is among the tasks of each draw."""
    picks = np.random.default_rng(seed).integers(n, size=(draws, n))
    flat = picks + n * np.arange(draws)[:, None]
    counts = np.bincount(flat.ravel(), minlength=draws * n)
    return counts.reshape(draws, n).astype(np.float64)
