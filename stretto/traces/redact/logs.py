"""One log, line by line, with its values replaced."""

import re
from collections.abc import Iterator
from pathlib import Path

from stretto.canonical import Json, in_order
from stretto.files import Node
from stretto.traces.ledger import Ledger
from stretto.traces.redact import beside
from stretto.traces.redact.content import lines
from stretto.traces.redact.pseudonym import VERSION
from stretto.traces.redact.values import Values
from stretto.traces.redact.wire import Wire, called
from stretto.traces.sessionlog import (
    UNSOUND,
    VERSION_FIELD,
    Line,
    Told,
    log_lines,
    parsed,
    reason,
    told,
)

MARK = "redacted"
"""The field that says so, in a session log's header and in each line beside it."""

_SESSION = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9]+(?:-[0-9]+)?")
_HOST = re.compile(r"host-[0-9]+")


def mark(check: str) -> dict[str, Json]:
    """What says how something was redacted, and by which salt."""
    return {"version": VERSION, "salt": check}


def session_lines(
    path: Path, values: Values, check: str, ledger: Ledger
) -> Iterator[bytes]:
    """A session log's lines, the header's first. What cannot be read is left out."""
    found = log_lines(path, ledger)
    if (first := next(found, None)) is None:
        return  # it was there a moment ago
    header = parsed(path, first, ledger)
    is_done = header.fields().get(MARK) == mark(check)
    yield _spelled(header.fields() if is_done else _header(header, values, check))
    wire = Wire(values)
    for line in found:
        try:
            entry = told(node := parsed(path, line, ledger))
        except UNSOUND as cause:
            _leave_out(path, line, cause, ledger)
            continue
        yield _spelled(node.fields() if is_done else _entry(entry, wire, values))


def beside_lines(
    path: Path, values: Values, check: str, ledger: Ledger
) -> Iterator[bytes]:
    """A decision log's or a guard log's lines. What cannot be read is left out."""
    for line in log_lines(path, ledger):
        try:
            fields = parsed(path, line, ledger).fields()
            if fields.get(MARK) != mark(check):
                fields.pop(MARK, None)
                fields = beside.replaced(fields, values)
                fields[MARK] = mark(check)
        except UNSOUND as cause:
            _leave_out(path, line, cause, ledger)
        else:
            yield _spelled(fields)


def _header(header: Node, values: Values, check: str) -> dict[str, Json]:
    """What readers take from a header. The server's command is not in it."""
    fields = header.fields()
    new: dict[str, Json] = {VERSION_FIELD: fields[VERSION_FIELD]}
    session = header["session"].text()
    new["session"] = session if _SESSION.fullmatch(session) else values.text(session)
    new["started_unix_ms"] = header["started_unix_ms"].integer()
    new["server_command"] = []
    for key in ("domain", "agent_model", "server_name"):
        if key in fields:
            new[key] = called(fields[key], values)
    if isinstance(host := fields.get("host_session"), str):
        new["host_session"] = host if _HOST.fullmatch(host) else values.text(host)
    if (part := header.get("part")) is not None:
        new["part"] = part.integer()
    new[MARK] = mark(check)
    return new


def _entry(entry: Told, wire: Wire, values: Values) -> dict[str, Json]:
    new: dict[str, Json] = {"t_ms": entry.t_ms, "from": entry.sender.value}
    if entry.raw is None:
        new["message"] = wire.replaced(entry.sender, entry.message)
    else:
        new["raw"] = lines(entry.raw, values)
    return new


def _leave_out(path: Path, line: Line, cause: Exception, ledger: Ledger) -> None:
    if line.whole:  # the last one may be cut short by a crash
        ledger.problem(path, reason(cause), line=line.number)


def _spelled(fields: dict[str, Json]) -> bytes:
    return in_order(fields).encode(errors="replace") + b"\n"
