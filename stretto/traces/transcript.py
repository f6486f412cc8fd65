"""
A Claude Code transcript's lines, and which of them are the conversation as it ended.

Each line names the one before it. A message that was edited, or a call that ran beside
others, leaves a fork, so the conversation is what leads to the last line, together
with all of each assistant message on the way and the results of its calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from stretto.canonical import Json
from stretto.traces.ledger import Ledger
from stretto.traces.record import first_text, mapping
from stretto.traces.stream import records

_SAID = ("user", "assistant")
_HOST = "<synthetic>"
"""What the host calls the model in messages that no model wrote."""
_UNKNOWN = ""
"""The line before one that does not say, or one that is not in the file."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a transcript."""

    number: int
    uuid: str
    parent: str | None
    """The line before it in the conversation; None where it begins one."""
    kind: str
    message: dict[str, Json]
    is_sidechain: bool
    """Whether a sub-agent's."""
    by_host: bool
    """Whether the host wrote it in the user's or the model's name."""
    result: Json
    """What a call returned, as the host repeats it beside the message."""

    @property
    def message_id(self) -> str:
        """The id of the assistant message it is a part of; empty for the rest."""
        return first_text(self.message.get("id")) if self.kind == "assistant" else ""

    @property
    def answered(self) -> set[str]:
        """The calls whose results it holds."""
        return {first_text(b.get("tool_use_id")) for b in self.blocks("tool_result")}

    def blocks(self, kind: str) -> list[dict[str, Json]]:
        """The message's content blocks of one type. Text on its own is one of them."""
        content = self.message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        blocks = map(mapping, content if isinstance(content, list) else [])
        return [block for block in blocks if block.get("type") == kind]


class Session(NamedTuple):
    """One conversation of a file."""

    id: str
    lines: list[Line]
    """In the order of the file."""


def sessions(path: Path, seen: set[str], ledger: Ledger) -> Iterator[Session]:
    """
    The conversations of a file, each with its sub-agents' after it.

    Args:
        path: The file.
        seen: The ids of the lines read before, here or in other files. A resumed
            session repeats them; they are left out.
        ledger: Where what cannot be read is entered.
    """
    for session, lines in _by_session(path, seen, ledger).items():
        main = _branch([line for line in lines if not line.is_sidechain])
        if main:
            yield Session(session, main)
        for root, side in _by_root([line for line in lines if line.is_sidechain]):
            if branch := _branch(side):
                yield Session(f"{session}/{root}", branch)


def _by_session(path: Path, seen: set[str], ledger: Ledger) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for record in records(path, ledger):
        if not isinstance(record.value, dict):
            ledger.problem(path, "is not an object", line=record.line)
            continue
        line = _line(record.value, record.line)
        if line.kind not in _SAID and not line.uuid:
            continue
        if line.uuid in seen:
            ledger.count("repeated lines")
            continue
        if line.uuid:
            seen.add(line.uuid)
        session = first_text(record.value.get("sessionId"), path.name.split(".")[0])
        found.setdefault(session, []).append(line)
    return found


def _line(value: dict[str, Json], number: int) -> Line:
    message = mapping(value.get("message"))
    parent = value.get("parentUuid", _UNKNOWN)
    if parent is None:  # a compacted conversation begins anew, and says after what
        parent = value.get("logicalParentUuid")
    return Line(
        number,
        first_text(value.get("uuid")),
        parent if isinstance(parent, str | None) else _UNKNOWN,
        first_text(value.get("type")),
        message,
        value.get("isSidechain") is True,
        value.get("isMeta") is True
        or value.get("isCompactSummary") is True
        or message.get("model") == _HOST,
        mapping(value.get("mcpMeta")).get("structuredContent")
        or value.get("toolUseResult"),
    )


def _by_root(lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Sub-agents' lines, by the line that each one's conversation begins with."""
    by_uuid = {line.uuid: line for line in lines if line.uuid}
    roots: dict[str, str] = {}
    found: dict[str, list[Line]] = {}
    for line in lines:
        way: dict[str, None] = {}
        at = line
        while at.uuid not in roots and at.uuid not in way:
            way[at.uuid] = None
            at = by_uuid.get(at.parent or _UNKNOWN, at)
        root = roots.get(at.uuid, at.uuid)
        roots.update(dict.fromkeys(way, root))
        found.setdefault(root, []).append(line)
    yield from found.items()


def _branch(lines: Sequence[Line]) -> list[Line]:
    """The lines that are part of the conversation as it ended, in their order."""
    way = _way(lines)
    messages = {lines[place].message_id for place in way} - {""}
    kept = [
        place in way or line.message_id in messages for place, line in enumerate(lines)
    ]
    calls = {
        first_text(block.get("id"))
        for line in compress(lines, kept)
        for block in line.blocks("tool_use")
    }
    return [
        line
        for line, is_kept in zip(lines, kept, strict=True)
        if line.kind in _SAID and (is_kept or not calls.isdisjoint(line.answered))
    ]


def _way(lines: Sequence[Line]) -> set[int]:
    """
    Where the lines stand that lead to the last thing said.

    A line that follows none in the file follows the one that it stands after.
    """
    places = {line.uuid: place for place, line in enumerate(lines) if line.uuid}
    place = max((p for p, line in enumerate(lines) if line.kind in _SAID), default=-1)
    way: set[int] = set()
    while place >= 0 and place not in way:
        way.add(place)
        parent = lines[place].parent
        place = -1 if parent is None else places.get(parent, place - 1)
    return way
