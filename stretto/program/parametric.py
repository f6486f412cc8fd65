"""Distributions given by a log density and a way to draw."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from stretto.program.values import Value, describe

MOST = 2**62
"""The largest count a family takes, so that what it draws fits in 64 bits."""

Density: TypeAlias = Callable[[float], float]
"""A log density in nats; −∞ outside the support."""


@dataclass(frozen=True, slots=True)
class Parametric:
    """A distribution given by its log density and a way to draw from it."""

    name: str
    args: tuple[float, ...]
    """As its family takes them."""
    log_density: Density
    sample: Callable[[Random], float]

    def log_prob(self, value: Value) -> float:
        """The log density of a number; −∞ where it has none."""
        if isinstance(value, bool | tuple):
            return -math.inf
        try:
            return self.log_density(value) if math.isfinite(value) else -math.inf
        except OverflowError:
            return -math.inf

    def draw(self, random: Random) -> Value:
        """A number drawn with a generator; +∞ for one no float can hold."""
        try:
            return self.sample(random)
        except (OverflowError, ZeroDivisionError):
            return math.inf


def powered(x: float, exponent: float) -> float:
    """log(x^exponent), where 0⁰ is 1."""
    if exponent == 0:
        return 0.0
    if x == 0:
        return -math.inf if exponent > 0 else math.inf
    return exponent * math.log(x)


def real(value: Value) -> float:
    """A finite number, as a float; a ValueError for anything else."""
    if isinstance(value, bool | tuple) or not math.isfinite(value):
        raise ValueError(f"{describe(value)}, where a finite number should be")
    return float(value)


def positive(value: Value) -> float:
    """A finite number above 0, as a float; a ValueError for anything else."""
    if (x := real(value)) <= 0:
        raise ValueError(f"{x:g} is not above 0")
    return x


def chance(value: Value) -> float:
    """A number from 0 to 1; a ValueError for anything else."""
    if not 0 <= (p := real(value)) <= 1:
        raise ValueError(f"{p:g} is no probability")
    return p


def count(value: Value) -> int:
    """An integer from 0 to `MOST`; a ValueError for anything else."""
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError(f"{value} is no number of trials")
    return value
