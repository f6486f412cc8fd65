"""A recorded call and a lookup behind one, as replays hold them against each other."""

from dataclasses import dataclass
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.episodes.content import parse
from stretto.episodes.episode import ToolCall, ToolResult


class Key(NamedTuple):
    """A call as replays compare them: its tool, and its arguments as JSON text."""

    tool: str
    arguments: str


def key(tool: str, arguments: Json) -> Key:
    """The key of a call."""
    return Key(tool, compact(arguments))


@dataclass(frozen=True, slots=True)
class Recorded:
    """One of the agent's calls in the record."""

    position: int
    """In call order, from 0."""
    key: Key
    call: ToolCall
    result: ToolResult | None
    is_write: bool


class Made(NamedTuple):
    """A lookup the flow made, and what became of it."""

    key: Key
    content: str
    error: bool
    exact: bool
    message: int
    """The executed assistant message it was made after, counted from 0."""
    used: bool = False
    stale: bool = False
    by: int = -1
    """The position of the call it answered, once it is used."""


def same(content: str, result: ToolResult | None) -> bool:
    """Whether two results say the same: as JSON, or else as trimmed text."""
    return result is not None and _comparable(content) == _comparable(result.content)


def _comparable(content: str) -> str:
    found = parse(content)
    return content.strip() if found is None else compact(found.value)
