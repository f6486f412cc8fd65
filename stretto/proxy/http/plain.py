"""
Requests over plain HTTP/1.1, each connection used for one after the other.

A general client takes longer to ask than a server on the same machine to answer. Where
nothing of one is needed, neither encryption nor a proxy on the way, this asks instead.
"""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import SplitResult

import h11

from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers
from stretto.proxy.pump import CHUNK

MOST_IDLE = 64
"""How many connections are kept for later."""


class PlainClient:
    """
    Asks one server.

    Args:
        host: The server's name or address.
        port: Its port.
        connect_s: How long a connection may take to be made.
    """

    def __init__(self, host: str, port: int, connect_s: float) -> None:
        self._host, self._port, self._connect_s = host, port, connect_s
        self._idle: list[_Connection] = []

    async def ask(
        self, method: str, url: SplitResult, headers: Headers, body: bytes
    ) -> "PlainAnswer":
        """
        What the server answers, the body not read.

        Args:
            url: One of the server's.
            headers: Beside the host and the length.

        Raises:
            Unreachable: it does not answer.
        """
        target = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
        headers = [(b"host", url.netloc.encode()), *headers]
        if body or method == "POST":
            headers.append((b"content-length", str(len(body)).encode()))
        connection = await self._connected()
        try:
            request = h11.Request(method=method, target=target, headers=headers)
            head = await connection.ask(request, body)
        except BaseException as cause:
            connection.close()
            raise _unreachable(cause) from cause
        return PlainAnswer(head, connection, self._idle)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    async def _connected(self) -> "_Connection":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
            connection.close()
        try:
            async with asyncio.timeout(self._connect_s):
                opened = await asyncio.open_connection(self._host, self._port)
        except (OSError, TimeoutError) as cause:
            raise Unreachable(str(cause) or "it takes no connection") from cause
        return _Connection(*opened)


class PlainAnswer:
    """An answer whose head has come."""

    def __init__(
        self, head: h11.Response, connection: "_Connection", idle: list["_Connection"]
    ) -> None:
        self.status = head.status_code
        self.headers: Headers = [(bytes(k), bytes(v)) for k, v in head.headers]
        self._connection, self._idle = connection, idle
        self._is_over = False

    async def body(self) -> AsyncIterator[bytes]:
        """Its bytes as they come."""
        try:
            while isinstance(event := await self._connection.next(), h11.Data):
                yield bytes(event.data)
        except (OSError, h11.ProtocolError) as cause:
            raise _unreachable(cause) from cause
        if self._connection.renew() and len(self._idle) < MOST_IDLE:
            self._is_over = True
            self._idle.append(self._connection)

    async def aclose(self) -> None:
        """Close the connection, unless all has come and it can be used again."""
        if not self._is_over:
            self._is_over = True
            self._connection.close()


class _Connection:
    def __init__(
        self, reads: asyncio.StreamReader, writes: asyncio.StreamWriter
    ) -> None:
        self._reads, self._writes = reads, writes
        self._state = h11.Connection(h11.CLIENT)

    @property
    def is_open(self) -> bool:
        return not (self._reads.at_eof() or self._writes.is_closing())

    async def ask(self, request: h11.Request, body: bytes) -> h11.Response:
        parts = (request, h11.Data(data=body), h11.EndOfMessage())
        self._writes.write(b"".join(self._state.send(part) or b"" for part in parts))
        await self._writes.drain()
        while not isinstance(head := await self.next(), h11.Response):
            if not isinstance(head, h11.InformationalResponse):
                raise h11.RemoteProtocolError("the connection ended without an answer")
        return head

    async def next(self) -> object:
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(await self._reads.read(CHUNK))
        return event

    def renew(self) -> bool:
        """Whether another request can be made."""
        if self._state.our_state is self._state.their_state is h11.DONE:
            self._state.start_next_cycle()
            return True
        return False

    def close(self) -> None:
        self._writes.close()


def _unreachable(cause: BaseException) -> BaseException:
    """What went wrong, for those who asked."""
    if isinstance(cause, OSError | h11.ProtocolError):
        return Unreachable(str(cause) or type(cause).__name__)
    return cause
