"""Claude Code's transcripts as episodes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.traces.calls import CallIds, arguments
from stretto.traces.decode import Unreadable
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.merge import SEPARATOR
from stretto.traces.reader import ReadOptions
from stretto.traces.record import first_text, label, mapping, required_name, whole
from stretto.traces.transcript import Line, Session, sessions

_INTERRUPTED = "[Request interrupted by user"
"""How a note of the host's begins that stands where the user would speak."""


class ClaudeCode:
    """Reads transcripts, a file's sessions at a time."""

    def sniff(self, head: Head) -> bool:
        """Whether its lines have types, and belong to sessions."""
        value = head.value
        return (
            isinstance(value, dict)
            and isinstance(value.get("type"), str)
            and '"sessionId":' in head.text
        )

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per session, each sub-agent's after that of its session."""
        seen: set[str] = set()
        for path in paths:
            for session in sessions(path, seen, ledger):
                yield _episode(path, session, ledger)


READER = ClaudeCode()


def _episode(path: Path, session: Session, ledger: Ledger) -> Episode:
    conversation = _Conversation(ledger, _tool_names(session.lines))
    for line in session.lines:
        try:
            conversation.add(line)
        except Unreadable as cause:
            ledger.problem(path, str(cause), line=line.number)
        except RecursionError:
            ledger.problem(path, "is nested too deep", line=line.number)
    found = Episode(session.id, conversation.events(), agent=conversation.agent)
    n_calls = sum(len(turn.calls) for turn in found.turns)
    if n_open := n_calls - len(found.results()):
        ledger.count("unanswered calls", n_open)
    return found


def _tool_names(lines: Iterable[Line]) -> dict[str, str]:
    """
    What tools are called in an episode, by what the host calls them.

    An MCP tool, `mcp__SERVER__TOOL` to the host, goes by its own name, or, where the
    session used several servers, by `SERVER::TOOL`.
    """
    used = {
        first_text(block.get("name"))
        for line in lines
        for block in line.blocks("tool_use")
    }
    served = {
        name: name.removeprefix("mcp__").rpartition("__")
        for name in used
        if name.startswith("mcp__")
    }
    servers = {server for server, _, _ in served.values()}
    several = len(servers - {""}) > 1
    return {
        name: f"{server}{SEPARATOR}{tool}" if several and server else tool
        for name, (server, _, tool) in served.items()
    }


@dataclass(slots=True)
class _Turn:
    """One assistant message, whose blocks are logged one a line."""

    message_id: str
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None

    def event(self) -> AssistantTurn:
        return AssistantTurn(
            "\n".join(self.texts) or None, tuple(self.calls), self.usage
        )


class _Conversation:
    """A session's events, line by line."""

    def __init__(self, ledger: Ledger, tool_names: dict[str, str]) -> None:
        self.agent = "unknown"
        """The model that wrote the last message."""
        self._ledger, self._tool_names = ledger, tool_names
        self._ids = CallIds(ledger)
        self._answered: set[str] = set()
        self._events: list[Event | _Turn] = []
        self._turn = _Turn("")

    def events(self) -> tuple[Event, ...]:
        """What was said and done."""
        return tuple(e.event() if isinstance(e, _Turn) else e for e in self._events)

    def add(self, line: Line) -> None:
        """
        Takes in the next line.

        Raises:
            Unreadable: it holds a call without a name, or what is no JSON elsewhere.
        """
        if line.kind == "user":
            self._results(line)
            self._words(line)
        elif not line.by_host:
            self._said(line)

    def _said(self, line: Line) -> None:
        if not line.message_id or line.message_id != self._turn.message_id:
            self._turn = _Turn(line.message_id)
            self._events.append(self._turn)
        self.agent = first_text(line.message.get("model"), self.agent)
        if usage := mapping(line.message.get("usage")):
            self._turn.usage = _usage(usage)
        self._turn.texts.extend(_texts(line))
        self._turn.calls.extend(self._calls(line))

    def _words(self, line: Line) -> None:
        words = [text for text in _texts(line) if not text.startswith(_INTERRUPTED)]
        if words and not line.by_host:
            self._events.append(UserMessage("\n".join(words)))

    def _results(self, line: Line) -> None:
        blocks = line.blocks("tool_result")
        beside = line.result if len(blocks) == 1 else None
        for block in blocks:
            call = self._ids.last(block.get("tool_use_id"))
            if call is None or call.id in self._answered:
                self._ledger.count("stray results")
                continue
            self._answered.add(call.id)
            failed = block.get("is_error") is True
            content = _content(block.get("content") or beside)
            self._events.append(ToolResult(call.id, call.tool, failed, content))

    def _calls(self, line: Line) -> Iterator[ToolCall]:
        for block in line.blocks("tool_use"):
            name = required_name(block.get("name"), "call")
            tool = self._tool_names.get(name, name)
            given = block.get("input")
            taken = arguments({} if given is None else given)
            yield ToolCall(self._ids.sent(block.get("id"), tool), tool, taken)


def _texts(line: Line) -> list[str]:
    texts = [first_text(block.get("text")) for block in line.blocks("text")]
    return [text for text in texts if text]


def _content(value: Json) -> str:
    """What a call returned: text, or an array's text blocks; JSON for an object."""
    match value:
        case None:
            return ""
        case list():
            texts = [mapping(block).get("text") for block in value]
            return "\n".join(text for text in texts if isinstance(text, str))
        case _:
            return label(value)


def _usage(usage: dict[str, Json]) -> Usage:
    prompt = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        sum(whole(usage.get(key)) for key in prompt), whole(usage.get("output_tokens"))
    )
