"""Session logs for tests, entry by entry."""

import json
from pathlib import Path

from stretto.canonical import Json
from stretto.traces.sessionlog import Entry, Header, Sender, SessionLog

SENDERS = {sender.value: sender for sender in Sender}


def call(t_ms: int, id: Json, /, *, sender: str = "client", tool: str = "get", **args):
    """A `tools/call`; its arguments are the keywords that are left."""
    params = {"name": tool, "arguments": args}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return entry(t_ms, sender, message)


def result(t_ms: int, id: Json, text: str = "", *, sender: str = "server") -> Entry:
    """What a call returned, as text."""
    content = {"content": [{"type": "text", "text": text}], "isError": False}
    return entry(t_ms, sender, {"jsonrpc": "2.0", "id": id, "result": content})


def cancelled(t_ms: int, id: Json, *, sender: str = "client") -> Entry:
    """A request withdrawn."""
    message = {"method": "notifications/cancelled", "params": {"requestId": id}}
    return entry(t_ms, sender, message)


def said(t_ms: int, role: str, content: Json) -> Entry:
    """A line of the conversation."""
    return entry(t_ms, "context", {"role": role, "content": content})


def initialize(t_ms: int, client: str) -> Entry:
    """A host's first request."""
    params = {"clientInfo": {"name": client, "version": "1"}}
    return entry(t_ms, "client", {"id": 0, "method": "initialize", "params": params})


def listing(t_ms: int, id: Json, *tools: Json) -> list[Entry]:
    """A host asks what tools there are, and the server answers."""
    return [
        entry(t_ms, "client", {"id": id, "method": "tools/list"}),
        entry(t_ms, "server", {"id": id, "result": {"tools": list(tools)}}),
    ]


def entry(t_ms: int, sender: str, *messages: dict[str, Json]) -> Entry:
    """An entry."""
    return Entry(t_ms, SENDERS[sender], messages)


def log(*entries: Entry, session: str = "s", start: int = 0, **header) -> SessionLog:
    """A log."""
    return SessionLog(Header(2, session, start, **header), entries)


def lines(log: SessionLog) -> list[str]:
    """A log as the proxy writes it, line by line."""
    header = log.header
    known = {"host_session": header.host_session, "server_name": header.server_name}
    first = {
        "stretto_mcp_log": header.version,
        "session": header.session,
        "started_unix_ms": header.started_ms,
        "server_command": list(header.server_command),
        "domain": header.domain,
        "agent_model": header.agent,
    } | {key: value for key, value in known.items() if value is not None}
    rest = [
        {
            "t_ms": entry.t_ms,
            "from": entry.sender.value,
            "message": entry.messages[0]
            if len(entry.messages) == 1
            else list(entry.messages),
        }
        for entry in log.entries
    ]
    return [json.dumps(line) for line in [first, *rest]]


def write(folder: Path, log: SessionLog) -> Path:
    """A log's file."""
    path = folder / f"{log.header.session}.jsonl"
    path.write_text("\n".join(lines(log)) + "\n")
    return path
