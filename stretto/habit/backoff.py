"""
A habit: how often each action followed the last steps, backed off to shorter histories.

With c_j the last j symbols, P_j(a) = (n(c_j, a) + α·P_{j-1}(a)) / (n(c_j) + α), and
P_{-1} is uniform over the vocabulary. [MacKay & Peto 1995] It is plain Python, and a
live decision takes microseconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple, TypeAlias, TypeVar

from stretto.episodes.vocabulary import START
from stretto.habit.encode import Encoded

K = TypeVar("K")

Context: TypeAlias = tuple[int, ...]
"""The symbols before a step, oldest first, with `START` before the first step."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What followed a context, in weighted steps."""

    by_action: Mapping[int, float]
    total: float


Level: TypeAlias = Mapping[Context, Counts]
"""The contexts of one length that were seen."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """
    Counts after contexts of every length up to `order`, each backed by the shorter one.

    Counts of the action that came next give chances that sum to one. Those of the
    actions that came before the next write (`fit_reach`) need not.
    """

    order: int
    alpha: float
    """How many observations the shorter context's chances are worth; above 0."""
    vocab_size: int
    levels: tuple[Level, ...]
    """By context length, 0 to `order`."""

    def chances(self, history: Sequence[int]) -> list[float]:
        """The chance of every action, by id, after the episode's symbols so far."""
        return self.chance(history, range(self.vocab_size))

    def chance(self, history: Sequence[int], actions: Iterable[int]) -> list[float]:
        """The chance of each of `actions`, in their order."""
        layers = _layers(self, self.context(history))
        return _blend(layers, actions, 1.0 / self.vocab_size)

    def evidence(self, history: Sequence[int]) -> float:
        """The steps seen after the longest context of `history`; 0 if it is new."""
        seen = self.levels[self.order].get(self.context(history))
        return 0.0 if seen is None else seen.total

    def context(self, history: Sequence[int]) -> Context:
        """The last `order` symbols of `history`, padded on the left."""
        start = len(history) - self.order
        if start < 0:
            return (START,) * -start + tuple(history)
        return tuple(history[start:])


@dataclass(frozen=True, slots=True)
class Habit:
    """
    The next action's distribution, given the last steps and the episode's group.

    `top` counts the longest contexts per group. In a flow, where every episode has
    group 1, it repeats the longest level, whose counts so apply twice.
    """

    base: Backoff
    beta: float
    """How many observations the base's chances are worth to the group; above 0."""
    top: Mapping[tuple[int, Context], Counts]

    def predict(self, history: Sequence[int], group: int = 1) -> list[float]:
        """The probability of every action, by id; sums to one."""
        return self.chance(history, range(self.base.vocab_size), group)

    def chance(
        self, history: Sequence[int], actions: Iterable[int], group: int = 1
    ) -> list[float]:
        """The probability of each of `actions`, in their order."""
        context = self.base.context(history)
        layers = _layers(self.base, context)
        seen = self.top.get((group, context))
        if seen is not None:
            layers.append(_layer(seen, self.beta))
        return _blend(layers, actions, 1.0 / self.base.vocab_size)

    def evidence(self, history: Sequence[int]) -> float:
        """The steps seen after the longest context of `history`; 0 if it is new."""
        return self.base.evidence(history)


class Walk(NamedTuple):
    """An episode's symbols, and for each step the actions it counts for."""

    symbols: tuple[int, ...]
    counted: Sequence[Sequence[int]]
    group: int = 1
    weight: float = 1.0


def fit_habit(
    encoded: Iterable[Encoded], *, order: int = 2, alpha: float, vocab_size: int
) -> Habit:
    """The habit of these episodes, each step counted at its episode's weight; β = α."""
    walks = [
        Walk(e.symbols, [(action,) for action in e.actions], e.group, e.weight)
        for e in encoded
    ]
    base = Backoff(order, alpha, vocab_size, fit_levels(walks, order))
    top = _count((w, zip(repeat(w.group), _contexts(w, order))) for w in walks)
    return Habit(base, alpha, top)


def fit_levels(walks: Sequence[Walk], order: int) -> tuple[Level, ...]:
    """The counts after each context of length 0 to `order`."""
    return tuple(
        _count((walk, _contexts(walk, length)) for walk in walks)
        for length in range(order + 1)
    )


def _contexts(walk: Walk, length: int) -> Iterator[Context]:
    padded = (START,) * length + walk.symbols
    return (padded[step : step + length] for step in range(len(walk.counted)))


@dataclass(slots=True)
class _Tally:
    total: float = 0.0
    by_action: dict[int, float] = field(default_factory=dict)


def _count(walks: Iterable[tuple[Walk, Iterable[K]]]) -> dict[K, Counts]:
    """The counts by key, of walks that come with a key for each step."""
    tallies: dict[K, _Tally] = defaultdict(_Tally)
    for walk, keys in walks:
        weight = walk.weight
        for key, actions in zip(keys, walk.counted, strict=True):
            tally = tallies[key]
            tally.total += weight
            counts = tally.by_action
            for action in actions:
                counts[action] = counts.get(action, 0.0) + weight
    return {key: Counts(tally.by_action, tally.total) for key, tally in tallies.items()}


_Layer: TypeAlias = tuple[Mapping[int, float], float, float]
"""Counts by action, the observations the layer below is worth, and all of them."""


def _layer(seen: Counts, prior: float) -> _Layer:
    return seen.by_action, prior, seen.total + prior


def _layers(backoff: Backoff, context: Context) -> list[_Layer]:
    """What was seen after the context, the shortest first."""
    found = []
    start = backoff.order
    for level in backoff.levels:
        seen = level.get(context[start:])
        if seen is not None:
            found.append(_layer(seen, backoff.alpha))
        start -= 1
    return found


def _blend(
    layers: Sequence[_Layer], actions: Iterable[int], uniform: float
) -> list[float]:
    """Each action's chance through the layers; every live decision comes here."""
    chances = []
    for action in actions:
        p = uniform
        for by_action, prior, total in layers:
            hits = by_action.get(action, 0.0)
            p = (hits + prior * p) / total
        chances.append(p)
    return chances
