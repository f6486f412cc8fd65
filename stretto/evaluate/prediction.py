"""How well a habit foretells steps: bits, hits, and how often it may be relied on."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log2

from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import parse
from stretto.evaluate.forecast import Forecast, Forecaster
from stretto.evaluate.intervals import Share, share
from stretto.habit.encode import Encoded


class Position(StrEnum):
    """What came just before a step."""

    USER = "after the user"
    """A message, or nothing: the first step too."""
    TOOL = "after a tool"


@dataclass(frozen=True, slots=True)
class Foretold:
    """One episode's steps as a habit foretells them."""

    task: str
    steps: tuple[Forecast, ...]
    positions: tuple[Position, ...]

    def at(self, position: Position) -> "Foretold":
        """Its steps at one position."""
        kept = [
            step
            for step, place in zip(self.steps, self.positions, strict=True)
            if place is position
        ]
        return Foretold(self.task, tuple(kept), (position,) * len(kept))


@dataclass(frozen=True, slots=True)
class Fit:
    """How close the forecasts of all steps come."""

    bits: Share
    """Mean −log₂ p of what was done."""
    top1: Share
    """The share of steps whose likeliest action was done."""


@dataclass(frozen=True, slots=True)
class Reliance:
    """The steps that a habit is sure enough of, at one threshold."""

    threshold: float
    coverage: Share
    """Of all steps."""
    agreement: Share
    """Of the covered steps, those where the likeliest action was done."""


def foretell(forecaster: Forecaster, encoded: Sequence[Encoded]) -> list[Foretold]:
    """The forecasts of each episode's steps."""
    return [Foretold(e.task, tuple(forecaster.steps(e)), positions(e)) for e in encoded]


def positions(encoded: Encoded) -> tuple[Position, ...]:
    """The position of each step."""
    after = [_position(symbol) for symbol in encoded.symbols]
    return (Position.USER, *after)[: len(after)]


def fit(foretold: Sequence[Foretold]) -> Fit:
    """The fit over all steps of all episodes."""
    tasks = [episode.task for episode in foretold]
    n = [len(episode.steps) for episode in foretold]
    bits = [-sum(log2(s.p_actual) for s in episode.steps) for episode in foretold]
    hits = [sum(s.hit for s in episode.steps) for episode in foretold]
    return Fit(share(tasks, bits, n), share(tasks, hits, n))


def reliance(foretold: Sequence[Foretold], threshold: float) -> Reliance:
    """What the habit covers at a threshold, and how often it then agrees."""
    tasks = [episode.task for episode in foretold]
    n = [len(episode.steps) for episode in foretold]
    sure = [
        [s.hit for s in episode.steps if s.confidence >= threshold]
        for episode in foretold
    ]
    covered, agreed = [len(hits) for hits in sure], [sum(hits) for hits in sure]
    return Reliance(threshold, share(tasks, covered, n), share(tasks, agreed, covered))


def _position(symbol: int) -> Position:
    before = parse(symbol)
    called = before is not None and before.outcome in (Outcome.OK, Outcome.ERROR)
    return Position.TOOL if called else Position.USER
