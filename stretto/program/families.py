"""What a program's names stand for: families of distributions, and functions."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol, TypeAlias, runtime_checkable

from stretto.program.values import Value

SLACK = 1e-6
"""How far from one the probabilities of a categorical may sum."""


@runtime_checkable
class Distribution(Protocol):
    """What a value is drawn from and scored under."""

    def log_prob(self, value: Value) -> float:
        """The log-probability or log-density of a value, in nats."""

    def draw(self, random: Random) -> Value:
        """A value drawn with a generator."""


@dataclass(frozen=True, slots=True)
class Family:
    """A named distribution, before it has its arguments."""

    draws: type[bool] | type[int] | type[float]
    """The type of what it draws."""
    arity: int
    make: Callable[..., Distribution]
    """The distribution at its arguments; a ValueError says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Function:
    """A named function of values."""

    arity: int
    apply: Callable[..., Value]
    """The value at its arguments; a ValueError says what is wrong with them."""


Registry: TypeAlias = Mapping[str, Family | Function]
"""What the names of a program's families and functions stand for."""


@dataclass(frozen=True, slots=True)
class Categorical:
    """
    A number from 0 up, each with its own probability.

    Raises:
        ValueError: a probability is negative or NaN, or they do not sum to one.
    """

    probs: Sequence[float]
    log_probs: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not all(p >= 0.0 for p in self.probs):
            raise ValueError("a probability is negative")
        if not abs(math.fsum(self.probs) - 1.0) <= SLACK:
            raise ValueError(f"the probabilities sum to {math.fsum(self.probs):g}")
        object.__setattr__(self, "log_probs", tuple(map(log, self.probs)))

    def log_prob(self, value: Value) -> float:
        """The log-probability of a number; −∞ for one that is not there."""
        if type(value) is int and 0 <= value < len(self.log_probs):
            return self.log_probs[value]
        return -math.inf

    def draw(self, random: Random) -> int:
        """The first number whose cumulative probability reaches a uniform draw."""
        u, reached, last = random.random(), 0.0, 0
        for number, p in enumerate(self.probs):
            reached += p
            if p > 0.0:
                last = number
                if reached >= u:
                    break
        return last


@dataclass(frozen=True, slots=True)
class Bernoulli:
    """
    True with one probability, false with the rest.

    Raises:
        ValueError: it is no probability.
    """

    p: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.p <= 1.0:
            raise ValueError(f"{self.p:g} is no probability")

    def log_prob(self, value: Value) -> float:
        """The log-probability of a boolean."""
        if not isinstance(value, bool):
            return -math.inf
        if value:
            return log(self.p)
        return math.log1p(-self.p) if self.p < 1.0 else -math.inf

    def draw(self, random: Random) -> bool:
        """True where a uniform draw stays below the probability."""
        return random.random() < self.p


def log(p: float) -> float:
    """The natural logarithm of a number not below 0; −∞ at 0."""
    return math.log(p) if p > 0.0 else -math.inf
