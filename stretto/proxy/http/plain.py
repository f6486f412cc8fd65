"""
Requests over plain HTTP/1.1, each connection used for one after the other.

A general client takes longer to ask than a server on the same machine to answer. Where
nothing of one is needed, neither encryption nor a proxy on the way, this asks instead.
"""

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from urllib.parse import SplitResult

from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.connection import Connection, Head
from stretto.proxy.http.headers import Headers

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
        self._idle: list[Connection] = []

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
        request = _spelled(method, url, headers, body)
        connection = await self._connected()
        try:
            head = await connection.ask(request, has_body=method != "HEAD")
        except BaseException:
            connection.close()
            raise
        return PlainAnswer(head, connection, self._idle)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    async def _connected(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_s):
                _, opened = await loop.create_connection(
                    Connection, self._host, self._port
                )
        except (OSError, TimeoutError) as cause:
            raise Unreachable(str(cause) or "it takes no connection") from cause
        return opened


class PlainAnswer:
    """An answer whose head has come."""

    def __init__(
        self, head: Head, connection: Connection, idle: list[Connection]
    ) -> None:
        self.status, self.headers = head
        self._connection, self._idle = connection, idle
        self._is_over = False

    async def body(self) -> AsyncIterator[bytes]:
        """Its bytes as they come."""
        while chunk := await self._connection.next():
            yield chunk
        if self._connection.may_go_on and len(self._idle) < MOST_IDLE:
            self._is_over = True
            self._idle.append(self._connection)

    async def aclose(self) -> None:
        """Close the connection, unless all has come and it can be used again."""
        if not self._is_over:
            self._is_over = True
            self._connection.close()


def _spelled(method: str, url: SplitResult, headers: Headers, body: bytes) -> bytes:
    """A request's bytes; `Unreachable` where they would be read as something else."""
    host, target = _place(url)
    lines = [b"%b %b HTTP/1.1" % (method.encode(), target), b"host: " + host]
    lines += [b"%b: %b" % header for header in headers]
    if body or method == "POST":
        lines.append(b"content-length: %d" % len(body))
    head = b"\r\n".join(lines)
    n_breaks = len(lines) - 1
    if head.count(b"\n") != n_breaks or head.count(b"\r") != n_breaks or b"\0" in head:
        raise Unreachable("a header cannot be sent")
    return b"%b\r\n\r\n%b" % (head, body)


@lru_cache(maxsize=16)
def _place(url: SplitResult) -> tuple[bytes, bytes]:
    """The host of a URL, and what it is asked for."""
    target = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
    # A redirect may lead to what is no URL.
    spelled = "".join(c if "!" <= c <= "~" else "" for c in target)
    if spelled != target:
        raise Unreachable(f"{target!r} is no address")
    return url.netloc.encode(), target.encode()
