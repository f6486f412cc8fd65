"""A drift report: whether the agent has changed, since when, and at which sites."""

from collections.abc import Iterable

from stretto.evaluate.changepoints import ALARM, MIN_BEFORE, MIN_RUN
from stretto.evaluate.drift import Alarm, Drift, Series
from stretto.report.document import Document, Figure, Heading, Key, Part, Prose, table
from stretto.report.drawing import Drawing

MAX_SITES = 10
"""How many of the sites that moved are named for each alarm."""

_MEANS = {
    Series.SURPRISE: "nats a step",
    Series.DISAGREEMENT: "of steps",
    Series.NOVELTY: "of steps after a tool",
}


def drift_document(found: Drift, name: str, draw: Drawing | None = None) -> Document:
    """Whether sessions part from those before them, as the flow called `name` sees."""
    n, n_alarms = len(found.sessions), len(found.alarms)
    alarms = "alarm" if n_alarms == 1 else "alarms"
    keys = [(f"{n:,}", "sessions, in order"), (f"{n_alarms}", f"{alarms} in series")]
    if found.parting is not None:
        keys.insert(1, (f"{found.parting.p:.3f}", "p of next steps that part so far"))
    parts = (
        Key(tuple(keys)),
        Heading("Next steps"),
        *_steps(found),
        Heading("Series"),
        *_series(found, draw),
    )
    return Document(f"Drift from {name}", parts)


def _steps(found: Drift) -> Iterable[Part]:
    if found.parting is None:
        yield Prose(
            f"Whether next steps part is told of {MIN_BEFORE + MIN_RUN} sessions or "
            "more."
        )
        return
    start, p, rows = found.parting.start, found.parting.p, found.parting.parted
    number, name = start + 1, found.sessions[start]
    yield Prose(
        f"From session {number} on ({name}), the agent takes other next steps than "
        "before."
        if found.has_parted
        else f"They go on alike. They part furthest at session {number} ({name})."
    )
    yield Prose(
        f"Put into random order, these sessions part as far in {p:.1%} of orders; up "
        f"to {found.level:.1%} is an alarm."
    )
    if found.has_parted and rows:
        yield table(
            ("after", "next", "before", "since", "evidence, nats"),
            [
                (row.site or "the user", row.action or "a message",
                 f"{row.before:.0%}", f"{row.since:.0%}", f"{row.nats:.1f}")
                for row in rows[:MAX_SITES]
            ],
            text=2,
        )  # fmt: skip


def _series(found: Drift, draw: Drawing | None) -> Iterable[Part]:
    yield Prose(
        "Three things are followed from session to session: how surprised the "
        "flow's habit is, how often its likeliest action was not done, and how "
        "often a step after a tool was one that no training session made. An "
        f"alarm means that one of them has changed: with more than {ALARM:.0%} "
        f"probability the last {MIN_RUN} sessions or more are unlike those "
        f"before, of which there are at least {MIN_BEFORE}."
    )
    if draw is not None:
        drawn = draw.series(
            [
                (s, found.values[s], [a.start for a in found.alarms if a.series is s])
                for s in Series
            ]
        )
        yield Figure(drawn, "A line stands where a new run begins.")
    if not found.alarms:
        yield Prose("No series changed.")
        return
    yield _alarms(found)
    yield from _sites(found.alarms)


def _alarms(found: Drift) -> Part:
    return table(
        ("series", "from session", "number", "found at", "probability", "before",
         "since", "in"),
        [
            (a.series, found.sessions[a.start], a.start + 1, a.found + 1, f"{a.p:.2f}",
             f"{a.before:.3f}", f"{a.after:.3f}", _MEANS[a.series])
            for a in found.alarms
        ],
        text=2,
    )  # fmt: skip


def _sites(alarms: Iterable[Alarm]) -> Iterable[Part]:
    for alarm in alarms:
        if not alarm.moved:
            continue
        went = "rose" if alarm.after > alarm.before else "fell"
        yield Heading(f"From session {alarm.start + 1} on {alarm.series} {went}")
        yield Prose("The sites at which the agent's steps have been more surprising:")
        yield table(
            ("site", "nats before", "nats since"),
            [
                (m.site, "new" if m.before is None else f"{m.before:.3f}",
                 f"{m.after:.3f}")
                for m in alarm.moved[:MAX_SITES]
            ],
        )  # fmt: skip
