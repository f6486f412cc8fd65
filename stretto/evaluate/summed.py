"""What many settings come to over many episodes, added up without a row for each."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.counts import BITS, NAMES


class Sum(NamedTuple):
    """What one setting came to."""

    turns_saved: int
    lookups: int
    detours: int


class Summed:
    """By setting, what the episodes so far came to."""

    def __init__(self, n: int) -> None:
        self._sums = np.zeros((len(NAMES), n), np.int64)

    def add(self, packed: NDArray[np.int64]) -> None:
        """One episode more: what each setting counts in it, packed."""
        self._sums += packed >> _PLACES & (1 << BITS) - 1

    def __iter__(self) -> Iterator[Sum]:
        for counts in self._sums.T.tolist():
            of = dict(zip(NAMES, counts, strict=True))
            detours = of["lookups"] - of["used_next"] - of["used_later"]
            yield Sum(of["turns_saved"], of["lookups"], detours)


_PLACES = BITS * np.arange(len(NAMES))[:, None]
