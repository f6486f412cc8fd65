"""
The logs of one session, as one log.

Tools of several servers are named `SERVER::TOOL`, and so are the ids of their calls.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from stretto.canonical import Json, compact, text
from stretto.traces.hosts import server_name
from stretto.traces.messages import (
    Message,
    fields,
    params,
    request_key,
    response_key,
)
from stretto.traces.sessionlog import Entry, Header, Sender, SessionLog

SEPARATOR = "::"


def merge(logs: Sequence[SessionLog], session: str) -> SessionLog:
    """
    The logs of one group as one, on one clock, with what was said in it kept once.

    Args:
        logs: The group's logs in the order of their start.
        session: The merged session's name.
    """
    start = logs[0].header.started_ms
    timed = [
        (index, replace(entry, t_ms=entry.t_ms + log.header.started_ms - start))
        for index, log in enumerate(logs)
        for entry in qualified(_closed(log)).entries
    ]
    timed.sort(key=lambda pair: pair[1].t_ms)  # stable: at one time, in order of logs
    return SessionLog(_header(logs, session), tuple(_said_once(timed)))


def qualified(log: SessionLog) -> SessionLog:
    """A log with its tools, and its messages' ids, named after their server's name."""
    if (server := server_name(log)) is None:
        return log
    return replace(log, entries=tuple(_qualified(e, server) for e in log.entries))


def _header(logs: Sequence[SessionLog], session: str) -> Header:
    headers = [log.header for log in logs]
    domains = {header.domain for header in headers}
    return Header(
        max(header.version for header in headers),
        session,
        headers[0].started_ms,
        domain=headers[0].domain if len(domains) == 1 else None,
        agent=next((h.agent for h in headers if h.agent is not None), None),
        host_session=headers[0].host_session,
    )


def _closed(log: SessionLog) -> SessionLog:
    """A log with a cancellation at its end for each call that it leaves open."""
    waiting: dict[str, Json] = {}
    for entry in log.entries:
        if entry.sender is Sender.CONTEXT:
            continue
        for message in entry.messages:
            request, answered = request_key(message), response_key(message)
            if entry.sender is not Sender.SERVER:
                if message.get("method") == "tools/call" and request is not None:
                    waiting[request] = message["id"]
                elif message.get("method") == "notifications/cancelled":
                    waiting.pop(compact(params(message).get("requestId")), None)
            if entry.sender is not Sender.CLIENT and answered is not None:
                waiting.pop(answered, None)
    ends = (
        Entry(log.last_ms, Sender.PROXY, (_cancellation(id_),))
        for id_ in waiting.values()
    )
    return replace(log, entries=(*log.entries, *ends))


def _cancellation(request: Json) -> Message:
    return {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": request},
    }


def _qualified(entry: Entry, server: str) -> Entry:
    if entry.sender is Sender.CONTEXT:
        return entry
    return replace(entry, messages=tuple(_named(m, server) for m in entry.messages))


def _named(message: Message, server: str) -> Message:
    named = dict(message)
    if message.get("id") is not None:
        named["id"] = _name(server, message["id"])
    match message.get("method"):
        case "tools/call":
            named["params"] = _rename(message.get("params"), "name", server)
        case "notifications/cancelled":
            named["params"] = _rename(message.get("params"), "requestId", server)
    tools = fields(message, "result").get("tools")
    if isinstance(tools, list):
        listed: list[Json] = [_rename(tool, "name", server) for tool in tools]
        named["result"] = {**fields(message, "result"), "tools": listed}
    return named


def _rename(value: Json, key: str, server: str) -> Json:
    """An object with the name at `key` qualified, if it has one."""
    if not isinstance(value, dict) or value.get(key) is None:
        return value
    return {**value, key: _name(server, value[key])}


def _name(server: str, name: Json) -> str:
    return f"{server}{SEPARATOR}{text(name)}"


def _said_once(timed: Iterable[tuple[int, Entry]]) -> Iterator[Entry]:
    """
    The entries, without the lines of the conversation that another log already had.

    Each log holds the conversation from its beginning, so that a log's n-th line is
    known if it is the n-th of those kept.
    """
    said: list[tuple[Message, ...]] = []
    heard: Counter[int] = Counter()
    for log, entry in timed:
        if entry.sender is Sender.CONTEXT:
            nth = heard[log]
            heard[log] += 1
            if nth < len(said) and said[nth] == entry.messages:
                continue
            said.append(entry.messages)
        yield entry
