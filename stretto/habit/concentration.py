"""
How much the shorter history is worth: the concentration α, by quadrature.

The posterior has one dimension and is smooth, so its quantiles are computed, not drawn:
no seed, no Monte-Carlo error. `stretto.models.concentration` draws from the same
density with a Markov chain, and agrees.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.polynomial import Chebyshev

from stretto.habit.columns import Floats
from stretto.habit.prequential import Prequential, log_evidence

Sampler: TypeAlias = Literal["grid", "nuts", "mh"]

PRIOR_SD = 2.0
"""log α ~ Normal(0, this): the central 95% of α is 0.02 to 50 observations."""

QUANTILES = (0.05, 0.5, 0.95)

_LOG_ALPHA = (-10.0, 14.0)
_DEGREE = 128
"""Of the polynomial that stands in for the evidence: off by less than 1e-5 nats."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the training episodes say about α."""

    median: float
    low: float
    """The 5% quantile."""
    high: float
    """The 95% quantile."""
    sampler: Sampler
    draws: tuple[float, ...] = ()
    """Every draw kept, chain after chain; none where nothing was drawn."""
    r_hat: float | None = None
    ess: float | None = None
    divergences: int = 0


def grid(data: Prequential, *, step: float = 0.002) -> Posterior:
    """
    The posterior by quadrature over log α in [−10, 14].

    Args:
        step: Of log α. Coarse steps put the ends of a narrow posterior's interval too
            far out: by a thousandth of α at 0.02, for some fifty sessions.
    """
    p05, median, p95 = quantiles(data, QUANTILES, step=step)
    return Posterior(median, p05, p95, "grid")


def equally_likely(data: Prequential, n: int) -> list[float]:
    """
    `n` values of α that stand for as many equal parts of its posterior: their medians.

    They are what `n` draws come to without their noise.
    """
    return quantiles(data, [(i + 0.5) / n for i in range(n)])


def quantiles(
    data: Prequential, at: Sequence[float], *, step: float = 0.002
) -> list[float]:
    """The quantiles of α at these probabilities, computed as `grid` says."""
    evidence = Chebyshev.interpolate(
        lambda nodes: np.array([log_evidence(math.exp(x), data) for x in nodes]),
        _DEGREE,
        domain=_LOG_ALPHA,
    )
    low, high = _LOG_ALPHA
    log_alpha = np.linspace(low, high, round((high - low) / step) + 1)
    log_density = evidence(log_alpha) - 0.5 * (log_alpha / PRIOR_SD) ** 2
    found: list[float] = np.exp(_crossings(log_alpha, log_density, at)).tolist()
    return found


def _crossings(x: Floats, log_density: Floats, at: Sequence[float]) -> Floats:
    """Where the trapezoid rule's distribution function, made linear, crosses each."""
    density = np.exp(log_density - log_density.max())
    cumulative = np.append(0.0, np.cumsum(density[1:] + density[:-1]))
    return np.interp(at, cumulative / cumulative[-1], x)
