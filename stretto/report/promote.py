"""A promotion: the sites where a flow may act, and the record of each."""

from stretto.evaluate.intervals import wilson_lower
from stretto.flow.flow import Promotion, SiteRecord
from stretto.report.document import Document, Heading, Key, Part, Prose, table

COUNTED = (
    "A lookup counts as used if the agent made that call in a later turn, with at "
    "least the lookup's arguments. The lower bound is that of Wilson's 90% interval, "
    "site by site, without a correction for there being several."
)


def promotion_document(
    name: str, promotion: Promotion, *, episodes: int, served: int
) -> Document:
    """The promotion of the flow called `name`."""
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
    if served:
        parts.append(
            Prose(
                f"{served:,} lookups were made by a flow at the time; none is scored."
            )
        )
    parts += [Heading("Sites"), _table(promotion), Prose(COUNTED)]
    return Document(f"Promotion of {name}", tuple(parts))


def _table(promotion: Promotion) -> Part:
    ordered = sorted(promotion.sites.items(), key=lambda s: (-s[1].lookups, s[0]))
    headers = (
        "site", "promoted", "decisions", "lookups", "used", "share", "lower bound",
        "tasks",
    )  # fmt: skip
    rows = [
        (
            site, "yes" if r.promoted else why_not(r, promotion), r.decisions,
            r.lookups, r.used, f"{r.used / r.lookups:.0%}" if r.lookups else "",
            f"{wilson_lower(r.used, r.lookups):.2f}", r.tasks,
        )
        for site, r in ordered
    ]  # fmt: skip
    return table(headers, rows, text=2)


def why_not(record: SiteRecord, promotion: Promotion) -> str:
    """The first part of the bar that a site does not meet."""
    bar = promotion.bar
    if not record.lookups:
        return "no lookup"
    if record.used / record.lookups < bar.min_used:
        return "too few used"
    if record.lower < bar.min_lower:
        return "too few lookups"
    return "too few tasks"
