"""Where the surprise gate is set: by how much the sessions learned from surprise."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from stretto.episodes.episode import Episode
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.flow.flow import Flow, Surprise
from stretto.flow.moment import Transcript
from stretto.flow.surprise import peak
from stretto.habit.backoff import fit_habit
from stretto.habit.encode import Encoded


def learn_gate(
    flow: Flow,
    episodes: Iterable[Episode],
    encoded: Sequence[Encoded],
    quantile: float,
    window: int,
) -> Flow:
    """
    `flow` with a gate that this share of its own sessions stays under.

    Each session is scored under a habit learned from the other folds of tasks.
    """
    base = flow.habit.base
    held_out = [
        replace(
            flow,
            habit=fit_habit(
                [e for e in encoded if fold(e.task) != f],
                order=base.order,
                alpha=base.alpha,
                vocab_size=base.vocab_size,
            ),
            surprise=Surprise(window, math.inf),
        )
        for f in range(N_FOLDS)
    ]
    peaks = []
    for episode in episodes:
        scored_by = held_out[fold(episode.task_or_id)]
        scores = Transcript.of(scored_by, episode.events).surprise
        if (worst := peak(scores, window)) is not None:
            peaks.append(worst)
    if not peaks:
        return flow
    return replace(
        flow, surprise=Surprise(window, at(sorted(peaks), quantile), quantile)
    )


def at(peaks: Sequence[float], quantile: float) -> float:
    """The ⌈q·n⌉-th of the sorted `peaks`, at least the first."""
    place = min(max(math.ceil(quantile * len(peaks)), 1), len(peaks))
    return peaks[place - 1]
