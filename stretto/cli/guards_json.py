"""What `stretto guards audit` prints as JSON."""

from stretto.canonical import Json
from stretto.evaluate.guards import ENDED, Firing, GuardAudit
from stretto.guards.evidence import Group


def summary(found: GuardAudit) -> Json:
    """The audit as JSON. Three numbers are writes that pass, fail, and are unknown."""
    sessions: dict[str, Json] = {
        group.value: {
            "read": found.ended(group),
            "refused": found.refused(group),
            "interval": _pair(found.refused_share(group)),
        }
        for group in ENDED
    }
    return {
        "domain": found.guards.domain,
        "sessions": sessions,
        "digest": found.digest,
        "writes": {group.value: found.writes[group] for group in Group},
        "unanswered": found.unanswered,
        "elsewhere": found.elsewhere,
        "rules": [_rule(found, rule) for rule in found.rules],
        "proposal_check": {
            "writes": {group.value: found.flagged[group] for group in Group},
            "examples": [_firing(firing) for firing in found.flags],
        },
    }


def _rule(found: GuardAudit, rule: str) -> Json:
    counts = found.rules[rule]
    return {
        "rule": rule,
        "policy": counts.guard.policy,
        "tools": [*sorted(counts.guard.tools)],
        "enforced": counts.guard.enforced,
        "counts": {group.value: [*counts.of(group)] for group in Group},
        "sessions": {group.value: counts.episodes[group] for group in ENDED},
        "broken": counts.broken,
        "examples": [_firing(firing) for firing in counts.firings],
    }


def _firing(firing: Firing) -> Json:
    return {**firing._asdict(), "group": firing.group.value}


def _pair(interval: tuple[float, float] | None) -> Json:
    return None if interval is None else [*interval]
