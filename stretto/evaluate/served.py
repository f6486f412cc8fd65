"""The decisions of a served flow, labelled by the session that they were made in."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from stretto.canonical import Json, sort_keys
from stretto.episodes.episode import AssistantTurn, Episode, Event, ToolCall, ToolResult
from stretto.episodes.manifest import Manifest
from stretto.evaluate.course import Course
from stretto.evaluate.decision_file import is_lookup, labels, read_decision
from stretto.evaluate.labelled import Pool
from stretto.evaluate.logged import Labels, Logged
from stretto.evaluate.made import Key, key
from stretto.evaluate.passed_on import passed_on
from stretto.files import Node
from stretto.traces.merge import SEPARATOR
from stretto.traces.record import label


@dataclass(frozen=True, slots=True)
class Joined:
    """A served session's decisions that have a policy, in order."""

    decisions: Sequence[Logged]
    unplaced: int
    """Those left out, as the session does not say which call they were behind."""
    in_shadow: int
    """Those taken in shadow, behind which there is no chain."""


def joined(lines: Iterable[Node], episode: Episode, manifest: Manifest) -> Joined:
    """
    The decisions of a session's log, labelled by the session.

    In shadow, and wherever a lookup was not made, an option was used if the agent made
    that call after the decision and before its next write, as in a replay. A lookup
    that was made leaves the agent no reason to: it was used if the agent made the call
    all the same, or passed on what it brought (`passed_on`), which may miss some. There
    is no label for what else could have been looked up, nor for turns.

    Raises:
        FormatError: a line is none that a served flow logs.
    """
    session = _Session(episode, manifest)
    found: list[Logged] = []
    counts: Counter[str] = Counter()
    for line in lines:
        if line.get("policy") is None:  # of a run, or of nothing that was weighed
            continue
        if (behind := session.behind(line["after"].value)) is None:
            counts["unplaced"] += 1
        else:
            counts["shadow"] += line.get("shadow") is not None
            found.append(session.labelled(line, behind))
    return Joined(found, counts["unplaced"], counts["shadow"])


@dataclass
class _Session:
    """One session, the agent's calls apart from those of the flow."""

    episode: Episode
    manifest: Manifest
    made: list[Key] = field(default_factory=list)
    """The lookups made so far, in the order of the log."""

    def behind(self, after: Json) -> int | None:
        """The position of the call with an id, where just one of the agent's has it."""
        name = label(after)
        if f"{name}#2" in self._positions:
            return None
        return self._positions.get(name)

    def labelled(self, line: Node, behind: int) -> Logged:
        """A line's decision, taken behind the call at a position."""
        made = self._lookup(line)
        pool = Pool(self._course, [*self.made], behind)

        def came_to(option: Node) -> Labels:
            wanted = self._key(option)
            outcome = pool.outcome(wanted)
            if made is None or made.tool != wanted.tool:
                return labels(outcome.used, outcome.turn)
            return labels(outcome.used or made.id in self._passed_on, outcome.turn)

        if made is not None:
            self.made.append(_key_of(made))
        is_live = bool(self._lookups)
        return read_decision(line, self.episode.id, came_to, is_live=is_live)

    def _lookup(self, line: Node) -> ToolCall | None:
        """The call by which a line's lookup was made; None where it was not."""
        is_held = line.get("shadow") is not None or line.get("withheld") is not None
        if is_held or not is_lookup(line):
            return None
        wanted = self._key(line)
        nth = self.made.count(wanted)
        alike = [call for call in self._lookups if _key_of(call) == wanted]
        return alike[nth] if nth < len(alike) else None

    def _key(self, node: Node) -> Key:
        """A lookup's key, its tool named as in the session."""
        tool = node["tool"].text()
        if not self._is_of_several:
            tool = tool.rpartition(SEPARATOR)[2]
        return key(tool, sort_keys(node["arguments"].fields()))

    @cached_property
    def _is_of_several(self) -> bool:
        """Whether the session's tools are named with their servers."""
        calls = (call for turn in self.episode.turns for call in turn.calls)
        return any(SEPARATOR in call.tool for call in calls)

    @cached_property
    def _lookups(self) -> Sequence[ToolCall]:
        return [c for turn in self.episode.turns for c in turn.calls if c.is_lookup]

    @cached_property
    def _passed_on(self) -> frozenset[str]:
        return passed_on(self.episode, self.manifest)

    @cached_property
    def _course(self) -> Course:
        return Course.of(without_lookups(self.episode), self.manifest)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {c.call.id: c.position for c in self._course.record.calls}


def _key_of(call: ToolCall) -> Key:
    return key(call.tool, sort_keys(call.arguments))


def without_lookups(episode: Episode) -> Episode:
    """A session without what a flow looked up in it."""
    ids = {c.id for turn in episode.turns for c in turn.calls if c.is_lookup}
    events: list[Event] = []
    for event in episode.events:
        match event:
            case AssistantTurn(calls=(_, *_) as calls):
                own = tuple(call for call in calls if call.id not in ids)
                if own or event.text:
                    events.append(replace(event, calls=own))
            case ToolResult(call_id=id) if id in ids:
                continue
            case _:
                events.append(event)
    return replace(episode, events=tuple(events))
