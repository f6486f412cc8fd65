"""Families whose distributions are all known before a run, as the rows of a table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stretto.program.batch.lanes import Arrays, Lanes, Operand, kind_of
from stretto.program.families import Family

Tabulated: TypeAlias = type[bool] | type[int]
"""A type whose values number the rows or columns of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Tabled(Family):
    """
    A family with a log-probability for each of its arguments and values.

    Of an integer argument, the last row stands for every larger number, and there is
    none for a negative one. A value beyond its row has no probability.
    """

    draws: Tabulated
    takes: tuple[Tabulated, ...]
    """The type of each argument."""
    log_p: Lanes
    """By arguments, then by value; false before true."""


def log_probs(
    arrays: Arrays, log_p: Lanes, args: Sequence[Operand], value: Operand
) -> Lanes:
    """
    The log-probability of each lane's value at its arguments, by `Tabled.log_p`.

    No argument is negative, but in lanes of which nothing is asked.
    """
    xp = arrays.xp
    *sizes, width = log_p.shape
    row: Operand = 0
    for arg, size in zip(args, sizes, strict=True):
        row = row * size + (arg if kind_of(arg) is bool else xp.minimum(arg, size - 1))
    found: Lanes = xp.take(xp.ravel(log_p), row * width + value, mode="clip")
    if kind_of(value) is int:
        found = xp.where((value >= 0) & (value < width), found, -math.inf)
    return found
