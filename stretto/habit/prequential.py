"""
The evidence of a concentration: each training step, predicted from the ones before it.

What a step is predicted from does not depend on the concentration, so it is counted
once, and the evidence of any concentration is then a few array operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stretto.habit.columns import Floats, Ints, columns
from stretto.habit.encode import Encoded


@dataclass(frozen=True, slots=True)
class Prequential:
    """
    What each training step could be predicted from: the counts of the steps before it.

    Where its context is new, both counts are 0, and a shorter context's prediction
    comes through unchanged at every concentration.
    """

    hits: Floats
    """By level and step: the earlier steps with its context and its action."""
    total: Floats
    """By level and step: the earlier steps with its context."""
    weight: Floats
    """By step: how much its log probability counts."""
    vocab_size: int


def prequential(
    encoded: Sequence[Encoded],
    vocab_size: int,
    *,
    order: int = 2,
    weighted: bool = False,
) -> Prequential:
    """
    The counts of these episodes' steps, in the order given.

    Args:
        weighted: Counts and log probabilities take each episode's weight, as the habit
            fitted on them does. The published estimate does not.
    """
    steps = columns(encoded)
    weight = steps.weights if weighted else np.ones(len(steps.actions))
    levels = steps.keys(order)
    return Prequential(
        hits=np.stack([_earlier(keys.follow, weight) for keys in levels]),
        total=np.stack([_earlier(keys.context, weight) for keys in levels]),
        weight=weight,
        vocab_size=vocab_size,
    )


def log_evidence(alpha: float, data: Prequential) -> float:
    """
    The training steps' log probability, each given the steps before it, in nats.

    A habit that has seen the step itself would flatter small concentrations.
    [Dawid 1984]
    """
    p = np.full(len(data.weight), 1.0 / data.vocab_size)
    for hits, total in zip(data.hits, data.total, strict=True):
        p *= alpha
        p += hits
        p /= total + alpha
    return float(np.sum(data.weight * np.log(p)))


def _earlier(keys: Ints, weight: Floats) -> Floats:
    """The weight of the earlier steps with the same key, for each step."""
    order = np.argsort(keys, kind="stable")
    grouped = keys[order]
    before = np.cumsum(weight[order]) - weight[order]
    is_first = np.append(True, grouped[1:] != grouped[:-1])[: len(keys)]
    first = np.maximum.accumulate(np.where(is_first, np.arange(len(keys)), 0))
    earlier = np.empty_like(weight)
    earlier[order] = before - before[first]
    return earlier
