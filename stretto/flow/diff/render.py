"""A difference as Markdown: what needs review first, then the rest."""

from collections.abc import Iterable

from stretto.flow.diff.change import Change
from stretto.flow.diff.compare import Difference
from stretto.flow.review import Review
from stretto.markdown import bullets, code, codes, count, fenced, printable


def show_difference(difference: Difference, before: str, after: str) -> str:
    """
    The changes under two headings, without a final newline.

    Args:
        before: What the flow before is called.
        after: What the flow after is called.
    """
    review = [change for change in difference.changes if change.needs_review]
    rest = [change for change in difference.changes if not change.needs_review]
    parts = [
        f"# {code(before)} → {code(after)}",
        bullets(
            (
                f"Before: {_learned_from(difference.before)}",
                f"After: {_learned_from(difference.after)}",
            )
        ),
        f"## Needs review\n\n{_listed(review)}",
        f"## Listed only\n\n{_listed(rest)}",
    ]
    if difference.program:
        program = "\n".join(difference.program)
        parts.append(f"## Program\n\n{fenced(program, 'diff')}")
    return printable("\n\n".join(parts), lines=True)


def _learned_from(review: Review) -> str:
    provenance = review.provenance
    return (
        f"{count(provenance.habit_episodes, 'successful session')} of "
        f"{codes(provenance.sources)}, decided by {review.run.decider}"
    )


def _listed(changes: Iterable[Change]) -> str:
    return bullets(f"{code(c.subject)} {c.text}" for c in changes) or "Nothing."
