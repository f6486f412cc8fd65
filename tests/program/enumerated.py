"""Every run of a program there is, where its draws are from few values."""

from collections.abc import Callable, Iterator, Sequence

from stretto.program.events import Draw, Steps
from stretto.program.families import Categorical
from stretto.program.handlers import Run, answer
from stretto.program.values import Value


class _Open(Exception):
    """A draw that nothing is chosen for yet."""

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw.address)
        self.draw = draw


def every_run(start: Callable[[], Steps]) -> Iterator[Run]:
    """Each run of positive probability, once."""
    waiting: list[dict[str, Value]] = [{}]
    while waiting:
        choices = waiting.pop()

        def choose(draw: Draw, choices: dict[str, Value] = choices) -> Value:
            if draw.address not in choices:
                raise _Open(draw)
            return choices[draw.address]

        try:
            yield answer(start(), choose)
        except _Open as met:
            waiting += (
                {**choices, met.draw.address: value} for value in support(met.draw)
            )


def support(draw: Draw) -> Sequence[Value]:
    """The values a draw may have."""
    if isinstance(draw.distribution, Categorical):
        return [n for n, p in enumerate(draw.distribution.probs) if p > 0]
    return [False, True]
