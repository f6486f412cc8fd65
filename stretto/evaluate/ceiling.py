"""
Which LLM turns a flow could have spared: those whose calls could be told beforehand.

A turn is speculable from tool state if all its calls are reads, a turn of calls came
before it, and every value it passes stood in the result of an earlier call that
succeeded. *With words*, a value may instead have been said by the user.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from stretto.canonical import Json, compact, number
from stretto.episodes.content import parse
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site

SAID = 3
"""The characters a value needs before the user can be taken to have said it."""

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class TurnKind(StrEnum):
    """What an LLM turn does."""

    REPLY = "reply"
    READS = "reads"
    """Calls, every one of a tool marked read."""
    WRITES = "writes"
    """Calls, at least one of them of a tool marked write."""
    OTHER = "other calls"


class Trigger(StrEnum):
    """What came just before an LLM turn."""

    NOTHING = "nothing"
    """The session began with it."""
    USER = "the user"
    RESULTS = "results"
    """Of a turn without a write."""
    WRITTEN = "a write's results"
    AGENT = "the agent"
    """Its own message, or a call that never returned."""


@dataclass(frozen=True, slots=True)
class LlmTurn:
    """One LLM turn, and what of it could be told before it."""

    kind: TurnKind
    trigger: Trigger
    site: Site | None
    """The latest call before the turn, behind which a flow could have run last."""
    responded: bool
    """Whether a turn of calls came before: the published flag, which stays set."""
    fresh: bool
    """The same flag, cleared by a turn with a write."""
    copied: bool
    """Whether every value its calls pass stood in a result of an earlier call."""
    said: bool
    """Whether every such value stood in a result or in what the user had said."""
    usage: Usage | None
    characters: int
    """Of its calls as JSON."""
    left: int
    """The LLM turns after it."""

    def speculable(self, *, words: bool = False, fresh: bool = False) -> bool:
        """
        Whether a flow could have spared it.

        Args:
            words: Also by what the user said.
            fresh: Only if something was read since the latest write.
        """
        flag = self.fresh if fresh else self.responded
        known = self.said if words else self.copied
        return self.kind is TurnKind.READS and flag and known


def llm_turns(episode: Episode, manifest: Manifest) -> list[LlmTurn]:
    """The episode's LLM turns in order; a first message without calls is none."""
    course = _Course(manifest, len(episode.turns), episode.results())
    found: list[LlmTurn] = []
    for place, event in enumerate(episode.events):
        turn = course.add(event)
        is_greeting = (
            place == 0 and isinstance(event, AssistantTurn) and not (event.calls)
        )
        if turn is not None and not is_greeting:
            found.append(turn)
    return found


def normal(value: Json) -> str:
    """
    A value as it is compared: text trimmed and in lower case, a whole float as the
    integer, anything else as JSON spells it.
    """
    if isinstance(value, str):
        return value.strip().lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    return compact(value)


def calls_json(calls: Iterable[ToolCall]) -> str:
    """A turn's calls as JSON: the names and arguments that the model wrote."""
    return compact([{"name": c.tool, "arguments": c.arguments} for c in calls])


@dataclass(slots=True)
class _Course:
    """An episode up to some event."""

    manifest: Manifest
    left: int
    results: dict[str, ToolResult]
    returned: set[str] = field(default_factory=set)
    """The values of all results so far of calls that succeeded."""
    spoken: list[str] = field(default_factory=list)
    trigger: Trigger = Trigger.NOTHING
    site: Site | None = None
    responded: bool = False
    fresh: bool = False
    wrote: bool = False
    """Whether the latest turn held a write."""

    def add(self, event: UserMessage | AssistantTurn | ToolResult) -> LlmTurn | None:
        """Go on by one event; the turn, if it is one."""
        match event:
            case UserMessage(text=text):
                self.spoken.append(text.lower())
                self.trigger = Trigger.USER
            case ToolResult(error=error, content=content):
                if not error:
                    self.returned.update(result_values(content))
                self.trigger = Trigger.WRITTEN if self.wrote else Trigger.RESULTS
            case AssistantTurn():
                self.left -= 1
                turn = self._turn(event)
                self._pass(event)
                return turn
        return None

    def _turn(self, turn: AssistantTurn) -> LlmTurn:
        values = [normal(v) for call in turn.calls for v in _scalars(call.arguments)]
        new = [value for value in values if value not in self.returned]
        return LlmTurn(
            kind=self._kind(turn),
            trigger=self.trigger,
            site=self.site,
            responded=self.responded,
            fresh=self.fresh,
            copied=not new,
            said=all(map(self._is_said, new)),
            usage=turn.usage,
            characters=len(calls_json(turn.calls)) if turn.calls else 0,
            left=self.left,
        )

    def _pass(self, turn: AssistantTurn) -> None:
        self.trigger = Trigger.AGENT
        if not turn.calls:
            return
        self.wrote = self._kind(turn) is TurnKind.WRITES
        self.responded, self.fresh = True, not self.wrote
        last = turn.calls[-1]
        result = self.results.get(last.id)
        self.site = Site(last.tool, result is None or result.error)

    def _kind(self, turn: AssistantTurn) -> TurnKind:
        if not turn.calls:
            return TurnKind.REPLY
        kinds = {self.manifest.kind(call.tool) for call in turn.calls}
        if Kind.WRITE in kinds:
            return TurnKind.WRITES
        return TurnKind.READS if kinds == {Kind.READ} else TurnKind.OTHER

    def _is_said(self, value: str) -> bool:
        if len(value) < SAID:
            return False
        if not _NUMBER.fullmatch(value):
            return any(value in text for text in self.spoken)
        alone = re.compile(rf"(?<![0-9]){re.escape(value)}(?![0-9])")
        return any(alone.search(text) for text in self.spoken)


def result_values(content: str) -> Iterator[str]:
    """A result's values: of its JSON, or its lines where it is none."""
    found = parse(content)
    if found is not None:
        yield from map(normal, _scalars(found.value))
        return
    for line in content.split("\n"):
        if line.strip():
            yield normal(line)


def _scalars(value: Json) -> Iterator[Json]:
    match value:
        case dict():
            for item in value.values():
                yield from _scalars(item)
        case list():
            for item in value:
                yield from _scalars(item)
        case _:
            yield value
