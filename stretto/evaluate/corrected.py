"""Whether shares are above a bar, where several are tested at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, fsum

import numpy as np

from stretto.episodes.tasks import mixed, task_group
from stretto.evaluate.intervals import resampled

LEVEL = 0.05
"""One-sided: of the chance of any error, and of a lower end over tasks."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tasks say of a share, each of them weighing the same."""

    share: float
    """The mean of the tasks' own shares."""
    lower: float | None
    """The 5% point of that over drawn tasks; None for fewer than two tasks."""
    p: float
    """How likely as many tasks or more would say yes, were the share the bar's."""
    corrected: float | None = None
    """The same after Holm's correction; None where the share is not tested."""


def evidence(name: str, by_task: Mapping[str, Sequence[bool]], bar: float) -> Evidence:
    """
    What each task's outcomes say of the share that is meant to be above `bar`.

    Outcomes within a task go together, so the test takes one of each, drawn at random:
    it says yes as often as the mean of the tasks' shares, one task apart from another,
    and the binomial tail of how many do is exact whatever goes on within tasks. A
    task's draw depends on both names alone.

    Args:
        name: What the outcomes are of.
        by_task: At least one task, and at least one outcome of each.
    """
    shares = {task: sum(of) / len(of) for task, of in sorted(by_task.items())}
    n, yes = len(shares), sum(_drawn(name, task, of) for task, of in by_task.items())
    lower = None
    if n > 1:
        drawn = resampled(np.array([[share] for share in shares.values()])) / n
        lower = float(np.quantile(drawn, LEVEL))
    return Evidence(fsum(shares.values()) / n, lower, binomial_tail(yes, n, bar))


def binomial_tail(k: int, n: int, p: float) -> float:
    """The chance of `k` or more of `n`, each of them with chance `p`."""
    if k <= 0:
        return 1.0
    return min(
        1.0, fsum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
    )


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """
    Holm's correction: what is at most α errs anywhere with a chance of at most α.

    [Holm 1979]
    """
    corrected: dict[str, float] = {}
    most = 0.0
    for place, (name, p) in enumerate(sorted(ps.items(), key=lambda item: item[1])):
        most = max(most, min(1.0, (len(ps) - place) * p))
        corrected[name] = most
    return corrected


def _drawn(name: str, task: str, outcomes: Sequence[bool]) -> bool:
    return outcomes[mixed(task_group(f"{name}/{task}")) % len(outcomes)]
