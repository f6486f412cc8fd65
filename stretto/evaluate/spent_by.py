"""What is spared and spent under several settings, side by side."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.spent import NOTHING, Spent


class SpentBy:
    """By setting, what is spared and spent so far."""

    __slots__ = ("again", "carried", "completion", "dollars", "fresh", "prompt")

    def __init__(self, n: int) -> None:
        self.prompt, self.completion, self.carried, self.fresh, self.again = np.zeros(
            (5, n), np.int64
        )
        self.dollars: NDArray[np.float64] = np.zeros(n)

    @classmethod
    def of(cls, each: Sequence[Spent]) -> "SpentBy":
        """What each setting came to by itself."""
        found = cls(len(each))
        for name in cls.__slots__:
            getattr(found, name)[:] = [getattr(spent, name) for spent in each]
        return found

    def __len__(self) -> int:
        return len(self.dollars)

    def __iter__(self) -> Iterator[Spent]:
        columns = (getattr(self, name).tolist() for name in self.__slots__)
        for values in zip(*columns, strict=True):
            yield Spent(**dict(zip(self.__slots__, values, strict=True)))

    def add(self, who: NDArray[np.intp], then: Spent) -> None:
        """Have some settings go on by the same stretch, as `Spent.then` joins them."""
        if then is NOTHING:
            return
        if then.completion or then.prompt or then.dollars:
            self.prompt[who] += then.prompt
            self.completion[who] += then.completion
            self.dollars[who] += then.dollars
        if not then.turns:
            self.fresh[who] += then.fresh
            return
        carried, fresh = self.carried[who], self.fresh[who]
        self.again[who] += then.again + then.turns * carried + (then.turns - 1) * fresh
        self.carried[who] = carried + fresh + then.carried
        self.fresh[who] = then.fresh
