"""Which of a batch's runs go on, and what ended the others."""

from enum import IntEnum

from stretto.program.batch.lanes import Arrays, Lanes


class Fault(IntEnum):
    """What a run came to first that it does not get past."""

    NONE = 0
    SOFT = 1
    """A value that cannot be computed. The interpreter goes on, at probability 0."""
    MISSING = 2
    """A draw without a choice."""
    MISTYPED = 3
    """A choice of another type than its draw, or an integer beyond 64 bits."""
    TWICE = 4
    """An address, for the second time."""
    LEFT_OVER = 5
    """A choice no draw came to."""
    UNFINISHED = 6
    """A loop's turn beyond those that were compiled."""


class Runs:
    """The runs of a batch, a lane each."""

    def __init__(self, arrays: Arrays, lanes: int) -> None:
        xp = arrays.xp
        self.arrays = arrays
        self.alive: Lanes = xp.ones(lanes, bool)
        self.fault: Lanes = xp.zeros(lanes, xp.int8)

    def end(self, lanes: Lanes, fault: Fault) -> None:
        """End these runs, of those that have not ended before."""
        ending = lanes & self.alive
        if self.arrays.some(ending):
            code = self.arrays.xp.int8(fault)
            self.fault = self.arrays.xp.where(ending, code, self.fault)
            self.alive = self.alive & ~ending
