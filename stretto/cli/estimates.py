"""Estimates of another rule as JSON."""

from stretto.canonical import Json
from stretto.evaluate.chained import Chained
from stretto.evaluate.offpolicy import Estimate, Estimates
from stretto.report.evaluate import Evaluated


def evaluated_json(each: Evaluated, min_ess: float) -> Json:
    """One metric of one target; what is refused is null."""
    return {
        "name": each.target.name,
        "decider": each.target.decider,
        "threshold": each.target.threshold,
        "metric": each.metric,
        "total": _estimates(each.total, min_ess),
        "sites": {s: _estimates(e, min_ess) for s, e in each.sites.items()},
        "along_sessions": None if each.chains is None else _chain(each.chains, min_ess),
        "replayed": each.replayed,
    }


def _chain(found: Chained, min_ess: float) -> Json:
    refused = found.is_refused(min_ess)
    return {
        "sessions": found.sessions,
        "unsupported": found.unsupported,
        "ess": found.ess,
        "refused": refused,
        "ips": None if refused else _one(found.ips),
        "snips": None if refused else _one(found.snips),
    }


def _estimates(found: Estimates, min_ess: float) -> Json:
    refused = found.is_refused(min_ess)
    return {
        "looks": found.looks,
        "unsupported": found.unsupported,
        "parted": found.parted,
        "ess": found.ess,
        "refused": refused,
        "direct": _one(found.direct),
        "ips": None if refused else _one(found.ips),
        "snips": None if refused else _one(found.snips),
        "dr": None if refused else _one(found.dr),
    }


def _one(estimate: Estimate | None) -> Json:
    return None if estimate is None else estimate._asdict()
