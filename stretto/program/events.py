"""What a run says while it runs, to whoever drives it."""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias

from stretto.program.families import Distribution
from stretto.program.values import Value


class Draw(NamedTuple):
    """A random choice awaiting its value."""

    address: str
    distribution: Distribution
    draws: type[bool] | type[int] | type[float]
    """The type its value has to have."""


class Observation(NamedTuple):
    """A value the program scores itself."""

    address: str
    distribution: Distribution
    value: Value


class Weight(NamedTuple):
    """What the program adds to the log weight of its run."""

    logw: float
    warning: str | None = None
    """For a weight of −∞, the soft error behind it."""


Event: TypeAlias = Draw | Observation | Weight

Steps: TypeAlias = Generator[Event, Value | None, Value]
"""A run under way: sent each draw's value, and None after what needs no answer."""
