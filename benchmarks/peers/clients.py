"""Clients that ask a server as fast as it answers: over its pipes, and over HTTP."""

import asyncio
import json
import statistics
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.proxy_overhead import Server

WARM_UP, CALLS, IN_FLIGHT = 10, 1_000, 64
SPENT_S = 3.0
"""After how many seconds no more calls are begun."""
PATIENCE_S = 60.0

_OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Speed(NamedTuple):
    """How fast a path is."""

    median_ms: float
    """Of calls one after the other."""
    calls_per_s: float
    """With `IN_FLIGHT` at once."""


def line(id: int, method: str, params: object) -> bytes:
    """A request."""
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def call(id: int) -> bytes:
    """A call of a tool that says its text of 100 characters again."""
    return line(id, "tools/call", {"name": "echo", "arguments": {"text": "x" * 100}})


def checked(answer: bytes) -> None:
    """
    Does nothing, if a call was answered as it should be.

    Raises:
        RuntimeError: it was not.
    """
    if b"x" * 100 not in answer or b'"isError":true' in answer:
        raise RuntimeError(answer.decode())


def over_stdio(command: Sequence[str]) -> Speed:
    """The speed of a server that is started and spoken to over its pipes."""
    server = Server(command)
    try:
        for id in range(WARM_UP):
            _ask(server, id)
        until = time.perf_counter() + SPENT_S
        took = []
        while len(took) < CALLS and (began := time.perf_counter()) < until:
            _ask(server, WARM_UP + len(took))
            took.append(time.perf_counter() - began)
        speed = Speed(statistics.median(took) * 1_000, _at_once(server))
    finally:
        server.process.kill()
        server.process.wait()
    return speed


def _ask(server: Server, id: int) -> None:
    server.send(call(id))
    checked(_answer(server))


def _answer(server: Server) -> bytes:
    """The next answer, whatever notifications come before it."""
    while b'"id"' not in (said := server.receive()):
        pass
    return said


def _at_once(server: Server) -> float:
    free = threading.Semaphore(IN_FLIGHT)
    n_sent, has_ended = 0, threading.Event()

    def receive() -> None:
        n = 0
        while not (has_ended.is_set() and n == n_sent):
            checked(_answer(server))
            n += 1
            free.release()

    receiver = threading.Thread(target=receive)
    began = time.perf_counter()
    receiver.start()
    while time.perf_counter() < began + SPENT_S:
        free.acquire()
        n_sent += 1
        server.send(call(10_000 + n_sent))
    free.acquire()  # so that an answer is still to come when this is said
    n_sent += 1
    has_ended.set()
    server.send(call(10_000 + n_sent))
    receiver.join()
    return n_sent / (time.perf_counter() - began)


class Connection:
    """One connection to a server, used for one request after the other."""

    def __init__(
        self, reads: asyncio.StreamReader, writes: asyncio.StreamWriter, port: int
    ) -> None:
        self._reads, self._writes, self._port = reads, writes, port
        self.session = ""

    @classmethod
    async def to(cls, port: int, session: str = "") -> "Connection":
        """A new one, in a session that is there already."""
        made = cls(*await asyncio.open_connection("127.0.0.1", port), port)
        made.session = session
        return made

    async def ask(self, body: bytes) -> bytes:
        """
        What is answered.

        Raises:
            RuntimeError: nothing good is.
        """
        self._writes.write(self._head(len(body)) + body)
        head = (await self._reads.readuntil(b"\r\n\r\n")).decode()
        fields = dict(
            row.lower().split(": ", 1) for row in head.split("\r\n")[1:] if ": " in row
        )
        if not head.startswith("HTTP/1.1 2"):
            raise RuntimeError(head)
        self.session = fields.get("mcp-session-id", self.session)
        if "content-length" in fields:
            return await self._reads.readexactly(int(fields["content-length"]))
        chunks = b""
        while size := int(await self._reads.readuntil(b"\r\n"), 16):
            chunks += (await self._reads.readexactly(size + 2))[:-2]
        await self._reads.readexactly(2)
        return chunks

    def close(self) -> None:
        """Close it."""
        self._writes.close()

    def _head(self, size: int) -> bytes:
        named = f"Mcp-Session-Id: {self.session}\r\n" if self.session else ""
        return (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: 2025-11-25\r\n{named}"
            f"Content-Length: {size}\r\n\r\n"
        ).encode()


async def opened(port: int) -> Connection:
    """A connection that has opened a session."""
    connection = await Connection.to(port)
    await connection.ask(line(0, "initialize", _OPENING))
    await connection.ask(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return connection


def over_http(port: int) -> Speed:
    """The speed of a server that listens at a port."""
    return asyncio.run(asyncio.wait_for(_over_http(port), PATIENCE_S))


async def _over_http(port: int) -> Speed:
    one = await opened(port)
    for id in range(WARM_UP):
        checked(await one.ask(call(id)))
    until = time.perf_counter() + SPENT_S
    took = []
    while len(took) < CALLS and (began := time.perf_counter()) < until:
        checked(await one.ask(call(WARM_UP + len(took))))
        took.append(time.perf_counter() - began)
    many = [await Connection.to(port, one.session) for _ in range(IN_FLIGHT)]
    began = time.perf_counter()

    async def repeat(nth: int, connection: Connection) -> int:
        n = 0
        while time.perf_counter() < began + SPENT_S:
            checked(await connection.ask(call(10_000 + n * IN_FLIGHT + nth)))
            n += 1
        return n

    done = await asyncio.gather(*(repeat(n, c) for n, c in enumerate(many)))
    seconds = time.perf_counter() - began
    for connection in (one, *many):
        connection.close()
    return Speed(statistics.median(took) * 1_000, sum(done) / seconds)
