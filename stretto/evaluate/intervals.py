"""Shares with intervals that respect how sessions come: several to a task."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.rows import Row

Floats: TypeAlias = NDArray[np.float64]

N_DRAWS = 4000
SEED = 0
CELLS = 2**21
"""The most numbers that draws are held in at once: 16 MiB."""


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


def saved_interval(rows: Sequence[Row]) -> Interval | None:
    """That of the share of turns saved, of replays."""
    return share_interval(
        [row.task for row in rows],
        [row.turns_saved for row in rows],
        [row.turns for row in rows],
    )


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

    A task's episodes stay together; a task without a whole is drawn as any other, and a
    draw without one is left out. None for fewer than two tasks with a whole.

    Args:
        tasks: Each episode's task; `parts` and `wholes` go with it.
    """
    names = sorted(set(tasks), key=str)
    place = {name: i for i, name in enumerate(names)}
    sums = np.zeros((len(names), 2))
    for task, part, whole in zip(tasks, parts, wholes, strict=True):
        sums[place[task]] += part, whole
    if np.count_nonzero(sums[:, 1]) < 2:
        return None
    drawn = resampled(sums, draws=draws, seed=seed)
    drawn = drawn[drawn[:, 1] > 0]
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
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
    sums = np.zeros((len(names), 1))
    for task, one, other in zip(tasks, ones, others, strict=True):
        sums[place[task], 0] += one - other
    drawn = resampled(sums, draws=draws, seed=seed)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def drawn_sums(
    tasks: Sequence[Hashable],
    rows: Floats,
    *,
    draws: int = N_DRAWS,
    seed: int = SEED,
) -> tuple[Floats, Floats]:
    """
    The sums of each task's rows, and those of the tasks of each draw.

    Tasks are drawn with replacement, as many as there are, and stay whole; the tasks
    and draws are those of `share_interval`.

    Args:
        rows: One an episode; `tasks` goes with it.
    """
    names = sorted(set(tasks), key=str)
    place = {name: i for i, name in enumerate(names)}
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, [place[task] for task in tasks], rows)
    return sums, resampled(sums, draws=draws, seed=seed)


def percentiles(values: Floats) -> Interval | None:
    """The central 95% of the draws that came to a number; None where none did."""
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


Z_90 = 1.6448536
"""The normal quantile of a central 90% interval."""


def wilson_lower(k: int, n: int, *, z: float = Z_90) -> float:
    """
    The lower end of Wilson's interval for a share of k in n; 0 where n is 0.

    [Wilson 1927]
    """
    if k == 0 or n == 0:
        return 0.0
    p = k / n
    centre = p + z * z / (2 * n)
    margin = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (centre - margin) / (1 + z * z / n))


def resampled(sums: Floats, *, draws: int = N_DRAWS, seed: int = SEED) -> Floats:
    """
    Each draw's sums over as many tasks as there are, drawn with replacement.

    As many tasks are drawn alike under one seed, so that whatever is taken of two such
    results is paired. No more than `CELLS` numbers of draws are held at once.

    Args:
        sums: A row for each task, a column for each quantity.
    """
    if draws * len(sums) <= CELLS:
        return _kept(len(sums), draws, seed) @ sums
    random = np.random.default_rng(seed)
    at_once = max(1, CELLS // len(sums))
    blocks = [min(at_once, draws - done) for done in range(0, draws, at_once)]
    return np.vstack([_times_drawn(random, len(sums), n) @ sums for n in blocks])


@lru_cache(maxsize=4)
def _kept(n: int, draws: int, seed: int) -> Floats:
    """The draws of few tasks, which share after share is taken over."""
    return _times_drawn(np.random.default_rng(seed), n, draws)


def _times_drawn(random: np.random.Generator, n: int, draws: int) -> Floats:
    """How often each of `n` tasks is among the tasks of each draw."""
    picks = random.integers(n, size=(draws, n)) + n * np.arange(draws)[:, None]
    counts = np.bincount(picks.ravel(), minlength=draws * n)
    return counts.reshape(draws, n).astype(np.float64)
