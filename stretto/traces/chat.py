"""Chats as OpenAI's API has them: one a line or a list, bare or in an envelope."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.traces.completions import chat_events
from stretto.traces.decode import Unreadable
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    converted,
    first_object,
    first_text,
    grade,
    label,
    mapping,
    objects,
    session_id,
    whole,
)
from stretto.traces.stream import Record, records

_ROLES = ("system", "developer", "user", "assistant", "tool")
_TAU2 = ("reward_info", "run_info")


class Chat:
    """
    Chat transcripts. `tools` beside the messages gives the ledger's manifest names and
    documentation; the tools' kinds are unknown.
    """

    def sniff(self, head: Head) -> bool:
        """Whether it begins with a chat, or with a message."""
        value = head.value
        if isinstance(value, list) and value and isinstance(value[0], list):
            value = value[0]
        first = first_object(value)
        message = first_object(first["messages"]) if "messages" in first else first
        is_other = "turn_idx" in message or any(key in first for key in _TAU2)
        return message.get("role") in _ROLES and not is_other

    def read(
        self, paths: Sequence[Path], options: ReadOptions, ledger: Ledger
    ) -> Iterator[Episode]:
        """One episode per chat."""
        for path in paths:
            yield from converted(
                _chats(records(path, ledger)),
                partial(_episode, path, options, ledger),
                path,
                ledger,
            )


READER = Chat()


def _chats(records: Iterable[Record]) -> Iterator[Record]:
    """The records, with bare messages that make up one array gathered in one."""
    for _, group in groupby(records, lambda record: record.top):
        for first in group:
            if _is_message(mapping(first.value)):
                messages = [first.value, *(record.value for record in group)]
                yield first._replace(value=messages, position=None)
            else:
                yield first


def _is_message(value: dict[str, Json]) -> bool:
    return "role" in value and "messages" not in value


def _episode(
    path: Path, options: ReadOptions, ledger: Ledger, record: Record
) -> Episode:
    chat = (
        {"messages": record.value} if isinstance(record.value, list) else record.value
    )
    if not isinstance(chat, dict) or "messages" not in chat:
        raise Unreadable("has no `messages`")
    _note_tools(objects(chat.get("tools"), "tools"), ledger)
    return Episode(
        session_id(record, path, chat.get("id"), chat.get("session_id")),
        tuple(chat_events(objects(chat["messages"], "messages"), ledger)),
        task=label(chat.get("task_id")),
        trial=whole(chat.get("trial")),
        agent=first_text(chat.get("model"), "unknown"),
        reward=grade(chat.get(options.reward_field)) if options.reward_field else None,
    )


def _note_tools(tools: list[dict[str, Json]], ledger: Ledger) -> None:
    """Enters what the tools are called and what is said about them."""
    functions = [mapping(tool.get("function")) or tool for tool in tools]
    described = {
        name: function
        for function in functions
        if (name := first_text(function.get("name")))
        and name not in ledger.manifest.tools
    }
    if described:
        kinds = dict.fromkeys(described, Kind.GENERIC)
        docs = {name: docs for name, f in described.items() if (docs := _docs(f))}
        ledger.manifest = ledger.manifest.merged(Manifest("", kinds, docs))


def _docs(function: dict[str, Json]) -> ToolDocs | None:
    properties = mapping(mapping(function.get("parameters")).get("properties"))
    args = {
        arg: text
        for arg, schema in properties.items()
        if (text := _line(mapping(schema).get("description")))
    }
    summary = _line(function.get("description"))
    return ToolDocs(summary, args) if summary or args else None


def _line(text: Json) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""
