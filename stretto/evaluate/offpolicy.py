"""
What another rule would have done, estimated from decisions that a flow explored.

The direct estimate reads every option's label, as only a record has them; the others
read the label of what was taken, weighed by how likely that was. [Dudík et al. 2014]
A rule is evaluated where the log went: another rule's own lookups would have led to
decisions that are not in it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stretto.evaluate.logged import Labels, Logged, Target

LEAST_PROPENSITY = 1e-12
MIN_ESS = 10.0
"""The fewest decisions' worth of weight that an estimate is made from."""

UNSEEN = Labels(1.0, 0.0, 1.0, 0.0)
"""What is expected of a tool that was never taken."""


class Estimate(NamedTuple):
    """A sum over the decisions at which the target acts, and its standard error."""

    value: float
    error: float | None
    """A site of fewer than two such decisions adds nothing; None where all are."""


class Estimates(NamedTuple):
    """One metric's estimates at a site, or in all."""

    looks: int
    """The decisions at which the target acts."""
    unsupported: int
    """Of them, those where the flow could not have taken what the target does."""
    ess: float
    """How many decisions the weights are worth."""
    parted: int
    """Of them, those where the flow took something else: what follows is not the
    target's."""
    direct: Estimate | None
    """None where lookups were made, and other options have no labels."""
    ips: Estimate
    snips: Estimate | None
    """None where nothing was taken that the target takes."""
    dr: Estimate

    def is_refused(self, min_ess: float) -> bool:
        """Whether the weights are worth too little for all but the direct estimate."""
        return self.looks > 0 and self.ess < min_ess


class _Term(NamedTuple):
    """One decision at which the target acts."""

    weight: float
    direct: float
    value: float
    """The label of what was taken."""
    expected: float
    """The label expected of what the target takes."""
    supported: bool
    parted: bool
    is_live: bool


def evaluate(
    decisions: Iterable[Logged], target: Target, metric: str
) -> tuple[Mapping[str, Estimates], Estimates]:
    """
    The estimates of a metric for a target by site, and in all.

    Args:
        metric: A field of `Labels`.
    """
    decisions = list(decisions)
    place = Labels._fields.index(metric)
    expected = _expected(decisions, place)
    terms: dict[str, list[_Term]] = defaultdict(list)
    for decision in decisions:
        act = target.acts(decision)
        if act is not None:
            terms[decision.site].append(_term(decision, act, place, expected))
    sites = {site: _estimates([each]) for site, each in sorted(terms.items())}
    return sites, _estimates([*terms.values()])


def _expected(
    decisions: Sequence[Logged], place: int
) -> Mapping[tuple[str | None, str], float]:
    """The mean label by site and tool, and by tool, of what was taken."""
    seen: dict[tuple[str | None, str], list[float]] = defaultdict(list)
    for decision in decisions:
        if decision.taken is not None:
            label = decision.option(decision.taken).labels[place]
            seen[decision.site, decision.taken].append(label)
            seen[None, decision.taken].append(label)
    return {key: sum(labels) / len(labels) for key, labels in seen.items()}


def _term(
    decision: Logged,
    act: str,
    place: int,
    expected: Mapping[tuple[str | None, str], float],
) -> _Term:
    propensity = decision.chance_to_take(act)
    weight = 1 / max(propensity, LEAST_PROPENSITY) if act == decision.taken else 0.0
    label = decision.option(act).labels[place]
    mean = expected.get((decision.site, act), expected.get((None, act), UNSEEN[place]))
    parted = act != decision.taken
    return _Term(weight, label, label, mean, propensity > 0, parted, decision.is_live)


def _estimates(sites: Sequence[Sequence[_Term]]) -> Estimates:
    """Those of all sites together: sums of their sums and of their variances."""
    terms = [term for site in sites for term in site]
    looks, weights = len(terms), sum(term.weight for term in terms)
    squares = sum(term.weight**2 for term in terms)
    ips = summed([[t.weight * t.value for t in site] for site in sites])
    snips = None
    if weights > 0:
        mean = ips.value / weights
        residuals = [
            [looks / weights * t.weight * (t.value - mean) for t in site]
            for site in sites
        ]
        snips = Estimate(looks * mean, summed(residuals).error)
    return Estimates(
        looks=looks,
        unsupported=sum(not term.supported for term in terms),
        ess=weights**2 / squares if squares else 0.0,
        parted=sum(term.parted for term in terms),
        direct=None
        if any(term.is_live for term in terms)
        else summed([[t.direct for t in site] for site in sites]),
        ips=ips,
        snips=snips,
        dr=summed(
            [
                [t.expected + t.weight * (t.value - t.expected) for t in site]
                for site in sites
            ]
        ),
    )


def summed(sites: Sequence[Sequence[float]]) -> Estimate:
    """The sum of all sites' values, and its error by theirs."""
    value = sum(map(sum, sites))
    variances = [v for site in sites if (v := _variance(site)) is not None]
    return Estimate(value, math.sqrt(sum(variances)) if variances else None)


def _variance(x: Sequence[float]) -> float | None:
    n = len(x)
    if n < 2:
        return None
    return n / (n - 1) * max(0.0, sum(v * v for v in x) - sum(x) ** 2 / n)
