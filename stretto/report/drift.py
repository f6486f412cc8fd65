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
    parts: list[Part] = [
        Key(((f"{n_alarms}", alarms), (f"{n:,}", "sessions, in order"))),
        Prose(
            "Three things are followed from session to session: how surprised the "
            "flow's habit is, how often its likeliest action was not done, and how "
            "often a step after a tool was one that no training session made. An "
            f"alarm means that one of them has changed: with more than {ALARM:.0%} "
            f"probability the last {MIN_RUN} sessions or more are unlike those "
            f"before, of which there are at least {MIN_BEFORE}."
        ),
    ]
    if draw is not None:
        drawn = draw.series(
            [
                (s, found.values[s], [a.start for a in found.alarms if a.series is s])
                for s in Series
            ]
        )
        parts.append(Figure(drawn, "A line stands where a new run begins."))
    if not found.alarms:
        parts.append(Prose("No series changed."))
        return Document(f"Drift from {name}", tuple(parts))
    parts += [Heading("Alarms"), _alarms(found)]
    parts += _sites(found.alarms)
    return Document(f"Drift from {name}", tuple(parts))


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
