"""What habits are learned from and measured on, and the one that all sessions teach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stretto.episodes.vocabulary import Vocabulary
from stretto.evaluate.sketch import Side, Sketch
from stretto.habit.backoff import Habit, fit_habit
from stretto.habit.concentration import Posterior, grid
from stretto.habit.encode import Encoded
from stretto.habit.prequential import prequential

ORDER = 2
"""How many steps of history a habit looks at."""

Encodings: TypeAlias = Sequence[Encoded]
"""The sessions as a habit sees them, in the order of their sketches."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The sessions of both sides, and how habits are learned from them."""

    sketches: Sequence[Sketch]
    vocab: Vocabulary
    alpha: float | None = None
    """The concentration, where it is given."""
    features: bool = True

    def teaching(self, encodings: Encodings) -> list[Encoded]:
        """The sessions that the habit of all agents is learned from."""
        return [
            encoded
            for s, encoded in zip(self.sketches, encodings, strict=True)
            if s.teaches and not s.is_target
        ]

    def measured(self, encodings: Encodings) -> list[Encoded]:
        """The held-out sessions of the agents learned from."""
        return [
            encoded
            for s, encoded in zip(self.sketches, encodings, strict=True)
            if s.side is Side.TEST and not s.is_target
        ]

    def habit(self, encodings: Encodings, alpha: float, order: int = ORDER) -> Habit:
        """The habit of the sessions that teach."""
        taught = self.teaching(encodings)
        size = self.vocab.size
        return fit_habit(taught, order=order, alpha=alpha, vocab_size=size)

    def concentration(self, encodings: Encodings) -> Posterior | None:
        """What the sessions that teach say of α; None where it is given."""
        if self.alpha is not None:
            return None
        return grid(prequential(self.teaching(encodings), self.vocab.size, order=ORDER))

    def alpha_of(self, encodings: Encodings) -> float:
        """The given concentration, or the median of what is inferred."""
        found = self.concentration(encodings)
        if found is None:
            assert self.alpha is not None
            return self.alpha
        return found.median
