"""Cases as arrays, at shapes that few data sets differ in, so that few are compiled."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from stretto.flow.case import Case
from stretto.models.arbiter import Choices

MIN_CASES, MIN_OPTIONS = 16, 4


def choices(cases: Sequence[Case], n_features: int) -> Choices:
    """
    The cases, padded to a shape that only grows by halves or doubles.

    Args:
        n_features: Of an option, the last one not counted.
    """
    n_options = max((len(case.features.options) for case in cases), default=1)
    shape = rounded_up(len(cases), MIN_CASES), rounded_up(n_options, MIN_OPTIONS)
    rows = np.zeros((*shape, n_features))
    offered, picked = np.zeros(shape, bool), np.zeros(shape, bool)
    offered[:, 0] = True
    actual = np.zeros(shape[0], np.int32)
    for i, case in enumerate(cases):
        seen = case.features
        rows[i, : len(seen.options)] = seen.rows
        offered[i, : len(seen.options)] = True
        picked[i, seen.pick] = True
        actual[i] = case.actual or 0
    return Choices(*map(jnp.asarray, (rows, offered, picked, actual)))


def rounded_up(n: int, least: int) -> int:
    """The next of `least` times 1, 1.5, 2, 3, 4, 6, 8, …"""
    size = least
    while size < n:
        if size * 3 // 2 >= n:
            return size * 3 // 2
        size *= 2
    return size
