"""A connection that a client has made, its requests parsed by `httptools`."""

import asyncio
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from stretto.proxy.http.asgi import DEPARTURE
from stretto.proxy.http.corked import Corked

LONGEST_HEAD = 2**16
"""How many bytes of a head, or of what ends a body, may be there without its end."""


class Accepted(HttpToolsProtocol):
    """
    As uvicorn has it, with differences.

    What it writes in one turn of the event loop leaves in one piece. Heads are bounded,
    and fields behind a body are none of the request's headers. A request that offers
    another protocol is answered in this one, with its body.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._n_unfinished = 0
        self._is_in_body = False
        self._departure: asyncio.Future[None] = self.loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Have what is written gathered."""
        assert isinstance(transport, asyncio.Transport)
        self._corked = Corked(transport, self.loop)
        super().connection_made(self._corked)

    def connection_lost(self, exc: Exception | None) -> None:
        """Have the requests that are not answered called off."""
        if not self._departure.done():
            self._departure.set_result(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take the next bytes."""
        self._unset_keepalive_if_required()
        while data:
            self._n_unfinished += len(data)
            try:
                self.parser.feed_data(data)
                data = b""
            except httptools.HttpParserUpgrade as offer:
                data = self._without_offer() + data[offer.args[0] :]
            except httptools.HttpParserError:
                self.send_400_response("Invalid HTTP request received.")
                return
        if self._n_unfinished > LONGEST_HEAD:
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A head begins."""
        self._is_in_body = False
        super().on_message_begin()
        self.scope[DEPARTURE] = self._departure  # type: ignore[literal-required]

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep it, if it is one, without the blanks around its value."""
        if not self._is_in_body:
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Answer the request, unless it is to be read again without its offer."""
        self._n_unfinished, self._is_in_body = 0, True
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some of the body has come."""
        self._n_unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request has ended, unless it is to be read again."""
        self._n_unfinished = 0
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Let the answer go at once."""
        self._corked.flush()
        super().on_response_complete()

    def _without_offer(self) -> bytes:
        """The head of the request that has just been read, without its offer."""
        method = self.parser.get_method()
        if method == b"CONNECT":
            return b"\0"  # it asks for nothing else, and no request begins like that
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (method, self.url, version)]
        lines += [b"%b: %b" % pair for pair in self.headers if pair[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])
