"""
What another rule's chains would have come to, from the chains of a flow that explored.

Behind its own lookup a rule decides again, at a site that the log knows only where the
log made that lookup too; and what was looked up spares calls behind which it would have
decided. So a decision is weighed by all that led to it from the session's beginning:
the product of how unlikely each step was that the rule would have taken as well.
[Precup et al. 2000] The mean over logs is then what a replay of the rule counts. The
longer the sessions and the further the rule is from the log's, the fewer go all the
way; and as exploring hands back nowhere in place of a lookup, a rule that does is not
estimated.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stretto.evaluate.logged import Labels, Logged, Target
from stretto.evaluate.offpolicy import Estimate, summed


class Chained(NamedTuple):
    """Estimates of one metric along sessions."""

    sessions: int
    """Those in the log that came to a decision."""
    unsupported: int
    """The decisions come to at which the log could not have done what the target
    does."""
    ess: float
    """How many decisions the weights are worth."""
    ips: Estimate
    snips: Estimate | None
    """None where the target goes none of the log's ways to its end."""

    def is_refused(self, min_ess: float) -> bool:
        """Whether the weights are worth too little, or lack what the target does."""
        return self.ess < min_ess or self.unsupported > 0


class _Step(NamedTuple):
    """A decision on a way of the log's that the target has gone so far."""

    weight: float
    value: float
    """The label of what was taken."""
    acts: bool
    is_supported: bool


def chained(decisions: Iterable[Logged], target: Target, metric: str) -> Chained:
    """
    The estimates of a metric for a target.

    A decision that the log does not place in a session is a session by itself.

    Args:
        decisions: In the order they were made, those of a session together.
        metric: A field of `Labels`.
    """
    place = Labels._fields.index(metric)
    found = [_steps(way, target, place) for way in _ways(decisions)]
    weights = [step.weight for way in found for step in way if step.acts]
    squares = sum(weight**2 for weight in weights)
    return Chained(
        len(found),
        sum(not step.is_supported for way in found for step in way),
        sum(weights) ** 2 / squares if squares else 0.0,
        summed([[sum(step.weight * step.value for step in way) for way in found]]),
        _normalised(found),
    )


def _ways(decisions: Iterable[Logged]) -> Sequence[Sequence[Logged]]:
    ways: dict[object, list[Logged]] = defaultdict(list)
    for number, decision in enumerate(decisions):
        ways[decision.session or number].append(decision)
    return [*ways.values()]


def _steps(way: Sequence[Logged], target: Target, place: int) -> Sequence[_Step]:
    """The way's decisions, up to where the target has parted with it."""
    steps: list[_Step] = []
    weight = 1.0
    for decision in way:
        act = target.acts(decision)
        likely = decision.chance_of(act)
        weight = weight / likely if act == decision.taken and likely > 0 else 0.0
        label = 0.0
        if decision.taken is not None:
            label = decision.option(decision.taken).labels[place]
        acts = act is not None and weight > 0
        steps.append(_Step(weight, label, acts, likely > 0))
        if weight == 0:
            break
    return steps


def _normalised(ways: Sequence[Sequence[_Step]]) -> Estimate | None:
    """
    The sum of each step's weighted mean, times the ways there are.

    A way that is over keeps the weight it ended with and is worth nothing further, as
    the target would have ended there too.
    """
    longest = max(map(len, ways), default=0)
    if not longest:
        return None
    n, value, parts = len(ways), 0.0, [0.0] * len(ways)
    for nth in range(longest):
        here = [
            way[nth] if nth < len(way) else way[-1]._replace(value=0.0) for way in ways
        ]
        total = sum(step.weight for step in here)
        if total == 0:
            return None
        mean = sum(step.weight * step.value for step in here) / total
        value += n * mean
        for way, step in enumerate(here):
            parts[way] += n / total * step.weight * (step.value - mean)
    return Estimate(value, summed([parts]).error)
