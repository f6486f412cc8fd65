"""
A session with an MCP server: requests, a line each, and their responses.

A server of a revision that has no `initialize` is asked without one.
"""

import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from stretto import __version__
from stretto.canonical import Json
from stretto.errors import ServerFailed
from stretto.traces.messages import Message, fields, parts, request_key, response_key

_PAGES = 100
_HANDSHAKE, _STATELESS = "2025-11-25", "2026-07-28"
_KEY = "io.modelcontextprotocol/"
_NO_METHOD: Message = {"code": -32601, "message": "there is no such method"}


class Ends(NamedTuple):
    """A server's ends of its streams."""

    input: IO[bytes]
    """What it reads is written here."""
    output: IO[bytes]
    """What it says is read here."""


@dataclass(slots=True)
class Session:
    """
    A session, one request at a time.

    Args:
        name: What the client calls itself.
        deadline: Until when an answer is waited for, by `time.monotonic`.
    """

    ends: Ends
    name: str
    deadline: float
    _lines: "queue.SimpleQueue[bytes]" = field(default_factory=queue.SimpleQueue)
    _meta: Message = field(default_factory=dict)
    """What every request says of its client; empty where the session was opened."""
    _asked: int = 0

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    @classmethod
    def opened(cls, ends: Ends, name: str, *, patience_s: float) -> "Session":
        """
        A session that is greeted, or with a server that wants no greeting.

        Raises:
            ServerFailed: the server ends, or takes longer than `patience_s`.
        """
        session = cls(ends, name, time.monotonic() + patience_s)
        about: Message = {"protocolVersion": _HANDSHAKE, "capabilities": {}}
        named: Message = {"name": name, "version": __version__}
        greeted = session.ask("initialize", {**about, "clientInfo": named})
        if "result" in greeted:
            session.tell({"method": "notifications/initialized"})
        else:
            meta: Message = {
                f"{_KEY}protocolVersion": _STATELESS,
                f"{_KEY}clientCapabilities": {},
                f"{_KEY}clientInfo": named,
            }
            session._meta = {"_meta": meta}
        return session

    def wait(self, patience_s: float) -> None:
        """Have what is asked next answered within that many seconds."""
        self.deadline = time.monotonic() + patience_s

    def ask(self, method: str, params: Message) -> Message:
        """
        The response to a request.

        What the server asks meanwhile is turned down, but for a ping; whatever else it
        says is passed over.

        Raises:
            ServerFailed: the server ends, or does not answer before the deadline.
        """
        self._asked += 1
        said = {**self._meta, **params}
        self.tell({"id": self._asked, "method": method, "params": said})
        while line := self._next(method):
            with suppress(ValueError, RecursionError):
                for message in parts(json.loads(line)):
                    if response_key(message) == str(self._asked):
                        return message
                    self._answer(message)
        raise ServerFailed(f"the server ended before it answered `{method}`")

    def tell(self, message: Message) -> None:
        """Send a message."""
        with suppress(OSError, ValueError):  # its end shows in what it does not answer
            line = json.dumps({"jsonrpc": "2.0", **message}).encode()
            self.ends.input.write(line + b"\n")
            self.ends.input.flush()

    def tools(self) -> Iterator[Message]:
        """
        The tools that the server lists, all pages of them.

        Raises:
            ServerFailed: it refuses, ends, or does not answer before the deadline.
        """
        cursor: dict[str, Json] = {}
        for _ in range(_PAGES):
            response = self.ask("tools/list", cursor)
            if "result" not in response:
                said = fields(response, "error").get("message")
                why = said if isinstance(said, str) else "without a word"
                raise ServerFailed(f"the server does not list its tools: {why}")
            result = fields(response, "result")
            tools = result.get("tools")
            yield from map(fields, tools if isinstance(tools, list) else [])
            if result.get("nextCursor") is None:
                return
            cursor = {"cursor": result["nextCursor"]}

    def _answer(self, message: Message) -> None:
        if request_key(message) is not None:
            is_ping = message["method"] == "ping"
            said: Message = {"result": {}} if is_ping else {"error": _NO_METHOD}
            self.tell({"id": message["id"], **said})

    def _next(self, method: str) -> bytes:
        """The server's next line; empty at its end."""
        try:
            left = max(0.0, self.deadline - time.monotonic())
            return self._lines.get(timeout=left)
        except queue.Empty:
            raise ServerFailed(f"the server did not answer `{method}`") from None

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # closed, while something still writes
            for line in self.ends.output:
                self._lines.put(line)
        self._lines.put(b"")
