"""A learning curve: what a flow saves by how many tasks it was learned from."""

from collections.abc import Sequence
from statistics import mean

from stretto.learn.curve import Lesson
from stretto.report.document import Document, Figure, Part, Prose, table
from stretto.report.drawing import Drawing
from stretto.report.replay import COUNTING


def curve_document(
    lessons: Sequence[Lesson],
    held_out: int,
    threshold: float,
    draw: Drawing | None = None,
) -> Document:
    """The curve at a threshold, over so many held-out sessions."""
    sizes = sorted({lesson.tasks for lesson in lessons})
    parts: list[Part] = [
        Prose(
            f"Flows learned from 1 to {sizes[-1]:,} tasks, replayed on {held_out:,} "
            f"sessions of other tasks at threshold {threshold:g}. A number of tasks is "
            "drawn several times: the mean, and in brackets the least and the most. "
            "Where no session of the drawn tasks succeeded there is no flow, and "
            "nothing is saved."
        )
    ]
    if draw is not None:
        points = [
            (lesson.tasks, share(lesson, threshold), detours(lesson, threshold))
            for lesson in lessons
        ]
        caption = "Each dot is a draw of tasks; the line is their mean."
        parts.append(Figure(draw.learning(points), caption))
    rows = [_row([x for x in lessons if x.tasks == n], threshold) for n in sizes]
    headers = ("tasks", "draws", "sessions", "sites", "share saved", "detours")
    return Document(
        "Learning curve", (*parts, table(headers, rows, text=0), Prose(COUNTING))
    )


def share(lesson: Lesson, threshold: float) -> float:
    """The share of turns saved; 0 without a flow."""
    found = lesson.at.get(threshold)
    return 0.0 if found is None else found.turns_saved_share


def detours(lesson: Lesson, threshold: float) -> int:
    """The detours; 0 without a flow."""
    found = lesson.at.get(threshold)
    return 0 if found is None else found.detours


def _row(lessons: Sequence[Lesson], threshold: float) -> tuple[object, ...]:
    shares = [share(lesson, threshold) for lesson in lessons]
    wasted = [detours(lesson, threshold) for lesson in lessons]
    within = f" ({min(shares):.1%} to {max(shares):.1%})" if len(shares) > 1 else ""
    between = f" ({min(wasted)} to {max(wasted)})" if len(wasted) > 1 else ""
    return (
        lessons[0].tasks, len(lessons),
        f"{mean(lesson.learned_from for lesson in lessons):.0f}",
        f"{mean(lesson.sites for lesson in lessons):.0f}",
        f"{mean(shares):.1%}{within}", f"{mean(wasted):.0f}{between}",
    )  # fmt: skip
