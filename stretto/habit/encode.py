"""Episodes as a habit sees them: action ids, and the symbols histories are made of."""

from collections.abc import Sequence
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.episodes.step import Step, steps
from stretto.episodes.vocabulary import Vocabulary, symbol
from stretto.habit.features import FeatureMap


class Encoded(NamedTuple):
    """An episode's steps as numbers: what was done, and what the next step sees."""

    task: str
    actions: tuple[int, ...]
    symbols: tuple[int, ...]
    group: int = 1
    """The condition `Habit.top` counts the episode under."""
    weight: float = 1.0
    """How many observations each of its steps counts as."""


def encode(
    episode: Episode,
    vocab: Vocabulary,
    features: FeatureMap,
    *,
    weight: float = 1.0,
) -> Encoded:
    """The episode's steps, in order, in the goal-free group."""
    walk = steps(episode.events)
    return encode_walk(episode.task_or_id, walk, vocab, features, weight=weight)


def encode_walk(
    task: str,
    walk: Sequence[Step],
    vocab: Vocabulary,
    features: FeatureMap,
    *,
    weight: float = 1.0,
) -> Encoded:
    """As `encode`, of an episode that was walked already."""
    return Encoded(
        task=task,
        actions=tuple([vocab.id(step.tool) for step in walk]),
        symbols=tuple([symbol_of(step, vocab, features) for step in walk]),
        weight=weight,
    )


def symbol_of(step: Step, vocab: Vocabulary, features: FeatureMap) -> int:
    """A step's symbol: its action, its outcome, and its result's code feature."""
    result = step.result
    feature = 0 if result is None else features.feature(result.tool, result.content)
    return symbol(vocab.id(step.tool), step.outcome, feature)


def half_life_weights(n: int, half_life: float) -> list[float]:
    """
    `n` episodes' weights, oldest first: halved for every `half_life` episodes after.

    The last one weighs 1. `half_life` is above 0.
    """
    return [0.5 ** (age / half_life) for age in range(n - 1, -1, -1)]
