"""A promotion: the sites where a flow may act, and the record of each."""

from collections.abc import Mapping

from stretto.evaluate.corrected import LEVEL, Evidence
from stretto.flow.flow import Bar, Promotion, SiteRecord
from stretto.report.document import Document, Heading, Key, Part, Prose, table

BOUNDS = (
    "The lower bound is that of Wilson's 90% interval, which takes lookups for "
    "independent of each other and corrects for nothing. By task, each task weighs the "
    f"same and the bound is the {LEVEL:.0%} point over tasks drawn anew; p is of a "
    "share no higher than the least lower bound, one lookup of each task counted and "
    "exact, after Holm's correction for the sites with as many tasks as the bar wants."
)


def promotion_document(
    name: str,
    promotion: Promotion,
    evidence: Mapping[str, Evidence],
    *,
    episodes: int,
    served: int,
) -> Document:
    """The promotion of the flow called `name`, with what tasks say of each site."""
    records = promotion.sites.values()
    promoted = [record for record in records if record.promoted]
    kept, used = (sum(getattr(r, n) for r in promoted) for n in ("lookups", "used"))
    every, all_used = (sum(getattr(r, n) for r in records) for n in ("lookups", "used"))
    bar = promotion.bar
    parts: list[Part] = [
        Key(
            (
                (f"{len(promoted)} of {len(promotion.sites)}", "sites promoted"),
                (f"{used:,} of {kept:,}", "lookups used at these"),
                (f"{all_used:,} of {every:,}", "lookups used at all"),
                (f"{episodes:,}", "sessions scored"),
            )
        ),
        Prose(
            f"A site is promoted when at least {bar.min_used:.0%} of its lookups at "
            f"threshold {bar.threshold:g} were used, the lower bound is at least "
            f"{bar.min_lower:g}, and they came from at least {bar.min_tasks} tasks. "
            "A site that is not listed stays as it is: the flow hands back there."
        ),
    ]
    if bar.by_task or bar.holm:
        parts.append(Prose(_stricter(bar)))
    if served:
        parts.append(
            Prose(
                f"{served:,} lookups were made by a flow at the time; none is scored."
            )
        )
    counted = f"A lookup counts as used if the agent made that call {_when(bar)}. "
    sites = _table(promotion, evidence)
    parts += [Heading("Sites"), sites, Prose(counted + BOUNDS)]
    return Document(f"Promotion of {name}", tuple(parts))


def _when(bar: Bar) -> str:
    limit = " and before its next write" if bar.before_write else ""
    return f"in a later turn{limit}, with at least the lookup's arguments"


def _stricter(bar: Bar) -> str:
    also = []
    if bar.by_task:
        also.append(f"the bound by task is at least {bar.min_lower:g}")
    if bar.holm:
        also.append(f"the corrected p is at most {LEVEL:g}")
    return f"Promoted is also only where {' and '.join(also)}."


def _table(promotion: Promotion, evidence: Mapping[str, Evidence]) -> Part:
    ordered = sorted(promotion.sites.items(), key=lambda s: (-s[1].lookups, s[0]))
    headers = (
        "site", "promoted", "decisions", "lookups", "used", "share", "lower bound",
        "tasks", "by task", "bound by task", "p",
    )  # fmt: skip
    rows = [
        (
            site, "yes" if r.promoted else why_not(r, promotion, evidence.get(site)),
            r.decisions, r.lookups, r.used,
            f"{r.used / r.lookups:.0%}" if r.lookups else "", f"{r.lower:.2f}", r.tasks,
            *_by_task(evidence.get(site)),
        )
        for site, r in ordered
    ]  # fmt: skip
    return table(headers, rows, text=2)


def _by_task(found: Evidence | None) -> tuple[str, str, str]:
    if found is None:
        return "", "", ""
    lower = "" if found.lower is None else f"{found.lower:.2f}"
    p = "" if found.corrected is None else f"{found.corrected:.2g}"
    return f"{found.share:.0%}", lower, p


def why_not(
    record: SiteRecord, promotion: Promotion, found: Evidence | None = None
) -> str:
    """The first part of the bar that a site does not meet."""
    bar = promotion.bar
    if not record.lookups:
        return "no lookup"
    if record.used / record.lookups < bar.min_used:
        return "too few used"
    if record.lower < bar.min_lower:
        return "too few lookups"
    if record.tasks < bar.min_tasks:
        return "too few tasks"
    lower = None if found is None else found.lower
    if bar.by_task and (lower is None or lower < bar.min_lower):
        return "too unsure by task"
    return "too unsure of several"
