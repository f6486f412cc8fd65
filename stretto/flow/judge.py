"""
The arbiter: how likely each option is, given the habit and the System-One model.

A conditional logit: an option's probability is proportional to the exponential of its
weighed features, times the share of steps that the site offers at all. Fitting one is
the business of `stretto.models.arbiter`. [McFadden 1974]
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import mul

from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.case import Case, Features
from stretto.flow.flow import Fit
from stretto.flow.rates import coverage, reliability
from stretto.oracle.next_step import NextStep
from stretto.oracle.predicates import Predicate, favored

FLOOR = 1e-6
"""The least probability whose logarithm is a feature."""

LEAST = 1e-12
"""The least probability a step is scored with."""

MARGIN = 1e-4
"""How close to 0 or 1 a probability may come whose log-odds are a feature."""


def features(
    site: Site,
    prior: Mapping[str, float],
    answer: NextStep,
    weighed: Sequence[Predicate],
) -> Features:
    """
    What the arbiter knows of each option the model was asked about.

    Args:
        prior: The habit's probability of each option, `respond` among them.
        answer: What the model answered.
        weighed: The predicates that have a weight, in order.
    """
    options = tuple(sorted(answer.one))
    rows = tuple(_row(option, site, prior, answer, weighed) for option in options)
    return Features(str(site), options, rows, options.index(answer.pick))


def judge(fit: Fit, seen: Features) -> dict[str, float]:
    """
    Each option's probability; what they leave of 1 is a step that was not offered.

    Where the fit holds draws of its weights, their probabilities are averaged.
    """
    offered = coverage(fit.rates, seen.site)
    shares = relative(fit, seen)
    return dict(zip(seen.options, (offered * p for p in shares), strict=True))


def relative(fit: Fit, seen: Features) -> list[float]:
    """Each option's probability, in order, given that the step is one of them."""
    trust = log_odds(reliability(fit.rates, seen.site))
    rows = [(*row, trust * (i == seen.pick)) for i, row in enumerate(seen.rows)]
    draws = fit.draws or (fit.weights,)
    shares = [softmax([sum(map(mul, draw, row)) for row in rows]) for draw in draws]
    return [math.fsum(column) / len(draws) for column in zip(*shares, strict=True)]


def log_likelihood(cases: Iterable[Case], folds: Sequence[Fit]) -> float:
    """
    The log probability, in nats, of the steps of cases, each judged by its own fold.

    Coverage is divided out, and cases whose step was not on offer are left out.
    """
    return math.fsum(log_p(case, folds) for case in cases if case.covered)


def log_p(case: Case, folds: Sequence[Fit]) -> float:
    """
    The log probability, in nats, of the step of a case, judged by its own fold.

    It is given that the step is one of the options, as it has to be.
    """
    assert case.actual is not None
    p = relative(folds[case.fold], case.features)[case.actual]
    return math.log(max(p, LEAST))


def softmax(scores: Sequence[float]) -> list[float]:
    """Probabilities in proportion to the exponentials of `scores`."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def log_odds(p: float) -> float:
    """The logarithm of the odds, of a probability kept off 0 and 1."""
    p = min(max(p, MARGIN), 1 - MARGIN)
    return math.log(p / (1 - p))


def _row(
    option: str,
    site: Site,
    prior: Mapping[str, float],
    answer: NextStep,
    weighed: Sequence[Predicate],
) -> tuple[float, ...]:
    split = answer.split.get(option)
    return (
        _log(prior.get(option, 0.0)),
        _log(answer.one[option]),
        0.0 if split is None else _log(split),
        float(option == RESPOND),
        *(_leaning(predicate, option, site, answer) for predicate in weighed),
    )


def _leaning(predicate: Predicate, option: str, site: Site, answer: NextStep) -> float:
    yes = answer.yes.get(predicate.id)
    if yes is None or not favored(predicate, option, site.tool):
        return 0.0
    return log_odds(yes)


def _log(p: float) -> float:
    return math.log(max(p, FLOOR))
