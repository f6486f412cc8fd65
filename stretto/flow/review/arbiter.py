"""What a flow's arbiter weighs, and the record it weighs it by."""

from collections.abc import Sequence
from typing import NamedTuple

from stretto.flow.flow import Fit, Flow, SiteRate
from stretto.oracle.predicates import Lookup, Predicate

FIRST = ("habit", "one question", "split questions", "hand back")
"""The weights before those of the weighed predicates."""

LAST = "reliability"
"""The weight after them."""


class WeightReview(NamedTuple):
    """One of the arbiter's weights."""

    name: str
    mean: float
    """Over the folds."""
    low: float
    high: float


class RateReview(NamedTuple):
    """The held-out decisions at a site, as a mean over the folds."""

    site: str
    decisions: float
    agreed: float
    covered: float


class QuestionReview(NamedTuple):
    """A yes/no question, and the options its answer bears on."""

    id: str
    favors: str
    question: str
    is_weighed: bool


class ArbiterReview(NamedTuple):
    """An arbiter."""

    model: str
    cases: int
    folds: int
    fits: int
    """The distinct ones: 1 where every fold shares a fit."""
    questions: tuple[QuestionReview, ...]
    weights: tuple[WeightReview, ...]
    draws: int
    """The draws of its weights that a fit averages over; 0 where it has none."""
    agree: float
    """Mean over the folds."""
    cover: float
    """Mean over the folds."""
    rates: tuple[RateReview, ...]


def review_arbiter(flow: Flow) -> ArbiterReview | None:
    """A flow's arbiter, if it has one."""
    if not flow.folds:
        return None
    folds = flow.folds
    return ArbiterReview(
        model=flow.model,
        cases=flow.provenance.arbiter_cases,
        folds=len(folds),
        fits=sum(fit not in folds[:i] for i, fit in enumerate(folds)),
        questions=tuple(
            QuestionReview(p.id, favors(p), p.question, p in flow.weighed)
            for p in flow.predicates
        ),
        weights=_weights(flow.weighed, folds),
        draws=max(len(fit.draws) for fit in folds),
        agree=_mean([fit.rates.agree for fit in folds]),
        cover=_mean([fit.rates.cover for fit in folds]),
        rates=_rates(folds),
    )


def favors(predicate: Predicate) -> str:
    """What a question's answer bears on, in a word."""
    if isinstance(predicate.favors, Lookup):
        return predicate.favors.lookup
    return predicate.favors


def _weights(
    weighed: tuple[Predicate, ...], folds: tuple[Fit, ...]
) -> tuple[WeightReview, ...]:
    names = (*FIRST, *(predicate.id for predicate in weighed), LAST)
    columns = zip(*(fit.weights for fit in folds), strict=True)
    return tuple(
        WeightReview(name, _mean(column), min(column), max(column))
        for name, column in zip(names, columns, strict=True)
    )


def _rates(folds: tuple[Fit, ...]) -> tuple[RateReview, ...]:
    sites = sorted({site for fit in folds for site in fit.rates.sites})
    unseen = SiteRate(0, 0, 0)
    return tuple(
        RateReview(
            site,
            *(
                _mean(column)
                for column in zip(
                    *(fit.rates.sites.get(site, unseen) for fit in folds), strict=True
                )
            ),
        )
        for site in sites
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
