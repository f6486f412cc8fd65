"""Encoded episodes as columns, one row per step, for work on all steps at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stretto.episodes.vocabulary import START
from stretto.habit.encode import Encoded

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Keys(NamedTuple):
    """What each step is counted under at one level, as ids from 0."""

    context: Ints
    """The context of that length."""
    follow: Ints
    """The context together with the action that came next."""


class Columns(NamedTuple):
    """The steps of all episodes, in order."""

    actions: Ints
    symbols: Ints
    places: Ints
    """Each step's index within its episode."""
    episodes: Ints
    """The index of each step's episode."""
    weights: Floats

    def keys(self, order: int) -> list[Keys]:
        """The keys at each level, 0 to `order`."""
        context = np.zeros_like(self.symbols)
        levels = [Keys(context, self.actions)]
        for back in range(1, order + 1):
            before = np.where(self.places >= back, np.roll(self.symbols, back), START)
            context = dense(context * (START + 1) + before)
            follow = dense(context * (START + 1) + self.actions)
            levels.append(Keys(context, follow))
        return levels


def columns(encoded: Sequence[Encoded]) -> Columns:
    """The episodes' steps as columns."""
    lengths = [len(episode.actions) for episode in encoded]
    episodes = np.repeat(np.arange(len(encoded)), lengths)
    starts = np.cumsum([0, *lengths])[:-1]
    return Columns(
        actions=np.array([a for e in encoded for a in e.actions], dtype=np.int64),
        symbols=np.array([s for e in encoded for s in e.symbols], dtype=np.int64),
        places=np.arange(len(episodes)) - starts[episodes],
        episodes=episodes,
        weights=np.array([e.weight for e in encoded])[episodes],
    )


def dense(keys: Ints) -> Ints:
    """The keys as ids: equal where they were equal, and counted from 0."""
    return np.unique(keys, return_inverse=True)[1]
