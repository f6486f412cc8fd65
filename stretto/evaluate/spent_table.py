"""Stretches as two arrays: each different one once, and places to name them by."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.spent import NOTHING, Spent

WHOLE = tuple(name for name in Spent._fields if name != "dollars")
"""The fields that are whole numbers, in their order."""


@dataclass(slots=True)
class Places:
    """A place for each different stretch; that of `NOTHING` is 0."""

    _of: dict[Spent, int] = field(default_factory=lambda: {NOTHING: 0})

    def of(self, spent: Spent) -> int:
        """The place of a stretch, the next one if it has none yet."""
        return self._of.setdefault(spent, len(self._of))

    @property
    def whole(self) -> NDArray[np.int64]:
        """By place: the whole numbers."""
        rows = [[getattr(spent, name) for name in WHOLE] for spent in self._of]
        return np.array(rows, np.int64)

    @property
    def dollars(self) -> NDArray[np.float64]:
        """By place."""
        return np.array([spent.dollars for spent in self._of], np.float64)


def stretches(
    whole: NDArray[np.int64], dollars: NDArray[np.float64]
) -> Sequence[Spent]:
    """The stretches by place."""
    found = [
        Spent(**dict(zip(WHOLE, row, strict=True)), dollars=cost)
        for row, cost in zip(whole.tolist(), dollars.tolist(), strict=True)
    ]
    return [NOTHING if spent == NOTHING else spent for spent in found]
