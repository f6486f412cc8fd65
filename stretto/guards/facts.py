"""
What a session has shown so far, as far as guards may rely on it.

Facts grow event by event, so that a live session never reads itself again. Only what a
tool returned without an error is a fact; a call adds nothing before it returns.
"""

from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Self, TypeAlias

from stretto.canonical import Json, text
from stretto.episodes.content import parse
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.guards.sources import Sources, may_write
from stretto.traces.appended import taken_apart

Record: TypeAlias = dict[str, Json]
Key: TypeAlias = tuple[str, ...]


class Exchange(NamedTuple):
    """What the agent said last before the customer's last message, and that message."""

    proposal: str = ""
    customer: str = ""


class Facts:
    """
    One session's facts.

    Args:
        sources: Where the domain's facts are found.
        trusted: The only tools whose results are facts; None for every tool.
        now: What time it is for rules about dates; None where nobody says.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        trusted: Container[str] | None = None,
        now: datetime | None = None,
    ) -> None:
        self.now = now
        self.identities: list[str] = []
        """The users that the agent authenticated, in order."""
        self.done: list[ToolCall] = []
        """The calls that succeeded of tools that may write, in order."""
        self.outputs: list[Json] = []
        """What was returned as JSON, in order."""
        self.has_customer_spoken = False
        self.exchange = Exchange()
        self._sources, self._trusted = sources, trusted
        self._records: dict[str, dict[Key, Json]] = {}
        self._waiting: dict[str, ToolCall] = {}
        self._agent_last = ""

    @classmethod
    def of(
        cls,
        sources: Sources,
        events: Iterable[Event],
        *,
        trusted: Container[str] | None = None,
        now: datetime | None = None,
    ) -> Self:
        """The facts that these events come to."""
        facts = cls(sources, trusted=trusted, now=now)
        for event in events:
            facts.take(event)
        return facts

    def take(self, event: Event) -> None:
        """Take in a session's next event."""
        match event:
            case UserMessage(words):
                self.has_customer_spoken = True
                self.exchange = Exchange(self._agent_last, words)
            case AssistantTurn(words, calls):
                for call in calls:
                    self.called(call)
                if words and words.strip():
                    self._agent_last = words
            case ToolResult():
                self._returned(event)

    def called(self, call: ToolCall) -> None:
        """A call was sent; what it returns will be told apart by its arguments."""
        self._waiting[call.id] = call

    def record(self, kind: str, *key: Json) -> Record | None:
        """What was last read of one thing, an object; None where nothing was."""
        found = self._records.get(kind, {}).get(_key(key))
        return found if isinstance(found, dict) else None

    def words(self, kind: str, *key: Json) -> str | None:
        """As `record`, for a thing that is described by a text."""
        found = self._records.get(kind, {}).get(_key(key))
        return found if isinstance(found, str) else None

    def records(self, kind: str) -> dict[str, Record]:
        """Every object read of a kind with one key, by that key, in the order read."""
        return {
            key[0]: record
            for key, record in self._records.get(kind, {}).items()
            if isinstance(record, dict)
        }

    def _returned(self, result: ToolResult) -> None:
        call = self._waiting.pop(result.call_id, None)
        if result.error or not self._is_trusted(result.tool):
            return
        if call is not None and may_write(call.tool):
            self.done.append(call)
        content, lookups = taken_apart(result.content)
        self._learn(result.tool, call.arguments if call else None, content)
        for made in lookups:
            if not made.said.has_failed and self._is_trusted(made.tool):
                self._learn(made.tool, dict(made.arguments), made.said.text)

    def _is_trusted(self, tool: str) -> bool:
        return self._trusted is None or tool in self._trusted

    def _learn(self, tool: str, arguments: Json, content: str) -> None:
        output = parse(content)
        value: Json = content if output is None else output.value
        if output is not None:
            self.outputs.append(value)
        if tool in self._sources.identities and isinstance(value, str):
            self._identify(value.strip().strip("\"'"))
        if (keyed := self._sources.by_argument.get(tool)) is not None:
            given = arguments if isinstance(arguments, dict) else {}
            key = _key([given.get(name) for name in keyed.arguments])
            self._keep(keyed.kind, key, value)
        if isinstance(value, dict):
            for field, kind in self._sources.by_field.items():
                if isinstance(value.get(field), str | int):
                    self._keep(kind, _key([value[field]]), value)

    def _identify(self, user: str) -> None:
        if user and user not in self.identities:
            self.identities.append(user)

    def _keep(self, kind: str, key: Key, value: Json) -> None:
        self._records.setdefault(kind, {})[key] = value


def _key(parts: Sequence[Json]) -> Key:
    return tuple(map(text, parts))
