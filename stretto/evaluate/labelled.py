"""A replay's decisions with what every option would have come to."""

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from stretto.episodes.episode import Episode, Event
from stretto.evaluate.course import Call, Course
from stretto.evaluate.made import Key, key
from stretto.evaluate.replay import Replayer
from stretto.evaluate.walk import Walk
from stretto.flow.decision import Decision, Lookup
from stretto.flow.moment import Moment, Transcript

Draw = Callable[[Decision, Moment, list[Event]], Decision]
"""What is done in place of a decision, at a moment, after these events."""


class Outcome(NamedTuple):
    """What became of a call that a lookup might have made before."""

    used: bool
    """Whether the agent made it, before the next write."""
    turn: float
    """Its share of the first later turn that held it; 0 unless used."""
    next: bool
    """Whether it was the agent's very next call."""


@dataclass(slots=True)
class Told(Transcript):
    """A transcript that keeps its events."""

    events: list[Event] = field(default_factory=list)

    def add(self, event: Event, *, scored: bool = True) -> None:
        """Add what happened next."""
        self.events.append(event)
        Transcript.add(self, event, scored=scored)


class Labelled(NamedTuple):
    """A decision on a recorded episode, and its options' outcomes."""

    after: str
    """The id of the call that the flow ran behind."""
    address: str
    decision: Decision
    pool: "Pool"


class Pool:
    """The agent's calls that a lookup made now could answer."""

    def __init__(self, course: Course, made: Collection[Key], after: int) -> None:
        """
        The calls behind the one at a position, up to the next write.

        Args:
            made: The lookups so far; the agent's calls like them are answered.
        """
        self._course, self._made, self._after = course, made, after

    def outcome(self, wanted: Key) -> Outcome:
        """What became of a call."""
        turn = self._turns.get(wanted, 0.0)
        return Outcome(turn > 0, turn, turn > 0 and wanted == self._next)

    @cached_property
    def _next(self) -> Key | None:
        calls = self._course.record.calls[self._after + 1 :]
        return calls[0].key if calls else None

    @cached_property
    def _turns(self) -> dict[Key, float]:
        found: dict[Key, float] = {}
        turn: list[Call] = []
        for stop in self._course.stops:
            if not isinstance(stop, Call):
                continue
            turn = [stop] if stop.first else [*turn, stop]
            if stop.last:
                is_over = self._add(turn, found)
                if is_over:
                    break
        return found

    def _add(self, turn: list[Call], found: dict[Key, float]) -> bool:
        """Add a turn's calls up to a write; whether there was one."""
        for call in turn:
            recorded = call.recorded
            if recorded.position <= self._after:
                continue
            if recorded.is_write:
                return True
            if recorded.key not in self._made:
                found.setdefault(recorded.key, 1 / len(turn))
        return False


def labelled(
    replayer: Replayer, episode: Episode, draw: Draw, *, threshold: float
) -> Iterator[Labelled]:
    """
    The replay's decisions, in order, as `draw` has them.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    course = Course.of(episode, replayer.flow.manifest)
    told = Told(replayer.flow)
    walk = Walk(replayer.asking, course, told)
    while walk.advance():
        run, moment = walk.run, walk.moment()
        assert run is not None
        found = replayer.decision(moment, threshold)
        if found.probabilities:
            made = {made.key for made in walk.made}
            pool = Pool(course, made, run.behind.position)
            found = draw(found, moment, told.events)
            address = f"decide#{len(run.looked)}"
            yield Labelled(run.behind.call.id, address, found, pool)
        walk.answer(found.action if isinstance(found.action, Lookup) else None)


def sums_along(
    replayer: Replayer, episodes: Iterable[Episode], *, threshold: float
) -> Mapping[str, Sequence[float]]:
    """
    What a flow's own lookups come to along recorded sessions, by site.

    Of each site the sums of its lookups, of those that were used, of those that were
    not, and of the used ones' shares of turns: the fields of an option's labels. It is
    what `labelled` says of what was taken, chains and all.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for episode in episodes:
        for found in labelled(replayer, episode, _as_decided, threshold=threshold):
            if isinstance(action := found.decision.action, Lookup):
                wanted = key(action.tool, dict(action.arguments))
                outcome = found.pool.outcome(wanted)
                here = sums[str(found.decision.site)]
                for place, n in enumerate(
                    (1.0, outcome.used, not outcome.used, outcome.turn)
                ):
                    here[place] += n
    return sums


def _as_decided(found: Decision, *_: object) -> Decision:
    return found
