"""Guards against recorded sessions, for a reader who decides which rules to enforce."""

from collections.abc import Sequence

from stretto.counted import counted
from stretto.evaluate.guards import ENDED, Firing, GuardAudit, RuleCounts
from stretto.guards.evidence import Group
from stretto.report.document import (
    Document,
    Figure,
    Heading,
    Key,
    Part,
    Prose,
    Table,
    table,
)
from stretto.report.drawing import Drawing

_ENDINGS = {
    Group.SUCCESSFUL: "that succeeded",
    Group.FAILED: "that failed",
    Group.UNGRADED: "that nobody graded",
}
BECAME = {
    Group.SUCCESSFUL: "accepted; succeeded",
    Group.FAILED: "accepted; failed",
    Group.UNGRADED: "accepted; ungraded",
    Group.REFUSED: "refused",
}


def guards_document(
    audit: GuardAudit, name: str, draw: Drawing | None = None
) -> Document:
    """The audit of the guards called `name`, with a figure where it can be drawn."""
    title = f"Guards of {name}"
    if not sum(audit.writes.values()):
        n = counted(len(audit.sessions), "session")
        return Document(title, (Prose(f"There was no write to check in {n}."),))
    groups = [group for group in Group if audit.writes[group]]
    parts: list[Part] = [_key(audit), Prose(_reading(audit))]
    parts += [Heading("Rules"), Prose(_HOW_TO_READ)]
    if draw is not None and (
        audit.ended(Group.SUCCESSFUL) or audit.ended(Group.FAILED)
    ):
        parts.append(Figure(draw.failures_by_rule(_shares(audit)), _CAPTION))
    parts.append(_rules_table(audit, groups))
    parts += [Heading("Sessions with a failure"), Prose(_IN_HOW_MANY)]
    parts.append(_sessions_table(audit))
    firings = [
        (rule, firing)
        for rule, counts in audit.rules.items()
        for firing in _in_order(counts.firings)
    ]
    if firings:
        parts += [Heading("Examples"), Prose(_THE_FIRST), _firings_table(firings)]
    parts += [Heading("Arguments of another record"), Prose(_flags(audit))]
    if audit.flags:
        flags = [("", flag) for flag in _in_order(audit.flags)]
        parts.append(_firings_table(flags, head=None))
    parts += [Heading("The policy"), _policy_table(audit)]
    return Document(title, tuple(parts))


_HOW_TO_READ = (
    "Each cell says how many writes pass, fail, and are unknown. A failure of a write "
    "that the tool refused too agrees with the tool. A failure of a write that was "
    "accepted, in a session that succeeded, is a false alarm, or a breach that nobody "
    "graded."
)
_THE_FIRST = (
    "The first writes that a rule fails, of those the tools accepted and of those they "
    "refused."
)
_IN_HOW_MANY = "In how many sessions a rule fails a write that the tools accepted."
_CAPTION = (
    "Share of sessions in which a rule fails a write that was accepted, of those that "
    "succeeded and of those that failed."
)


def share(audit: GuardAudit, group: Group) -> str:
    """In how many sessions an enforced rule fails an accepted write, in words."""
    n, refused = audit.ended(group), audit.refused(group)
    text = f"{refused:,} of {n:,} sessions {_ENDINGS[group]} ({refused / n:.1%}"
    if (interval := audit.refused_share(group)) is not None:
        text += f", 95% interval {interval.low:.1%} to {interval.high:.1%} over tasks"
    return f"{text})"


def _key(audit: GuardAudit) -> Key:
    accepted = sum(audit.writes[group] for group in ENDED)
    values = [
        (
            f"{audit.refused(group):,} of {audit.ended(group):,}",
            f"sessions {_ENDINGS[group]} would have been refused an accepted write",
        )
        for group in ENDED
        if audit.ended(group)
    ]
    values.append((f"{accepted:,}", "writes that the tools accepted"))
    values.append((f"{audit.writes[Group.REFUSED]:,}", "that they refused"))
    return Key(tuple(values))


def _reading(audit: GuardAudit) -> str:
    ended = [group for group in ENDED if audit.ended(group)]
    text = "An enforced rule fails an accepted write in "
    text += " and ".join(share(audit, group) for group in ended) + "."
    if audit.unanswered:
        n = counted(audit.unanswered, "write")
        text += f" Not counted: {n} without a result."
    if audit.elsewhere:
        n = counted(audit.elsewhere, "session")
        text += f" Not counted: {n} of another domain."
    broken = [rule for rule, counts in audit.rules.items() if counts.broken]
    if broken:
        text += f" The check itself broke in {', '.join(broken)}: a mistake in it."
    return text


def _rules_table(audit: GuardAudit, groups: Sequence[Group]) -> Table:
    return table(
        ("rule", "mode", *(BECAME[group] for group in groups)),
        [
            (rule, _mode(counts), *("/".join(map(str, counts.of(g))) for g in groups))
            for rule, counts in audit.rules.items()
        ],
        text=2,
    )


def _sessions_table(audit: GuardAudit) -> Table:
    ended = [group for group in ENDED if audit.ended(group)]
    return table(
        ("rule", *(f"of {audit.ended(g):,} {_ENDINGS[g]}" for g in ended)),
        [
            (rule, *(counts.episodes[group] for group in ended))
            for rule, counts in audit.rules.items()
        ],
    )


def _in_order(firings: Sequence[Firing]) -> list[Firing]:
    """Accepted writes first, those in sessions that succeeded before all others."""
    groups = list(Group)
    return sorted(firings, key=lambda firing: groups.index(firing.group))


def _firings_table(
    firings: Sequence[tuple[str, Firing]], head: str | None = "rule"
) -> Table:
    rows = [
        (rule, f.episode, f.task, f.tool, BECAME[f.group], f.reason)
        for rule, f in firings
    ]
    heads = (head or "", "session", "task", "call", "what became of it", "why")
    skip = 0 if head else 1
    return table(heads[skip:], [row[skip:] for row in rows], text=len(heads) - skip)


def _policy_table(audit: GuardAudit) -> Table:
    rows = [(rule, counts.guard.policy) for rule, counts in audit.rules.items()]
    return table(("rule", "asks for"), rows, text=2)


def _flags(audit: GuardAudit) -> str:
    text = (
        "Writes with an argument that belongs to another record than the one the "
        "customer named, or agreed to; these are only ever logged. "
    )
    counts = [
        f"{audit.flagged[group]:,} of {n:,} ({BECAME[group]})"
        for group in Group
        if (n := audit.writes[group])
    ]
    return f"{text}Such writes: {', '.join(counts)}."


def _shares(audit: GuardAudit) -> list[tuple[str, float, float]]:
    ended = [max(audit.ended(g), 1) for g in (Group.SUCCESSFUL, Group.FAILED)]
    return [
        (
            rule,
            counts.episodes[Group.SUCCESSFUL] / ended[0],
            counts.episodes[Group.FAILED] / ended[1],
        )
        for rule, counts in audit.rules.items()
    ]


def _mode(counts: RuleCounts) -> str:
    return "enforced" if counts.guard.enforced else "logged"
