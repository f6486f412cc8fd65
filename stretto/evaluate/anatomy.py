"""
What each LLM turn is for: a reply, a call that answers the user, or the rest of a run.

The rest of a run is what traces can fix. Where it only reads, it is the skeleton of
lookups that a flow makes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stretto.episodes.manifest import Kind
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.runs import Run
from stretto.evaluate.sketch import Sketch


class TurnKind(StrEnum):
    """What an LLM turn is."""

    REPLY = "reply"
    ANSWER = "answers the user"
    """Calls, the first ones of a run."""
    READS = "reads after a tool"
    """Calls that all read, in a later turn of a run."""
    WRITES = "writes after a tool"
    """Calls with a write among them, in a later turn of a run."""
    OTHER = "other calls after a tool"


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The turns of one agent, or of several together, as shares of all of them."""

    agent: str
    is_target: bool
    kinds: Mapping[TurnKind, Share]
    language: Share
    """Replies and calls that answer the user, together."""


def anatomy(agent: str, sketches: Sequence[Sketch]) -> Anatomy:
    """The turns of the sessions of one agent, or of several under one name."""
    tasks = [s.task for s in sketches]
    turns = [s.turns for s in sketches]
    counts = [turn_kinds(s) for s in sketches]

    def of(*kinds: TurnKind) -> Share:
        return share(tasks, [sum(c[kind] for kind in kinds) for c in counts], turns)

    return Anatomy(
        agent,
        all(s.is_target for s in sketches),
        {kind: of(kind) for kind in TurnKind},
        of(TurnKind.REPLY, TurnKind.ANSWER),
    )


def turn_kinds(sketch: Sketch) -> Counter[TurnKind]:
    """How many of a session's turns are of each kind."""
    counts: Counter[TurnKind] = Counter()
    for run in sketch.runs:
        counts[TurnKind.ANSWER] += 1
        counts.update(_later(sketch, run))
    counts[TurnKind.REPLY] = sketch.turns - counts.total()
    return counts


def _later(sketch: Sketch, run: Run) -> list[TurnKind]:
    """What the turns of a run but its first are."""
    kinds: dict[int, set[Kind]] = {}
    for step in range(run.start, run.end):
        if (call := sketch.calls[step]) is not None:
            kinds.setdefault(sketch.step_turns[step], set()).add(call.kind)
    return [_kind(kinds[turn]) for turn in sorted(kinds)[1:]]


def _kind(kinds: set[Kind]) -> TurnKind:
    if kinds == {Kind.READ}:
        return TurnKind.READS
    return TurnKind.WRITES if Kind.WRITE in kinds else TurnKind.OTHER
