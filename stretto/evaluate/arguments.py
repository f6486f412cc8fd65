"""Where arguments come from, and what users had said before writes, over sessions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stretto.episodes.manifest import Kind
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.provenance import Origin
from stretto.evaluate.sketch import Sketch

IN_OUTPUTS = "in a tool output"
"""What stands in a tool's output, whether or not the user said it too."""


@dataclass(frozen=True, slots=True)
class OriginRow:
    """One origin, as shares of the values that calls of a kind were made with."""

    origin: str
    writes: Share
    """Found as a part of any text."""
    writes_whole: Share
    """Found as whole words."""
    reads: Share
    reads_whole: Share
    others: Share
    """Of calls that are known neither to write nor only to read."""
    others_whole: Share


@dataclass(frozen=True, slots=True)
class ConfirmationRow:
    """What users had last said before an agent's writes."""

    agent: str
    yes: Share
    """The word `yes`, of all writes."""
    assent: Share
    """That, or a phrase that says so."""


def origin_rows(sketches: Sequence[Sketch]) -> list[OriginRow]:
    """Every origin, and those in a tool's output together."""
    tasks = [s.task for s in sketches]
    counts = {
        (kind, whole): [_counts(s, kind, whole=whole) for s in sketches]
        for kind in (Kind.WRITE, Kind.READ, Kind.GENERIC)
        for whole in (False, True)
    }

    def row(name: str, *origins: Origin) -> OriginRow:
        return OriginRow(
            name,
            *(
                share(
                    tasks,
                    [sum(c[o] for o in origins) for c in of],
                    [c.total() for c in of],
                )
                for of in counts.values()
            ),
        )

    return [
        row(IN_OUTPUTS, Origin.TOOL_OUTPUT, Origin.BOTH),
        *(row(origin, origin) for origin in Origin),
    ]


def confirmation_row(agent: str, sketches: Sequence[Sketch]) -> ConfirmationRow:
    """What users had last said before the writes of these sessions."""
    tasks = [s.task for s in sketches]
    writes = [[c for c in s.calls if c and c.kind is Kind.WRITE] for s in sketches]
    n = [len(of) for of in writes]
    return ConfirmationRow(
        agent,
        share(tasks, [sum(c.heard.yes for c in of) for of in writes], n),
        share(tasks, [sum(c.heard.assent for c in of) for of in writes], n),
    )


def _counts(sketch: Sketch, kind: Kind, *, whole: bool) -> Counter[Origin]:
    return Counter(
        source.whole_origin if whole else source.origin
        for call in sketch.calls
        if call and call.kind is kind
        for source in call.sources
    )
