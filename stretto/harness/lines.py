"""
A socket that answers lines, each a JSON object, each with one of its own.

A connection may ask many times. What is no JSON object is answered with an error and
ends the connection: a program that speaks something else, such as a browser's page, is
not listened to any further.
"""

import asyncio
import hmac
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from stretto.canonical import Json, compact
from stretto.errors import StrettoError
from stretto.traces.decode import Unreadable, decode
from stretto.traces.ledger import Ledger

Answers: TypeAlias = Callable[[dict[str, Json]], dict[str, Json]]
"""Answers a query; raises `Unreadable` or a `StrettoError` where it cannot."""

_PARTING_S = 2.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken from the other side."""

    line_bytes: int = 8 * 2**20
    connections: int = 64
    idle_s: float = 600.0
    """How long a connection may take to send a line, or to read an answer."""


class _Refused(Exception):
    """A line that ends its connection; the message is its answer."""


@dataclass(slots=True)
class LineServer:
    """
    Answers whoever connects.

    Args:
        answers: Gives each query its answer, one at a time unless it waits.
        token: What each query has to hold as `token`; None asks for nothing.
    """

    answers: Answers
    token: str | None = None
    waits: bool = False
    """Whether an answer may take its time, so that others are given meanwhile."""
    limits: Limits = field(default_factory=Limits)
    _connections: set["asyncio.Task[None]"] = field(default_factory=set)
    _n_asking: int = 0
    """The connections that were not turned away, and have not ended."""

    async def run(self, listening: socket.socket, stop: asyncio.Event) -> None:
        """Serve a bound socket until `stop` is set; then close every connection."""
        server = await asyncio.start_server(
            self._connected, sock=listening, limit=self.limits.line_bytes
        )
        await stop.wait()
        server.close()
        connections = [*self._connections]
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def run_until_told(self, listening: socket.socket) -> None:
        """As `run`, until the process is interrupted or told to end."""
        stop = asyncio.Event()
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await self.run(listening, stop)

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError, TimeoutError):
                await self._serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await self._take_queries(reader, writer)
        except _Refused as refusal:
            await self._say(writer, _error(str(refusal)))
            writer.write_eof()
            await _discard(reader)

    async def _take_queries(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._n_asking == self.limits.connections:
            raise _Refused("there are too many connections")
        self._n_asking += 1
        try:
            while line := await self._line(reader):
                query = self._query(line)
                if self.waits:
                    answer = await asyncio.to_thread(self._answered, query)
                else:
                    answer = self._answered(query)
                await self._say(writer, answer)
        finally:
            self._n_asking -= 1

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        """The next line; empty at the end."""
        try:
            async with asyncio.timeout(self.limits.idle_s):
                return await reader.readuntil()
        except asyncio.IncompleteReadError as end:
            return end.partial
        except asyncio.LimitOverrunError:
            longest = self.limits.line_bytes
            raise _Refused(f"the line is longer than {longest} bytes") from None

    async def _say(self, writer: asyncio.StreamWriter, answer: dict[str, Json]) -> None:
        writer.write(compact(answer).encode() + b"\n")
        async with asyncio.timeout(self.limits.idle_s):
            await writer.drain()

    def _query(self, line: bytes) -> dict[str, Json]:
        try:
            query = decode(line.decode(), Ledger())
        except UnicodeDecodeError:
            raise _Refused("the query is not UTF-8") from None
        except Unreadable as cause:
            raise _Refused(_told(cause)) from None
        if not isinstance(query, dict):
            raise _Refused("the query is no JSON object")
        given = query.get("token")
        if self.token is not None and not (
            isinstance(given, str)
            and hmac.compare_digest(given.encode(), self.token.encode())
        ):
            raise _Refused("`token` is missing or wrong")
        return query

    def _answered(self, query: dict[str, Json]) -> dict[str, Json]:
        try:
            return self.answers(query)
        except Unreadable as cause:
            return _error(_told(cause))
        except RecursionError:
            return _error("the query is nested too deep")
        except StrettoError as cause:
            return _error(str(cause))
        except Exception:  # an installed decider may raise anything, for one query
            sys.excepthook(*sys.exc_info())
            return _error("the decider failed; the server's standard error says how")


async def _discard(reader: asyncio.StreamReader) -> None:
    """
    Take what still comes, for a moment.

    Closed with something unread, a connection is reset, and its last answer lost.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_PARTING_S):
            while await reader.read(2**16):
                pass


def _told(cause: Unreadable) -> str:
    return f"the query cannot be used: {cause}"


def _error(text: str) -> dict[str, Json]:
    return {"error": text}
