"""Two flows compared, part by part."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from stretto.canonical import Json
from stretto.episodes.manifest import Kind
from stretto.flow.decide import THRESHOLD
from stretto.flow.diff.acting import acting_changes
from stretto.flow.diff.change import Change, Listed, NeedsReview, keyed
from stretto.flow.diff.evidence import evidence_changes
from stretto.flow.flow import Flow
from stretto.flow.review import Review, review
from stretto.program.render import render

TOLERANCE = 0.05
"""How far a share or a chance may move before it is listed, when none is given."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed from one flow to another."""

    before: Review
    after: Review
    changes: tuple[Change, ...]
    """Those that need review first, each half in the order of the flow's parts."""
    program: tuple[str, ...]
    """The lines of the programs' text diff; empty where they are the same."""

    @property
    def needs_review(self) -> bool:
        """Whether a reviewer has to look at any of it."""
        return any(change.needs_review for change in self.changes)

    def json(self) -> dict[str, Json]:
        """The same, as JSON: every change with its code and whether it needs review."""
        return {
            "needs_review": self.needs_review,
            "changes": [
                {
                    "code": change.code.value,
                    "needs_review": change.needs_review,
                    "subject": change.subject,
                    "text": change.text,
                    "before": change.before,
                    "after": change.after,
                }
                for change in self.changes
            ],
            "program": list(self.program),
        }


def compare(
    before: Flow,
    after: Flow,
    *,
    threshold: float = THRESHOLD,
    tolerance: float = TOLERANCE,
) -> Difference:
    """
    What changed from `before` to `after`.

    Args:
        threshold: The one both are to be served at.
        tolerance: The least move of a share or a chance that is listed.
    """
    old, new = (review(flow, threshold=threshold) for flow in (before, after))
    program = tuple(
        unified_diff(
            render(before.program).splitlines(),
            render(after.program).splitlines(),
            "before",
            "after",
            lineterm="",
        )
    )
    changes = [
        *_tools(before, after),
        *_run(old, new, bool(program)),
        *acting_changes(before, after, (old, new), tolerance),
        *evidence_changes(before, after, (old, new), tolerance),
        *_unknown(before, after),
    ]
    changes.sort(key=lambda change: not change.needs_review)
    return Difference(old, new, tuple(changes), program)


def _tools(before: Flow, after: Flow) -> Iterator[Change]:
    if before.manifest.domain != after.manifest.domain:
        yield Change(
            Listed.DOMAIN_CHANGED,
            "domain",
            "is another one",
            before.manifest.domain,
            after.manifest.domain,
        )

    def changed(tool: str, old: Kind | None, new: Kind | None) -> Change:
        kinds: tuple[Json, Json] = (old, new)
        if new is Kind.READ:
            text = "is marked read now, so the flow may look it up"
            return Change(NeedsReview.TOOL_READ, tool, text, *kinds)
        if old is Kind.READ and new is not None:
            text = f"is marked {new} now, so the flow leaves it to the agent"
            return Change(Listed.TOOL_NOT_READ, tool, text, *kinds)
        if new is None:
            return Change(Listed.TOOL_REMOVED, tool, "is gone", *kinds)
        return Change(Listed.TOOL_ADDED, tool, f"is marked {new} now", *kinds)

    yield from keyed(before.manifest.tools, after.manifest.tools, changed)


def _run(old: Review, new: Review, program_changed: bool) -> Iterator[Change]:
    if program_changed:
        text = "is other code than before"
        yield Change(NeedsReview.PROGRAM_CHANGED, "program", text)
    if old.run.decider != new.run.decider:
        text = f"is {new.run.decider} when none is named, and was {old.run.decider}"
        yield Change(
            NeedsReview.DECIDER_CHANGED,
            "decider",
            text,
            old.run.decider,
            new.run.decider,
        )


def _unknown(before: Flow, after: Flow) -> Iterator[Change]:
    def changed(field: str, old: Json, new: Json) -> Change | None:
        if field not in after.extra:
            return None
        text = "is new or changed, and this build cannot judge it"
        return Change(NeedsReview.UNKNOWN_FIELD, field, text, old, new)

    yield from keyed(before.extra, after.extra, changed)
