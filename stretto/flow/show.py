"""A flow for a reviewer, as Markdown: what it calls by itself, when, and with what."""

from collections.abc import Iterator
from datetime import UTC, datetime

from stretto.flow.decision import Reason
from stretto.flow.flow import Bar
from stretto.flow.options import MAX_THRESHOLD
from stretto.flow.review import Review
from stretto.flow.review.document import RunReview, ToolsReview
from stretto.flow.review.sites import OptionReview, SiteReview
from stretto.flow.show_evidence import evidence
from stretto.markdown import (
    bullets,
    code,
    codes,
    count,
    fenced,
    printable,
    quantity,
    shortest,
    table,
)


def show(review: Review) -> str:
    """The review, each part under a heading of its own, without a final newline."""
    parts = {
        "Look at these first": _cautions(review),
        "Tools": _tools(review.tools),
        "Run": _run(review.run),
        "Sites": _sites(review),
        "Promotion": _promotion(review),
        "Surprise gate": _surprise(review),
        **evidence(review),
    }
    sections = [f"## {title}\n\n{text}" for title, text in parts.items()]
    return printable("\n\n".join([_head(review), *sections]), lines=True)


def _head(review: Review) -> str:
    provenance = review.provenance
    written = datetime.fromtimestamp(provenance.compiled_unix_ms // 1000, UTC)
    lines = [
        f"Format version {review.version}, written by stretto "
        f"{code(provenance.stretto)} on {written:%Y-%m-%d %H:%M} UTC.",
        f"Learned from {count(provenance.habit_episodes, 'successful session')} of "
        f"{codes(provenance.sources)}.",
    ]
    if provenance.conventions is not None:
        lines.append(f"The sessions were spans: {code(provenance.conventions)}.")
    return f"# Flow: {code(review.domain)}\n\n" + "\n".join(lines)


def _cautions(review: Review) -> str:
    if not review.cautions:
        return "Nothing stands out."
    return bullets(
        f"**{c.text[0].upper()}{c.text[1:]}**: {codes(c.subjects)}"
        for c in review.cautions
    )


def _tools(tools: ToolsReview) -> str:
    kinds = bullets(
        (
            f"**{title}** ({len(names)}): {codes(names)}"
            for title, names in (
                ("Called by the flow itself", tools.acting),
                ("Read", tools.reads),
                ("Write, left to the agent", tools.writes),
                ("Generic, left to the agent", tools.generic),
            )
        )
    )
    if not tools.idle:
        return kinds
    rows = [(code(tool), why) for tool, why in tools.idle.items()]
    return f"{kinds}\n\n{table(('read left to the agent', 'why'), rows)}"


def _run(run: RunReview) -> str:
    which = "the standard program" if run.is_standard else "**a program of its own**"
    return (
        f"After each call, at most {run.per_call} lookups, and at most "
        f"{run.per_session} in a session, unless the caps are set otherwise.\n"
        f"Threshold {shortest(run.threshold)}; decided by {run.decider}.\n"
        f"It runs {which}:\n\n{fenced(run.program)}"
    )


def _sites(review: Review) -> str:
    if not review.sites:
        return "No call is followed by a lookup: the flow always hands back."
    header = ("after", "steps", "lookup", "seen", "share", "chance", "the habit alone")
    rows = [row for site in review.sites for row in _site_rows(site)]
    return (
        f"{table(header, rows, right=(1, 3, 4, 5))}\n\n"
        "Steps are what the agent did next, over all histories, and a share is of "
        "them.\nA chance is that the arguments are the agent's own.\n"
        "The habit alone compares share × chance with the threshold.\n"
        "After any other call the flow hands back."
    )


def _site_rows(site: SiteReview) -> Iterator[tuple[str, ...]]:
    for place, lookup in enumerate(site.lookups):
        first = place == 0
        is_made = lookup.tool == site.alone.makes
        yield (
            code(site.site) if first else "",
            quantity(site.calls) if first else "",
            code(lookup.tool),
            f"{lookup.seen:,}",
            f"{lookup.share:.0%}",
            "–" if lookup.chance is None else f"{lookup.chance:.2f}",
            _verdict(site, lookup)
            if is_made or (first and not site.alone.makes)
            else "",
        )


def _verdict(site: SiteReview, lookup: OptionReview) -> str:
    limit = shortest(site.threshold)
    product = lookup.share * (1.0 if lookup.chance is None else lookup.chance)
    match site.alone.code:
        case "makes":
            return f"makes it: {product:.2f} ≥ {limit}"
        case Reason.BELOW:
            return f"hands back: {lookup.share:.2f} < {limit}"
        case Reason.BELOW_BOUND:
            return f"hands back: {product:.2f} < {limit}"
        case Reason.UNBOUND:
            return f"hands back: {lookup.unbound}"
        case Reason.NOT_PROMOTED:
            return "hands back: not promoted"
        case Reason.SWITCHED_OFF:
            return "hands back: switched off"
        case _:
            return f"hands back: {site.alone.text}"


def _promotion(review: Review) -> str:
    off = [site.site for site in review.sites if site.threshold > MAX_THRESHOLD]
    switched = f"\n\nSwitched off: {codes(off)}." if off else ""
    if review.promoted is None:
        return f"Never promoted: the flow may act at every site.{switched}"
    bar = review.promoted.bar
    header = ("site", "decisions", "lookups", "used", "tasks", "lower bound", "may act")
    rows = [
        (
            code(site),
            *(f"{n:,}" for n in (r.decisions, r.lookups, r.used, r.tasks)),
            f"{r.lower:.2f}",
            "yes" if r.promoted else "no",
        )
        for site, r in sorted(review.promoted.sites.items())
    ]
    return (
        f"The bar, at threshold {shortest(bar.threshold)}: {bar.min_used:.0%} of the "
        f"lookups used, a lower bound of {bar.min_lower:.0%}, "
        f"{count(bar.min_tasks, 'task')}{_stricter(bar)}.\n\n"
        f"{table(header, rows, right=range(1, 6))}\n\n"
        f"At any other site the flow hands back.{switched}"
    )


def _stricter(bar: Bar) -> str:
    """What a bar asks for beside the published one."""
    also = (
        (bar.before_write, "used before the next write"),
        (bar.by_task, "the same bound over tasks weighing the same"),
        (bar.holm, "after Holm's correction over the sites"),
    )
    return "".join(f", {text}" for is_set, text in also if is_set)


def _surprise(review: Review) -> str:
    gate = review.surprise
    if gate is None:
        return "None: the flow acts however unusual the session is."
    return (
        f"After {gate.window} steps in a row with a mean surprise above "
        f"{shortest(gate.threshold)} nats, the flow hands back for good."
    )
