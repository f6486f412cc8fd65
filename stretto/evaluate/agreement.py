"""How often a decider's pick is what the agent did, and what its probabilities mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.calibration import (
    Bin,
    calibration,
    expected_calibration_error,
)
from stretto.evaluate.intervals import Share, share

FLOOR = 1e-6
"""The least probability whose logarithm is a loss."""

THRESHOLDS = (0.5, 0.7, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One decision of a decider, beside what the agent did."""

    task: str
    pick: str
    probabilities: Mapping[str, float]
    """By option; they need not sum to 1."""
    actual: str
    """What the agent did; it may not be among the options."""

    @property
    def p(self) -> float:
        """The pick's probability."""
        return self.probabilities.get(self.pick, 0.0)

    @property
    def agreed(self) -> bool:
        """Whether the pick is what the agent did."""
        return self.pick == self.actual

    @property
    def brier(self) -> float:
        """Σ (p − 1[o = actual])² over the options, and 1 for a step that is none."""
        score = sum(
            (p - (option == self.actual)) ** 2
            for option, p in self.probabilities.items()
        )
        return score + (self.actual not in self.probabilities)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The decisions of one decider."""

    agreed: Share
    """Of all of them."""
    stop_agreed: Share
    """Those that pick handing back where the agent did, and only there."""
    brier: float
    """The mean; 0 to 3, and lower is better."""
    log_loss: float
    """Mean −ln p of what the agent did, in nats."""
    ece: float
    curve: tuple[tuple[float, Share, Share], ...]
    """By threshold: the share at least so sure, and the share of those that agreed."""
    bins: tuple[Bin, ...]


def agreement(judged: Sequence[Judgement]) -> Agreement:
    """The agreement over all decisions, with intervals over tasks."""
    tasks, ones = [j.task for j in judged], [1] * len(judged)
    n = max(len(judged), 1)
    bins = calibration((j.p, j.agreed) for j in judged)
    stops = [(j.pick == RESPOND) == (j.actual == RESPOND) for j in judged]
    losses = [-log(max(j.probabilities.get(j.actual, 0.0), FLOOR)) for j in judged]
    return Agreement(
        share(tasks, [j.agreed for j in judged], ones),
        share(tasks, stops, ones),
        sum(j.brier for j in judged) / n,
        sum(losses) / n,
        expected_calibration_error(bins),
        tuple(_at(judged, threshold) for threshold in THRESHOLDS),
        bins,
    )


def _at(judged: Sequence[Judgement], threshold: float) -> tuple[float, Share, Share]:
    tasks = [j.task for j in judged]
    sure = [j.p >= threshold for j in judged]
    agreed = [j.p >= threshold and j.agreed for j in judged]
    return (
        threshold,
        share(tasks, sure, [1] * len(judged)),
        share(tasks, agreed, sure),
    )
