"""
What a server lists, asked as a host asks it: line by line.

A server of a revision that has no `initialize` is asked without one.
"""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from stretto import __version__
from stretto.canonical import Json
from stretto.errors import CannotStart, StrettoError
from stretto.traces.messages import Message, fields, parts, response_key

PATIENCE_S = 30.0
"""How long a server may take for all of it; some are downloaded first."""

_PAGES = 100
_GRACE_S = 2.0
_SELF: Message = {"name": "stretto-doctor", "version": __version__}
_HANDSHAKE, _STATELESS = "2025-11-25", "2026-07-28"
_KEY = "io.modelcontextprotocol/"


class Ends(NamedTuple):
    """A server's ends of its streams."""

    input: IO[bytes]
    """What it reads is written here."""
    output: IO[bytes]
    """What it says is read here."""


def started_tools(
    command: Sequence[str], *, patience_s: float = PATIENCE_S
) -> list[Message]:
    """
    The tools that a server lists which is started, and ended again.

    Raises:
        CannotStart: the command cannot be run.
        StrettoError: the server ends, refuses, or takes longer than `patience_s`.
    """
    with _started(command) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        return listed_tools(Ends(process.stdin, process.stdout), patience_s)


def listed_tools(ends: Ends, patience_s: float) -> list[Message]:
    """
    The tools that a server lists, all pages of them.

    Raises:
        StrettoError: the server ends, refuses, or takes longer than `patience_s`.
    """
    server = _Server(ends, time.monotonic() + patience_s)
    about: Message = {"protocolVersion": _HANDSHAKE, "capabilities": {}}
    greeted = server.ask("initialize", {**about, "clientInfo": _SELF})
    if "result" in greeted:
        server.tell({"method": "notifications/initialized"})
        return list(_pages(server, {}))
    meta: Message = {
        f"{_KEY}protocolVersion": _STATELESS,
        f"{_KEY}clientCapabilities": {},
        f"{_KEY}clientInfo": _SELF,
    }
    return list(_pages(server, {"_meta": meta}))


class _Server:
    """The client's side of a server."""

    def __init__(self, ends: Ends, deadline: float) -> None:
        self._ends, self._deadline = ends, deadline
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._asked = 0
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, method: str, params: Message) -> Message:
        """The response to a request; whatever else is said meanwhile is passed over."""
        self._asked += 1
        self.tell({"id": self._asked, "method": method, "params": params})
        while line := self._next(method):
            with suppress(ValueError, RecursionError):
                for message in parts(json.loads(line)):
                    if response_key(message) == str(self._asked):
                        return message
        raise StrettoError(f"the server ended before it answered `{method}`")

    def tell(self, message: Message) -> None:
        """Send a message."""
        with suppress(OSError):  # its end shows in what it does not answer
            line = json.dumps({"jsonrpc": "2.0", **message}).encode()
            self._ends.input.write(line + b"\n")
            self._ends.input.flush()

    def _next(self, method: str) -> bytes:
        """The server's next line; empty at its end."""
        try:
            left = max(0.0, self._deadline - time.monotonic())
            return self._lines.get(timeout=left)
        except queue.Empty:
            raise StrettoError(f"the server did not answer `{method}`") from None

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # closed, while something still writes
            for line in self._ends.output:
                self._lines.put(line)
        self._lines.put(b"")


def _pages(server: _Server, params: Message) -> Iterator[Message]:
    cursor: dict[str, Json] = {}
    for _ in range(_PAGES):
        response = server.ask("tools/list", {**params, **cursor})
        if "result" not in response:
            said = fields(response, "error").get("message")
            why = said if isinstance(said, str) else "without a word"
            raise StrettoError(f"the server does not list its tools: {why}")
        result = fields(response, "result")
        tools = result.get("tools")
        yield from map(fields, tools if isinstance(tools, list) else [])
        if result.get("nextCursor") is None:
            return
        cursor = {"cursor": result["nextCursor"]}


@contextmanager
def _started(command: Sequence[str]) -> "Iterator[subprocess.Popen[bytes]]":
    """A server for the length of the block; its group is ended behind it."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as cause:
        raise CannotStart(command[0], cause) from cause
    with process:
        try:
            yield process
        finally:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
