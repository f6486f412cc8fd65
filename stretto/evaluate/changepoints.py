"""
Has a series changed, and where? Bayesian online change-point detection.

A run is a stretch of values with one mean and one spread, both unknown. After each
value there is a probability for how long the present run has lasted.
[Adams & MacKay 2007] A value may also be an outlier, drawn from the prior; it then
moves its run's moments only as far as it is likely to belong to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lgamma, log, pi, sqrt
from statistics import median
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

HAZARD = 0.01
"""The chance that a run ends with a value."""

OUTLIER = 0.05
"""The share of values that are none of their run's."""

ALARM = 0.5
"""The probability of a recent change above which there is an alarm."""

MIN_RUN = 3
"""The values a new run has to have."""

MIN_BEFORE = 10
"""The values there have to be before it."""

MIN_SCALE = 0.05
"""The least spread a value is taken to have."""

KAPPA, SHAPE = 0.1, 1.0
"""How many values the prior's mean is worth, and the shape of its precision."""


class Prior(NamedTuple):
    """What is taken of a run before its first value."""

    mean: float
    scale: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Prior":
        """
        From the values' median, and the median of how far they step.

        Steps tell of the spread within runs, since few of them are between two.
        """
        steps = [abs(b - a) for a, b in pairwise(values)]
        spread = median(steps) * 1.4826 / sqrt(2) if steps else 0.0
        return cls(median(values), max(spread, MIN_SCALE))


class Change(NamedTuple):
    """An alarm."""

    start: int
    """The place of the first value of the new run."""
    found: int
    """The place of the value at which the alarm came."""
    p: float
    """The probability there of a change among the last values."""


@dataclass(slots=True)
class _Runs:
    """Every length the present run may have, from 0, with its moments."""

    log_p: Floats
    n: Floats
    """The weight of the run's values."""
    mean: Floats
    m2: Floats
    """The weighted sum of squared distances from the mean."""


def run_lengths(values: Sequence[float], prior: Prior) -> Iterator[Floats]:
    """After each value, the probability that the present run has 0, 1, … values."""
    runs = _Runs(*(np.zeros(1) for _ in range(4)))
    for value in values:
        runs = _after(runs, value, prior)
        yield np.exp(runs.log_p)


def changes(
    values: Sequence[float], *, window: int = 10, prior: Prior | None = None
) -> list[Change]:
    """
    The alarms, each where the probability of a recent change rises above a half.

    Args:
        window: The longest run that counts as recent.
        prior: From all values by default, as the published detector has it.
    """
    found: list[Change] = []
    above = False
    known = prior or (Prior.of(values) if values else Prior(0.0, MIN_SCALE))
    for place, p in enumerate(run_lengths(values, known)):
        recent = p[MIN_RUN : min(window, place + 1 - MIN_BEFORE) + 1]
        p_change = float(recent.sum())
        if p_change > ALARM and not above:
            length = MIN_RUN + int(recent.argmax())
            found.append(Change(place + 1 - length, place, p_change))
        above = p_change > ALARM
    return found


def _after(runs: _Runs, value: float, prior: Prior) -> _Runs:
    """The runs once the next value is known."""
    of_run = log(1 - OUTLIER) + _log_predictive(runs, value, prior)
    of_prior = log(OUTLIER) + of_run[:1] - log(1 - OUTLIER)  # length 0 is the prior
    log_value = np.logaddexp(of_run, of_prior)
    weight = np.exp(of_run - log_value)
    joint = runs.log_p + log_value
    log_p = np.append(_log_sum(joint) + log(HAZARD), joint + log(1 - HAZARD))
    n = runs.n + weight
    off = value - runs.mean
    mean = runs.mean + weight * off / n
    m2 = runs.m2 + weight * off * (value - mean)
    return _Runs(log_p - _log_sum(log_p), _grown(n), _grown(mean), _grown(m2))


def _log_predictive(runs: _Runs, value: float, prior: Prior) -> Floats:
    """The log density of the next value, by the run's length: a Student t each."""
    kappa, shape = KAPPA + runs.n, SHAPE + runs.n / 2
    off = runs.mean - prior.mean
    rate = prior.scale**2 + runs.m2 / 2 + KAPPA * runs.n * off**2 / (2 * kappa)
    centre = (KAPPA * prior.mean + runs.n * runs.mean) / kappa
    scale = np.sqrt(rate * (kappa + 1) / (shape * kappa))
    z = (value - centre) / scale
    half = np.array([lgamma(a + 0.5) - lgamma(a) for a in shape.tolist()])
    tail = (shape + 0.5) * np.log1p(z**2 / (2 * shape))
    return half - 0.5 * np.log(2 * shape * pi) - np.log(scale) - tail


def _grown(moments: Floats) -> Floats:
    """The moments by length, each a value longer, and those of an empty run."""
    return np.append(0.0, moments)


def _log_sum(log_p: Floats) -> float:
    most = float(log_p.max())
    return most + log(float(np.exp(log_p - most).sum()))
