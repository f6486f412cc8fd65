"""
Tasks as groups: the published hash, and the folds, samples and splits drawn with it.

The hash is not standard FNV-1a: its start value lacks the basis's last digit, and
published folds rest on that.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

_MASK = 2**64 - 1
N_FOLDS = 5
EMPTY_GROUP = 1469598103934665603
"""The hash of the empty text."""


def task_group(text: str, before: int = EMPTY_GROUP) -> int:
    """The 64-bit hash of a task's id; of longer text, given that of its beginning."""
    h = before
    for byte in text.encode("utf-8", errors="surrogatepass"):
        h = ((h ^ byte) * 1099511628211) & _MASK
    return h


def fold(task: str) -> int:
    """The fold, in 0..4, that holds a task out."""
    return task_group(task) % N_FOLDS


def rank(salt: str, task: str) -> int:
    """Where a task stands in the salted order: its hash, mixed."""
    return mixed(task_group(f"{salt}/{task}"))


def mixed(z: int) -> int:
    """A 64-bit number, each bit spread over all of them: splitmix64's last step."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def sample_tasks(tasks: Sequence[str], share: float) -> list[str]:
    """
    A share of the tasks, at least one, in their original order.

    Samples are nested: a smaller share is part of every larger one.
    """
    n = min(max(_round(len(tasks) * share), 1), len(tasks))
    return _take(tasks, "train-sample", n)


class Split(NamedTuple):
    """Tasks to learn from and tasks held out, each in the original order."""

    train: list[str]
    held_out: list[str]


def learn_split(tasks: Sequence[str]) -> Split | None:
    """A 70/30 split by task; None for fewer than two tasks."""
    if len(tasks) < 2:
        return None
    n = min(max(_round(len(tasks) * 0.3), 1), len(tasks) - 1)
    held_out = _take(tasks, "learn-split", n)
    return Split([task for task in tasks if task not in set(held_out)], held_out)


def _take(tasks: Sequence[str], salt: str, n: int) -> list[str]:
    chosen = set(sorted(tasks, key=lambda task: rank(salt, task))[:n])
    return [task for task in tasks if task in chosen]


def _round(x: float) -> int:
    """Half away from zero, as the published files round."""
    return math.floor(x + 0.5)
