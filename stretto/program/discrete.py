"""
The families of the general registry that draw integers and booleans.

Each function says what its arguments are, and raises a ValueError where they are not.
"""

import math

from stretto.program.counting import events, successes
from stretto.program.families import Bernoulli, Categorical
from stretto.program.parametric import (
    MOST,
    Parametric,
    chance,
    count,
    positive,
    powered,
    real,
)
from stretto.program.values import Value, describe


def bernoulli(p: Value) -> Bernoulli:
    """The probability of true."""
    return Bernoulli(chance(p))


def binomial(trials: Value, success: Value) -> Parametric:
    """The number of trials, and the probability that one succeeds."""
    n, p = count(trials), chance(success)

    def density(x: float) -> float:
        if not 0 <= x <= n:
            return -math.inf
        ways = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
        return ways + powered(p, x) + powered(1 - p, n - x)

    return Parametric("Binomial", (n, p), density, lambda r: successes(n, p, r))


def poisson(rate: Value) -> Parametric:
    """A rate."""
    k = positive(rate)
    if k > MOST:
        raise ValueError(f"a rate of {k:g} is too large")

    def density(x: float) -> float:
        return x * math.log(k) - k - math.lgamma(x + 1) if x >= 0 else -math.inf

    return Parametric("Poisson", (k,), density, lambda r: events(k, r))


def discrete_uniform(low: Value, high: Value) -> Parametric:
    """The least and the largest, both included."""
    if type(low) is not int or type(high) is not int or low > high:
        raise ValueError(f"{low} and {high} are not the ends of a range of integers")

    def density(x: float) -> float:
        return -math.log(high - low + 1) if low <= x <= high else -math.inf

    args = (low, high)
    return Parametric("DiscreteUniform", args, density, lambda r: r.randint(*args))


def categorical(probs: Value) -> Categorical:
    """An array with the probability of each number from 0 up."""
    if not isinstance(probs, tuple):
        raise ValueError(f"{describe(probs)} is no array")
    return Categorical(tuple(map(real, probs)))
