"""
Which calls of a session log were one LLM turn.

A log has no turn marks, so they are inferred. A call belongs to the turn under way
while a call of that turn is unanswered, and a little longer: hosts that run a turn's
calls one after the other send the next one within `PAUSE_MS` of the last answer. It
is a new turn all the same if it uses something that only those answers held.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self, TypeAlias

from stretto.canonical import Json, compact, number
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.traces.calls import CallIds
from stretto.traces.growing import Growing
from stretto.traces.ledger import Ledger
from stretto.traces.messages import (
    Answer,
    Message,
    answer,
    client_named,
    params,
    request_key,
    response_key,
)
from stretto.traces.sessionlog import Entry, Sender

PAUSE_MS = 500
"""
The longest pause between an answer and the next call of the same turn, included.

Over 285 sessions of one host: 218 ms at the median, and no new turn within 850 ms.
"""


class Called(NamedTuple):
    """A call that was made."""

    call: ToolCall
    joins: bool
    """Whether the turn under way has it too; otherwise it begins the next one."""


Change: TypeAlias = Called | Event
"""What one message adds to a session."""


class Conversation:
    """
    A session's turns, inferred message by message.

    Args:
        keeps: Whether to remember what `add` has returned and what was asked. Without
            that there are no `events` and no `sent_after`, and no stray result is
            counted; the changes are the same.
    """

    def __init__(self, ledger: Ledger | None = None, *, keeps: bool = True) -> None:
        self.client: str | None = None
        """What the host calls itself: in its first `initialize`, else in a request."""
        self.sent_after: dict[str, int] = {}
        """By call id: how many of its turn's calls were answered when it was sent."""
        self._ledger = Ledger() if ledger is None else ledger
        self._keeps = keeps
        self._ids = CallIds(self._ledger)
        self._requests: set[str] = set()
        self._events: list[Event | _Turn] = []
        self._pending: dict[str, _Pending] = {}
        self._turn = _Turn()
        self._known = Growing()
        self._greeted = False

    @classmethod
    def of(cls, entries: Iterable[Entry], ledger: Ledger | None = None) -> Self:
        """What a log's entries come to."""
        conversation = cls(ledger)
        for entry in entries:
            for message in entry.messages:
                conversation.add(entry.t_ms, entry.sender, message)
        return conversation

    def events(self) -> tuple[Event, ...]:
        """What has happened so far."""
        return tuple(
            AssistantTurn(calls=tuple(e.calls)) if isinstance(e, _Turn) else e
            for e in self._events
        )

    def add(self, t_ms: int, sender: Sender, message: Message) -> Change | None:
        """
        Take in the next message, read `t_ms` milliseconds into the session.

        Returns what that adds; None for a message that is no part of an episode.
        """
        if sender is Sender.CONTEXT:
            return self._say(message)
        request, answered = request_key(message), response_key(message)
        if request is not None and self._keeps:
            self._requests.add(request)
        if sender is not Sender.SERVER:
            if request is not None and not self._greeted:
                self._meet(message)
            match message.get("method"):
                case "tools/call" if request is not None:
                    return self._call(t_ms, sender, request, message)
                case "notifications/cancelled":
                    self._cancel(params(message).get("requestId"))
        if sender is not Sender.CLIENT and answered is not None:
            pending = self._pending.pop(answered, None)
            if pending is not None:
                return self._return(t_ms, pending, answer(message))
            if self._keeps and answered not in self._requests:
                self._ledger.count("stray results")
        return None

    def _meet(self, request: Message) -> None:
        self._greeted = request.get("method") == "initialize"
        name = client_named(request)
        if name is not None and (self._greeted or self.client is None):
            self.client = name

    def _say(self, message: Message) -> Event | None:
        content, role = message.get("content"), message.get("role")
        if not isinstance(content, str):
            return None
        self._known.add(content)
        said: Event
        if role == "user":
            said = UserMessage(content)
        elif role == "assistant" and content:
            said = AssistantTurn(content)
        else:
            return None
        self._turn.interrupted = True
        self._keep(said)
        return said

    def _call(
        self, t_ms: int, sender: Sender, key: str, message: Message
    ) -> Called | None:
        tool = params(message).get("name")
        if not isinstance(tool, str):
            return None
        given = params(message).get("arguments")
        arguments: Json = {} if given is None else given
        if (older := self._pending.pop(key, None)) is not None:
            older.release()
        host = sender is Sender.CLIENT
        joins = self._turn.open > 0 or (host and self._continues(t_ms, arguments))
        if not joins:
            self._known.extend(self._turn.returned)
            self._turn = _Turn()
            self._keep(self._turn)
        self._known.add(compact(arguments))
        call = ToolCall(self._ids.unique(message["id"]), tool, arguments)
        if self._keeps:
            self.sent_after[call.id] = self._turn.answered
            self._turn.calls.append(call)
        self._turn.open += 1
        self._turn.answered_ms = None
        self._pending[key] = _Pending(call, self._turn)
        return Called(call, joins)

    def _continues(self, t_ms: int, arguments: Json) -> bool:
        turn = self._turn
        return (
            turn.answered_ms is not None
            and t_ms - turn.answered_ms <= PAUSE_MS
            and not turn.interrupted
            and not any(
                value in turn.returned and value not in self._known
                for value in _values(arguments)
            )
        )

    def _cancel(self, request: Json) -> None:
        pending = None if request is None else self._pending.get(compact(request))
        if pending is not None:
            pending.release()

    def _return(self, t_ms: int, pending: "_Pending", said: Answer) -> ToolResult:
        if (turn := pending.turn) is not None:
            turn.open -= 1
            turn.answered += 1
            if not turn.open:
                turn.answered_ms = t_ms
        self._turn.returned.add(said.content)
        call = pending.call
        result = ToolResult(call.id, call.tool, said.error, said.content)
        self._keep(result)
        return result

    def _keep(self, happened: "Event | _Turn") -> None:
        if self._keeps:
            self._events.append(happened)


@dataclass(slots=True)
class _Turn:
    """An LLM turn with calls, as far as it has come."""

    calls: list[ToolCall] = field(default_factory=list)
    open: int = 0
    answered: int = 0
    answered_ms: int | None = None
    """When the last of its calls was answered; None while one is not."""
    interrupted: bool = False
    returned: Growing = field(default_factory=Growing)


@dataclass(slots=True)
class _Pending:
    """A call without an answer, and the turn that it holds open."""

    call: ToolCall
    turn: _Turn | None

    def release(self) -> None:
        """Let the turn go: the answer, if there is one, is late."""
        if self.turn is not None:
            self.turn.open -= 1
        self.turn = None


def _values(arguments: Json) -> Iterator[str]:
    """The strings and numbers in `arguments` that are long enough to tell a source."""
    match arguments:
        case dict():
            for value in arguments.values():
                yield from _values(value)
        case list():
            for value in arguments:
                yield from _values(value)
        case bool() | None:
            return
        case _:
            value = arguments if isinstance(arguments, str) else number(arguments)
            if len(value) >= 2:
                yield value
