"""A batch's choices, as its runs come to their addresses."""

from collections.abc import Mapping

from stretto.program.batch.choices import (
    ABSENT,
    BOOLEAN,
    INTEGER,
    Column,
    numbered,
)
from stretto.program.batch.lanes import Lanes
from stretto.program.batch.runs import Fault, Runs
from stretto.program.batch.table import Tabulated

_HAS = {bool: BOOLEAN, int: INTEGER}


class Given:
    """Answers each draw with the run's choice, and ends the runs that have none."""

    def __init__(self, runs: Runs, columns: Mapping[str, Column]) -> None:
        self.runs = runs
        self.columns = columns
        self._seen: dict[str, Lanes] = {}
        self._drawn: dict[str, Lanes] = {}

    def once(self, address: str, act: Lanes) -> Lanes:
        """The runs that had not come to an address before; the others end."""
        if (seen := self._seen.get(address)) is None:
            self._seen[address] = act
            return act
        self.runs.end(act & seen, Fault.TWICE)
        self._seen[address] = seen | act
        return act & self.runs.alive

    def draw(self, address: str, draws: Tabulated, act: Lanes) -> Lanes:
        """The choices at an address, which has to be new to these runs."""
        act = self.once(address, act)
        if (column := self.columns.get(address)) is None:
            self.runs.end(act, Fault.MISSING)
            return self._nothing(act, draws)
        self.runs.end(act & (column.has == ABSENT), Fault.MISSING)
        self.runs.end(act & (column.has != _HAS[draws]), Fault.MISTYPED)
        drawn = self._drawn.get(address)
        self._drawn[address] = act if drawn is None else drawn | act
        return column.value.astype(draws)

    def draw_numbered(
        self, name: str, number: Lanes, draws: Tabulated, act: Lanes
    ) -> Lanes:
        """The choices at an address whose number each run has computed."""
        xp = self.runs.arrays.xp
        value, found = self._nothing(act, draws), act & False
        for n, address in numbered(name, {**self.columns, **self._seen}).items():
            here = act & (number == n)
            value = xp.where(here, self.draw(address, draws, here), value)
            found = found | here
        self.runs.end(act & ~found, Fault.MISSING)
        return value

    def all_made(self) -> None:
        """End the runs that have a choice no draw came to."""
        for address, column in self.columns.items():
            left = column.has != ABSENT
            if (drawn := self._drawn.get(address)) is not None:
                left = left & ~drawn
            self.runs.end(left, Fault.LEFT_OVER)

    def _nothing(self, act: Lanes, draws: Tabulated) -> Lanes:
        zeros: Lanes = self.runs.arrays.xp.zeros(act.shape, draws)
        return zeros
