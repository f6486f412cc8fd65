"""The part of phase 0 about single sites: whose chances mean what, and sure rules."""

from collections.abc import Iterable, Mapping

from stretto.canonical import Json
from stretto.evaluate.by_site import Calibrated, SiteRow
from stretto.evaluate.forecast import MIN_EVIDENCE
from stretto.evaluate.foresight import Foresight
from stretto.evaluate.sure import SURE
from stretto.evaluate.transfer import POOLED
from stretto.report.document import Heading, Part, Prose, table
from stretto.report.shares import percent, share_json


def site_parts(found: Foresight, names: Mapping[str, str]) -> Iterable[Part]:
    """The chances of lookups by site, and the rules that training is sure of."""
    yield from _sites(found)
    yield from _sure(found, names)


def sites_json(found: Foresight) -> Json:
    """The chances by site as JSON."""
    return [
        {
            "site": None if row.site is None else str(row.site),
            "decisions": row.decisions,
            "habit": _calibrated_json(row.habit),
            "reach": _calibrated_json(row.reach),
        }
        for row in found.sites
    ]


def sure_json(found: Foresight) -> Json:
    """The sure rules as JSON."""
    return [
        {
            "agent": row.agent, "target": row.is_target, "rules": row.rules,
            "covered": share_json(row.covered), "agreed": share_json(row.agreed),
        }
        for row in found.sure
    ]  # fmt: skip


def _sites(found: Foresight) -> Iterable[Part]:
    yield Heading("What lookups' chances mean, site by site")
    if not found.sites:
        yield Prose("No site of the held-out sessions has a lookup to offer.")
        return
    yield Prose(
        "After each call, the lookups that training made next there, each with its "
        "chance: by the habit to come next, by reach to come before the next write. "
        "Beside the mean chance stands how often it came so, and the expected "
        "calibration error over tenths of the chance."
    )
    yield table(
        ("after", "decisions", "habit, mean", "came next", "ECE", "reach, mean",
         "came before a write", "ECE of reach"),
        [
            (_called(row), row.decisions, *_cells(row.habit), *_cells(row.reach))
            for row in found.sites
        ],
    )  # fmt: skip


def _called(row: SiteRow) -> str:
    return "any of these" if row.site is None else str(row.site)


def _cells(found: Calibrated) -> tuple[str, str, str]:
    return f"{found.mean_p:.1%}", percent(found.came), f"{found.ece:.3f}"


def _sure(found: Foresight, names: Mapping[str, str]) -> Iterable[Part]:
    yield Heading("Rules that training is sure of")
    yield Prose(
        "After a tool, the longest history of one step or two that training has seen "
        f"{MIN_EVIDENCE} times is a rule where {SURE:.0%} of its steps were the same. "
        "Each agent's rules are of its own training tasks; targets are held to those "
        "of all the others."
    )
    yield table(
        ("agent", "rules", "held-out decisions covered", "of those, agreed"),
        [
            (
                f"{_name(row.agent, names)}{' (target)' * row.is_target}", row.rules,
                percent(row.covered), percent(row.agreed),
            )
            for row in found.sure
        ],
    )  # fmt: skip


def _name(agent: str, names: Mapping[str, str]) -> str:
    return POOLED if agent == POOLED else names.get(agent, agent)


def _calibrated_json(found: Calibrated) -> Json:
    return {"mean_prob": found.mean_p, "came": share_json(found.came), "ece": found.ece}
