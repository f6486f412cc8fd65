"""How far the System-One model and the offer are to be trusted, site by site."""

from collections.abc import Iterable

from stretto.flow.case import Case
from stretto.flow.flow import Rates, SiteRate

PRIOR_DECISIONS = 10.0
"""How many decisions at the overall rate each site starts from."""

UNSEEN = SiteRate(0.0, 0.0, 0.0)


def reliability(rates: Rates, site: str) -> float:
    """The share of a site's decisions where the model agreed with the agent, shrunk."""
    seen = rates.sites.get(site, UNSEEN)
    return _shrunk(seen.agreed, seen.decisions, rates.agree)


def coverage(rates: Rates, site: str) -> float:
    """The share of a site's decisions where the agent's step was on offer, shrunk."""
    seen = rates.sites.get(site, UNSEEN)
    return _shrunk(seen.covered, seen.decisions, rates.cover)


def count_rates(cases: Iterable[Case]) -> Rates:
    """
    The rates of the cases a fit may learn from.

    Without any, the model is right half of the time and every step is on offer.
    """
    counts: dict[str, SiteRate] = {}
    for case in cases:
        if case.fittable:
            n, agreed, covered = counts.get(case.features.site, UNSEEN)
            counts[case.features.site] = SiteRate(
                n + 1, agreed + case.agreed, covered + case.covered
            )
    total = sum(rate.decisions for rate in counts.values())
    if not total:
        return Rates({}, agree=0.5, cover=1.0)
    return Rates(
        dict(sorted(counts.items())),
        agree=sum(rate.agreed for rate in counts.values()) / total,
        cover=sum(rate.covered for rate in counts.values()) / total,
    )


def without(rates: Rates, case: Case) -> Rates:
    """
    The rates at a case's site, had that decision not been counted.

    Args:
        rates: Rates that counted it, of whole decisions.
    """
    n, agreed, covered = rates.sites[case.features.site]
    others = SiteRate(n - 1, agreed - case.agreed, covered - case.covered)
    total = sum(rate.decisions for rate in rates.sites.values())
    if total <= 1:
        return Rates({}, agree=0.5, cover=1.0)
    return Rates(
        {case.features.site: others},
        agree=(rates.agree * total - case.agreed) / (total - 1),
        cover=(rates.cover * total - case.covered) / (total - 1),
    )


def _shrunk(hits: float, decisions: float, overall: float) -> float:
    prior = PRIOR_DECISIONS
    return (hits + prior * overall) / (decisions + prior)
