"""A connection to a server over plain HTTP/1.1, its answers parsed by `httptools`."""

import asyncio
from typing import NamedTuple

import httptools

from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers
from stretto.proxy.pump import CHUNK

LONGEST_HEAD = 2**16
"""How many bytes of an answer's head may be there without its end."""

_MOST_UNREAD = 2 * CHUNK
"""How many bytes wait to be read before the server is to wait."""
_INFORMATION = range(100, 200)


class Head(NamedTuple):
    """With what an answer begins."""

    status: int
    headers: Headers


class Connection(asyncio.Protocol):
    """
    One connection, for one request after the other.

    Its methods `on_…` are what the parser calls.
    """

    _transport: asyncio.Transport
    _head: Head | None
    _headers: Headers
    _chunks: list[bytes]
    _is_complete: bool
    _has_length: bool

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._parser: httptools.HttpResponseParser | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._broken: str | None = None
        self._is_paused = False
        self._begin()

    @property
    def is_open(self) -> bool:
        """Whether another request may be made."""
        return self._broken is None and not self._transport.is_closing()

    @property
    def may_go_on(self) -> bool:
        """Whether the answer is complete, and the server takes another request."""
        return self._is_complete and self._is_lasting and self.is_open

    async def ask(self, request: bytes, *, has_body: bool = True) -> Head:
        """
        Make a request; the beginning of its answer.

        Args:
            has_body: Whether its answer may have one.

        Raises:
            Unreachable: there is none.
        """
        self._begin()
        self._has_body = has_body
        self._parser = httptools.HttpResponseParser(self)
        self._transport.write(request)
        while self._head is None:
            await self._more()
        return self._head

    async def next(self) -> bytes:
        """
        The next bytes of the answer's body; none at its end.

        Raises:
            Unreachable: the answer breaks off.
        """
        while not (self._chunks or self._is_complete):
            await self._more()
        body = b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        return body

    def close(self) -> None:
        """Close it."""
        self._broken = self._broken or "it was closed"
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take what the server says."""
        if self._parser is None or self._is_complete:
            self._break("the server says what it was not asked")
            return
        self._n_unfinished += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as cause:
            self._break(f"its answer is no HTTP: {cause}")
        if self._n_unfinished > LONGEST_HEAD:
            self._break("the head of its answer is too long")
        if self._size > _MOST_UNREAD and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed, which may be the end of an answer."""
        if self._head is not None and not self._has_length and self._broken is None:
            self._is_complete = True
        self._broken = self._broken or str(exc or "the connection ended")
        self._wake()

    def on_message_begin(self) -> None:
        """An answer begins."""
        if self._is_complete:
            self._is_lasting = False  # nothing more was asked
        self._headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep it without the blanks around it, unless it comes behind the body."""
        if self._head is None:
            self._headers.append((name.lower(), value.strip(b" \t")))

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._n_unfinished = 0
        assert self._parser is not None
        status = self._parser.get_status_code()
        if self._is_complete or status in _INFORMATION:
            return
        self._head = Head(status, self._headers)
        self._has_length = any(map(_says_length, self._headers))
        self._is_lasting = self._has_body and self._parser.should_keep_alive()
        self._is_complete = not self._has_body

    def on_body(self, body: bytes) -> None:
        """Some of the body is there."""
        self._n_unfinished = 0
        if not self._is_complete:
            self._chunks.append(body)
            self._size += len(body)

    def on_message_complete(self) -> None:
        """The answer has ended, if it is one."""
        self._n_unfinished = 0
        self._is_complete = self._head is not None

    def _begin(self) -> None:
        self._head = None
        self._chunks = []
        self._size = self._n_unfinished = 0
        self._is_complete = self._has_length = False
        self._is_lasting = self._has_body = True

    async def _more(self) -> None:
        """Return when something has come."""
        if self._broken is not None:
            raise Unreachable(self._broken)
        self._waiter = self._loop.create_future()
        await self._waiter

    def _break(self, why: str) -> None:
        self._broken = self._broken or why
        self._transport.abort()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _says_length(header: tuple[bytes, bytes]) -> bool:
    """Whether the end of a body shows without the connection's."""
    name, value = header
    is_chunked = name == b"transfer-encoding" and b"chunked" in value.lower()
    return name == b"content-length" or is_chunked
