"""`deciders.json`: the measurements of `benchmarks.deciders`."""

from collections.abc import Mapping, Sequence

from benchmarks.deciders_table import HABIT, STEP, THRESHOLDS, TURNS, Found, Measured
from stretto.canonical import Json
from stretto.evaluate.paired import Estimate

KEPT = tuple(value for value in THRESHOLDS if round(100 * value) % 5 == 0)
"""The thresholds that are written down as JSON."""


def summary(found: Sequence[Found]) -> Json:
    """The measurements as JSON; an interval is null where there are too few tasks."""
    return [
        {
            "domain": one.case.domain,
            "never_seen": one.case.agent or None,
            "learned_from": {"sessions": one.learned, "tasks": one.learned_tasks},
            "succeeded": one.succeeded,
            "arbiter_cases": one.cases,
            "measured_on": {"sessions": one.sessions, "tasks": one.tasks},
            "deciders": {
                name: _decider(one, name, measured)
                for name, measured in one.deciders.items()
            },
        }
        for one in found
    ]


def _decider(found: Found, name: str, measured: Measured) -> Json:
    told: dict[str, Json] = {
        _key(measure): _both(found, name, measure, is_chosen=False)
        for measure in ("decisions", *STEP)
    }
    for key, is_chosen in (("at_0.3", False), ("at_chosen", True)):
        told[key] = {
            "threshold": measured.at(is_chosen)[0],
            **{_key(m): _both(found, name, m, is_chosen=is_chosen) for m in TURNS},
        }
    return {**told, "thresholds": _every(measured)}


def _key(measure: str) -> str:
    return measure.lower().replace(" ", "_")


def _both(found: Found, name: str, measure: str, *, is_chosen: bool) -> Json:
    _, sums = found.deciders[name].at(is_chosen)
    told: dict[str, Json] = {**_estimate(sums.estimate(measure))}
    if name != HABIT:
        beyond = found.beyond(name, measure, is_chosen=is_chosen)
        told["beyond_habit"] = {**_estimate(beyond)}
    return told


def _estimate(estimate: Estimate) -> Mapping[str, Json]:
    interval = estimate.interval
    return {
        "value": round(estimate.value, 5),
        "interval": None if interval is None else [round(x, 5) for x in interval],
    }


def _every(measured: Measured) -> Json:
    return [
        {"threshold": value, "turns_saved": t.turns_saved, "lookups": t.lookups,
         "detours": t.detours}
        for value, t in measured.every.items()
        if value in KEPT
    ]  # fmt: skip
