"""Intervals that respect how sessions come: several to a task."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

N_DRAWS = 4000
SEED = 0


class Interval(NamedTuple):
    """A central 95% percentile interval."""

    low: float
    high: float


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

    A task's episodes stay together. None for fewer than two tasks, or when a draw's
    wholes can sum to nothing.

    Args:
        tasks: Each episode's task; `parts` and `wholes` go with it.
    """
    names = sorted(set(tasks), key=str)
    if len(names) < 2:
        return None
    place = {name: i for i, name in enumerate(names)}
    sums = np.zeros((2, len(names)))
    for task, part, whole in zip(tasks, parts, wholes, strict=True):
        sums[:, place[task]] += part, whole
    if not (sums[1] > 0).all():
        sums = sums[:, sums[1] > 0]
    if sums.shape[1] < 2:
        return None
    picks = np.random.default_rng(seed).integers(
        sums.shape[1], size=(draws, sums.shape[1])
    )
    drawn = sums[:, picks].sum(axis=2)
    low, high = np.quantile(drawn[0] / drawn[1], [0.025, 0.975])
    return Interval(float(low), float(high))


def difference_interval(
    tasks: Sequence[Hashable],
    ones: Sequence[float],
    others: Sequence[float],
    *,
    draws: int = N_DRAWS,
    seed: int = SEED,
) -> Interval | None:
    """
    The paired bootstrap interval of Σ ones − Σ others over tasks.

    A task's episodes stay together, and each draw has as many tasks as there are. None
    for fewer than two.
    """
    names = sorted(set(tasks), key=str)
    if len(names) < 2:
        return None
    place = {name: i for i, name in enumerate(names)}
    sums = np.zeros(len(names))
    for task, one, other in zip(tasks, ones, others, strict=True):
        sums[place[task]] += one - other
    picks = np.random.default_rng(seed).integers(len(names), size=(draws, len(names)))
    low, high = np.quantile(sums[picks].sum(axis=1), [0.025, 0.975])
    return Interval(float(low), float(high))


Z_90 = 1.6448536
"""The normal quantile of a central 90% interval."""


def wilson_lower(k: int, n: int, *, z: float = Z_90) -> float:
    """
    The lower end of Wilson's interval for a share of k in n; 0 where n is 0.

    [Wilson 1927]
    """
    if n == 0:
        return 0.0
    p = k / n
    centre = p + z * z / (2 * n)
    margin = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (centre - margin) / (1 + z * z / n))
