"""Arrays with one element for each run, of numpy or of JAX."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Lanes: TypeAlias = NDArray[Any]
"""One element for each run. JAX's arrays have the same operators, and pass for one."""

Shared: TypeAlias = bool | int | float
"""What all runs have alike."""

Operand: TypeAlias = Shared | Lanes

Kind: TypeAlias = type[bool] | type[int] | type[float]
"""The type of a scalar, or of a lane's elements."""


class Arrays(NamedTuple):
    """The library the lanes are of."""

    xp: ModuleType
    """`numpy`, or `jax.numpy`."""
    some: Callable[[Lanes], bool]
    """False only where a mask is known to be empty, so that work may be left out."""


NUMPY = Arrays(np, lambda mask: bool(mask.any()))


def kind_of(value: Operand) -> Kind:
    """The type of a value, or of a lane's elements."""
    if isinstance(value, Shared):
        return type(value)
    return {"b": bool, "i": int}.get(value.dtype.kind, float)
