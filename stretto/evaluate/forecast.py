"""What a habit foretells of each step of recorded episodes, beside what was done."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stretto.habit.backoff import Backoff, Context, Habit
from stretto.habit.encode import Encoded

MIN_EVIDENCE = 5
"""The steps a full context has to have been seen in before its top is relied on."""

Predict: TypeAlias = Callable[[Sequence[int], int], list[float]]
"""The probability of every action, by id, given the history and the group."""


class Forecast(NamedTuple):
    """One step."""

    actual: int
    """The id of what was done."""
    p_actual: float
    top: int
    """The id of the likeliest action, the first of equals."""
    p_top: float
    evidence: float
    """How many training steps had the same full context."""
    context: Context

    @property
    def hit(self) -> bool:
        """Whether the likeliest action is what was done."""
        return self.top == self.actual

    @property
    def confidence(self) -> float:
        """The top's probability, 0 where there is too little evidence for it."""
        return self.p_top if self.evidence >= MIN_EVIDENCE else 0.0


@dataclass(slots=True)
class Forecaster:
    """A habit that remembers what it said of a context: most contexts come often."""

    base: Backoff
    predict: Predict
    _known: dict[tuple[int, Context], tuple[list[float], int, float]] = field(
        default_factory=dict
    )

    @classmethod
    def plain(cls, base: Backoff) -> "Forecaster":
        """Foretells from the back-off counts alone, whatever the group."""
        return cls(base, lambda history, _: base.chances(history))

    @classmethod
    def grouped(cls, habit: Habit) -> "Forecaster":
        """Foretells with the counts of the episode's own group on top."""
        return cls(habit.base, habit.predict)

    def steps(self, encoded: Encoded) -> Iterator[Forecast]:
        """The forecast of each step of an episode, from the steps before it."""
        symbols, order = encoded.symbols, self.base.order
        for step, actual in enumerate(encoded.actions):
            history = symbols[max(0, step - order) : step]
            context = self.base.context(history)
            key = encoded.group, context
            if (known := self._known.get(key)) is None:
                p = self.predict(history, encoded.group)
                top = max(range(len(p)), key=p.__getitem__)
                known = self._known[key] = p, top, self.base.evidence(history)
            p, top, evidence = known
            yield Forecast(actual, p[actual], top, p[top], evidence, context)

    def of(self, episodes: Iterable[Encoded]) -> list[list[Forecast]]:
        """The forecasts of several episodes, episode by episode."""
        return [list(self.steps(encoded)) for encoded in episodes]
