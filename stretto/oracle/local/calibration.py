"""
Scores as probabilities that mean what they say.

A temperature divides the scores of one type of question. It makes held-out decisions
likeliest [Guo et al. 2017], under a Normal prior of its logarithm around 0: a few
decisions do not move it far from 1, and hundreds move it where they will.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stretto.oracle.local.net import Scores

LOWEST, HIGHEST = 0.2, 5.0
"""The temperatures looked at."""

PRIOR_SD = 0.25
"""Of the temperature's logarithm."""

_STEPS = 40
"""Of the search; each leaves 0.618 of the interval."""

_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True)
class Calibration:
    """How one network's scores are read."""

    next: float = 1.0
    """The temperature of the choice of the next step."""
    tool: float = 1.0
    """That of the choice among lookups, one being taken for granted."""
    go_on: float = 1.0
    """That of whether another lookup comes at all."""
    again: tuple[float, ...] = (0.5,) * 6
    """
    How often the agent called the last tool again, by how many ids it could still take
    were left unread, in the steps of `tokens.bucket`.
    """


def probabilities(scores: Scores, temperature: float = 1.0) -> Scores:
    """The softmax of the last axis; an option of score −∞ has none of it."""
    scaled = scores / temperature
    shares: Scores = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    total: Scores = shares.sum(axis=-1, keepdims=True)
    return shares / total


def temperature(scores: Scores, taken: NDArray[np.intp]) -> float:
    """
    The likeliest temperature given what was taken, between 0.2 and 5.

    Args:
        scores: Decision by option; −∞ where an option was not there.
        taken: Which option was. With no decisions the temperature is 1.
    """
    if not len(taken):
        return 1.0
    low, high = math.log(LOWEST), math.log(HIGHEST)
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _cost(scores, taken, left) <= _cost(scores, taken, right):
            high = right
        else:
            low = left
    return math.exp((low + high) / 2)


def _cost(scores: Scores, taken: NDArray[np.intp], log_temperature: float) -> float:
    """The negative log posterior, in nats, but for a constant."""
    unlikely = len(taken) * loss(scores, taken, math.exp(log_temperature))
    return unlikely + 0.5 * (log_temperature / PRIOR_SD) ** 2


def loss(scores: Scores, taken: NDArray[np.intp], temperature: float = 1.0) -> float:
    """The mean negative log probability of what was taken, in nats."""
    shares = probabilities(scores, temperature)[np.arange(len(taken)), taken]
    return float(-np.log(np.maximum(shares, np.finfo(np.float64).tiny)).mean())
