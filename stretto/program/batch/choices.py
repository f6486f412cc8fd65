"""The choices of many runs, by address."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stretto.program.batch.lanes import Lanes
from stretto.program.values import Value

Ints: TypeAlias = NDArray[np.int64]

ABSENT, BOOLEAN, INTEGER, OTHER = range(4)
"""What a run has at an address: nothing, or a value of that type."""

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
"""As a program prints one."""


class Column(NamedTuple):
    """What each run has at one address."""

    value: Lanes
    """Booleans where every run has one; otherwise integers."""
    has: Lanes
    """`ABSENT`, `BOOLEAN`, `INTEGER` or `OTHER`."""

    def part(self, lanes: slice) -> "Column":
        """The same for some of the runs."""
        return Column(self.value[lanes], self.has[lanes])


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """
    The choices of many runs of one program, a lane for each run.

    The shorter runs come first: a block of lanes takes as long as its longest run.
    """

    columns: Mapping[str, Column]
    """By address."""
    order: Ints
    """The run of each lane, by its place among those the batch was made of."""

    @classmethod
    def of(cls, choices: Sequence[Mapping[str, Value]]) -> "Batch":
        """The batch of these runs' choices, each by address."""
        n = len(choices)
        order = np.argsort([len(run) for run in choices], kind="stable")
        cells: dict[str, _Cells] = {}
        for lane, run in enumerate(order.tolist()):
            for address, value in choices[run].items():
                if (found := cells.get(address)) is None:
                    found = cells[address] = _Cells([], [])
                found.lanes.append(lane)
                found.values.append(value)
        columns = {address: found.column(n) for address, found in cells.items()}
        return cls(columns, order)

    def __len__(self) -> int:
        return len(self.order)


def numbered(name: str, addresses: Iterable[str]) -> dict[int, str]:
    """Those of `addresses` that are `name` with a number, by number."""
    prefix = f"{name}#"
    found = {}
    for address in addresses:
        number = address.removeprefix(prefix)
        if number != address and _NUMBER.fullmatch(number) and _fits(int(number)):
            found[int(number)] = address
    return found


class _Cells(NamedTuple):
    """The lanes that have something at an address, and what."""

    lanes: list[int]
    values: list[Value]

    def column(self, n: int) -> Column:
        kinds = [_has(value) for value in self.values]
        has = np.zeros(n, np.int8)
        has[self.lanes] = kinds
        alike = set(kinds) == {BOOLEAN}
        value: Lanes = np.zeros(n, np.bool_ if alike else np.int64)
        value[self.lanes] = [
            0 if kind == OTHER else found
            for found, kind in zip(self.values, kinds, strict=True)
        ]
        return Column(value, has)


def _has(value: Value) -> int:
    if type(value) is int:
        return INTEGER if _fits(value) else OTHER
    return BOOLEAN if type(value) is bool else OTHER


def _fits(number: int) -> bool:
    return -(2**63) <= number < 2**63
