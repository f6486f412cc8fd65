"""Answers made of what a stream hears."""

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus

from stretto.proxy.http.asgi import JSON_TYPE, STREAM_TYPE
from stretto.proxy.http.headers import Headers
from stretto.proxy.http.message import Message
from stretto.proxy.http.spelling import found
from stretto.proxy.http.sse import framed
from stretto.proxy.http.switchboard import Stream

STREAMED: Headers = [
    (b"content-type", STREAM_TYPE.encode()),
    (b"cache-control", b"no-cache, no-transform"),
]
"""With what a stream begins."""
_STATUSES = {
    b"-32700": HTTPStatus.BAD_REQUEST,
    b"-32600": HTTPStatus.BAD_REQUEST,
    b"-32601": HTTPStatus.NOT_FOUND,
    b"-32602": HTTPStatus.BAD_REQUEST,
    b"-32020": HTTPStatus.BAD_REQUEST,
    b"-32021": HTTPStatus.BAD_REQUEST,
    b"-32022": HTTPStatus.BAD_REQUEST,
}
"""The statuses of errors in the stateless era, by their codes."""


class Plain:
    """An answer that is there at once."""

    def __init__(
        self, status: int, body: bytes = b"", headers: Headers | None = None
    ) -> None:
        self.status, self._body = int(status), body
        typed = [(b"content-type", JSON_TYPE.encode())] if body else []
        length = (b"content-length", str(len(body)).encode())
        self.headers: Headers = [*(headers or []), *typed, length]

    async def body(self) -> AsyncIterator[bytes]:
        """It."""
        if self._body:
            yield self._body

    async def aclose(self) -> None:
        """Nothing is to be let go of."""


class Events:
    """
    An answer that tells as events what a stream hears.

    Args:
        first: What was heard already.
        on_close: Called when nobody hears any more.
    """

    status = int(HTTPStatus.OK)

    def __init__(
        self,
        stream: Stream,
        on_close: Callable[[], None],
        *,
        first: bytes | None = None,
        headers: Headers | None = None,
    ) -> None:
        self.headers: Headers = [*STREAMED, *(headers or [])]
        self._stream, self._first, self._on_close = stream, first, on_close

    async def body(self) -> AsyncIterator[bytes]:
        """The events."""
        if self._first is not None:
            yield framed(self._first)
        while (message := await self._stream.next()) is not None:
            yield framed(message)

    async def aclose(self) -> None:
        """Say that nobody hears any more."""
        self._on_close()


async def whole(stream: Stream, headers: Headers, *, is_batch: bool) -> Plain:
    """The answers that a stream hears, once all are there, and nothing beside them."""
    answers = []
    while (message := await stream.next()) is not None:
        if Message.of(message).is_answer:
            answers.append(message)
    body = b"[%b]" % b",".join(answers) if is_batch else b"".join(answers)
    return Plain(HTTPStatus.OK, body, headers)


def by_code(answer: bytes) -> Plain:
    """An answer of the stateless era, with the status that its error asks for."""
    code = found(answer, ("error", "code"))
    return Plain(_STATUSES.get(code or b"", HTTPStatus.OK), answer)
