"""
The proxy's session log: a header, then what was said, one JSON line each.

A log is read as far as it is sound. An entry that does not parse is reported with its
line and left out; a last line that a crash cut short is left out without a word.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.content import MAX_DEPTH
from stretto.errors import FormatError, VersionError
from stretto.files import Node
from stretto.traces.calls import arguments
from stretto.traces.decode import Unreadable, decode
from stretto.traces.ledger import Ledger
from stretto.traces.messages import Message, params, parts
from stretto.traces.source import pieces

VERSION_FIELD = "stretto_mcp_log"
VERSIONS = (1, 2)
MAX_LINE = 64 * 2**20
"""The longest line that is read, in characters."""
GAP, CUT = "notifications/stretto/gap", "notifications/stretto/cut"
"""What the proxy says is missing: lines of one sender here, or the next line's end."""
BESIDE = (".flow.jsonl", ".confirm.jsonl", ".guards.jsonl")
"""How the names of files end that lie beside a session log and are none."""

UNSOUND = (Unreadable, FormatError, RecursionError)
"""What a line that does not parse raises."""


class Sender(StrEnum):
    """Who said it."""

    CLIENT = "client"
    """The host."""
    SERVER = "server"
    PROXY = "proxy"
    """The proxy itself: a lookup of its own, or an answer it gave the host."""
    CONTEXT = "context"
    """Nobody on the wire: a line of the conversation, copied in."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line read by the proxy."""

    t_ms: int
    """Milliseconds since the proxy started."""
    sender: Sender
    messages: tuple[Message, ...] = ()
    """A batch's parts, keys sorted; none where the line was no JSON-RPC."""


class Told(NamedTuple):
    """An entry's fields: what was said, keys sorted, or its text if that is no JSON."""

    t_ms: int
    sender: Sender
    message: Json = None
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """What a log says about itself. Empty strings count as unknown."""

    version: int
    session: str
    started_ms: int
    """In Unix time."""
    server_command: tuple[str, ...] = ()
    domain: str | None = None
    agent: str | None = None
    host_session: str | None = None
    server_name: str | None = None
    part: int = 1
    """Which of the session's files this heads."""


@dataclass(frozen=True, slots=True)
class SessionLog:
    """A log, read."""

    header: Header
    entries: tuple[Entry, ...] = ()

    @property
    def last_ms(self) -> int:
        """When its last line was read, in milliseconds since the proxy started."""
        return self.entries[-1].t_ms if self.entries else 0


def read_log(path: Path, ledger: Ledger) -> SessionLog | None:
    """A log as far as it is sound; None, and a problem, where it has no header."""
    lines = log_lines(path, found := Ledger())
    if (header := _first(path, lines, found, ledger)) is None:
        return None
    entries: list[Entry] = []
    torn: int | None = None
    for line in lines:
        try:
            entries.append(entry := _entry(parsed(path, line, ledger)))
            for lack in _lacks(entry):
                ledger.problem(path, lack, line=line.number)
        except UNSOUND as cause:
            if line.whole:
                ledger.problem(path, reason(cause), line=line.number)
            else:
                torn = line.number
    for problem in found.problems:
        if torn is None or problem.line != torn:
            ledger.problem(path, problem.cause, line=problem.line)
    return SessionLog(header, tuple(entries))


def read_header(path: Path, ledger: Ledger) -> Header | None:
    """A log's header; None, and a problem, where it has none."""
    return _first(path, log_lines(path, found := Ledger()), found, ledger)


def is_beside(path: Path) -> bool:
    """Whether a file's name is one that lies beside a session log and is none."""
    return path.name.removesuffix(".gz").endswith(BESIDE)


class Line(NamedTuple):
    """A line that is not blank."""

    number: int
    text: str
    whole: bool
    """Whether it ends: a crash in mid-write leaves the last line without its end."""


def log_lines(path: Path, ledger: Ledger) -> Iterator[Line]:
    """The lines that are not blank, up to one that is too long."""
    number, rest = 1, ""
    for piece in pieces(path, ledger):
        *whole, rest = (rest + piece).split("\n")
        for text in whole:
            if text.strip():
                yield Line(number, text, True)
            number += 1
        if len(rest) > MAX_LINE:
            cause = f"is longer than {MAX_LINE} characters; nothing behind it is read"
            ledger.problem(path, cause, line=number)
            return
    if rest.strip():
        yield Line(number, rest, False)


def _first(
    path: Path, lines: Iterator[Line], found: Ledger, ledger: Ledger
) -> Header | None:
    for line in lines:
        try:
            return _header(parsed(path, line, found))
        except UNSOUND as cause:
            found.problem(path, reason(cause), line=line.number)
            break
    if not found.problems:
        found.problem(path, "is empty; a session log begins with its header")
    for problem in found.problems:
        ledger.problem(path, problem.cause, line=problem.line)
    return None


def parsed(path: Path, line: Line, ledger: Ledger) -> Node:
    """A line's JSON. Raises one of `UNSOUND`."""
    return Node(decode(line.text, ledger), str(path))


def reason(cause: Exception) -> str:
    """What one of `UNSOUND` says is wrong with a line."""
    match cause:
        case FormatError(place="", cause=said):
            return said
        case FormatError(place=place, cause=said):
            return f"`{place}` {said}"
        case RecursionError():
            return "is nested too deep"
        case _:
            return str(cause)


def _header(node: Node) -> Header:
    version = node.fields().get(VERSION_FIELD)
    if type(version) is not int or version not in VERSIONS:
        raise VersionError(node.path, VERSION_FIELD, found=version, reads=VERSIONS)
    command = node.get("server_command")
    return Header(
        version,
        node["session"].text(),
        node["started_unix_ms"].integer(),
        () if command is None else tuple(part.text() for part in command.array()),
        _text(node, "domain"),
        _text(node, "agent_model"),
        _text(node, "host_session"),
        _text(node, "server_name"),
        1 if (part := node.get("part")) is None else part.integer(),
    )


def _text(node: Node, key: str) -> str | None:
    """A header field's text; null and empty are the same."""
    return None if (value := node.get(key)) is None else value.text() or None


def told(node: Node) -> Told:
    """An entry's fields. Raises one of `UNSOUND`."""
    t_ms = node["t_ms"].integer()
    sender = node["from"].one_of(Sender, ", ".join(f"`{s}`" for s in Sender))
    if "message" in node.fields():
        return Told(t_ms, sender, _sound(node["message"].value))
    if "raw" not in node.fields():
        node.fail("has neither `message` nor `raw`")
    return Told(t_ms, sender, raw=node["raw"].text())


def _entry(node: Node) -> Entry:
    t_ms, sender, message, _ = told(node)
    return Entry(t_ms, sender, tuple(parts(message)))


def _lacks(entry: Entry) -> Iterator[str]:
    """What an entry says that the log does not hold."""
    for message in entry.messages if entry.sender is Sender.PROXY else ():
        said = params(message)
        match message.get("method"):
            case str(method) if method == GAP:
                lines = f"{said.get('lines')} lines of the {said.get('from')}"
                yield f"{lines} are missing; the session ends here"
            case str(method) if method == CUT:
                yield f"the next line, of {said.get('bytes')} bytes, is not whole"


def _sound(message: Json) -> Json:
    try:
        return arguments(message)
    except Unreadable:
        cause = f"is nested deeper than {MAX_DEPTH} levels, or has too large a number"
        raise Unreadable(cause) from None
