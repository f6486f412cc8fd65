"""An answer on its way back, from the server to the client."""

import asyncio

from stretto.proxy.http.answering import Answer, Unreachable
from stretto.proxy.http.asgi import (
    JSON_TYPE,
    SERVER_FAILED,
    STREAM_TYPE,
    Gone,
    Send,
    Unless,
    error,
    more,
    refuse,
    start,
)
from stretto.proxy.http.decoding import PLAIN, READ, Decode, inflating
from stretto.proxy.http.headers import answered, first, media_type
from stretto.proxy.http.message import Message
from stretto.proxy.http.passage import Outcome, Passage
from stretto.proxy.http.sse import Piece, Splitter, Whole, framed

KEEPALIVE = b": keepalive\n\n"

_UNBUFFERED = (b"x-accel-buffering", b"no")
_BROKEN = "the server stopped before it had answered"


class Backward:
    """
    Passes one answer back.

    Args:
        response: The server's, its body not read.
        send: Where it goes.
        to: What it answers.
        passage: Hears each message of it, and may change it.
        keepalive_s: After how many seconds of silence a stream gets a comment.
    """

    def __init__(
        self,
        response: Answer,
        send: Send,
        *,
        to: bytes,
        passage: Passage | None,
        keepalive_s: float,
    ) -> None:
        self._response, self._send, self._to = response, send, to
        self._passage, self._keepalive_s = passage, keepalive_s
        self._kind = media_type(response.headers)
        self._has_begun = self._is_resumable = False
        self._n_sent = 0
        self._last = b""
        self._decode: Decode | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._pieces = self._reading()

    async def run(self, *ends: "asyncio.Future[None]") -> Outcome:
        """How it went; `ends` are what it ends early for."""
        if self._passage is not None:
            await self._passage.began(self._response.status, self._response.headers)
        if self._is_stream:
            await self._begin()
        keeping = self._silence() if self._is_stream else None
        try:
            with Unless(*ends):
                await self._pass_body()
            outcome = Outcome.DONE
        except Gone:
            outcome = Outcome.LEFT
        except Unreachable:
            outcome = await self._break_off()
        finally:
            if keeping is not None:
                keeping.cancel()
            if self._keeping is not None:
                self._keeping.cancel()
        if outcome is not Outcome.BROKEN or self._has_begun:
            await self._begin()
            await more(self._send, b"", is_last=True)
        return outcome

    @property
    def _is_stream(self) -> bool:
        return self._kind == STREAM_TYPE

    def _reading(self) -> Splitter | Whole:
        """What tells the messages of the body apart, as far as it can be read."""
        encoding = (first(self._response.headers, b"content-encoding") or "").lower()
        if encoding in READ:
            self._decode = inflating()
        elif encoding not in PLAIN:
            return Whole(longest=0)
        if self._is_stream:
            return Splitter()
        return Whole() if self._kind == JSON_TYPE else Whole(longest=0)

    async def _pass_body(self) -> None:
        async for chunk in self._response.body():
            if self._decode is None:
                for piece in self._pieces.feed(chunk):
                    await self._pass(piece)
            else:
                await self._say(chunk)
                for piece in self._pieces.feed(self._decode(chunk)):
                    await self._heard(piece)
        for piece in self._pieces.end():
            await (self._pass(piece) if self._decode is None else self._heard(piece))

    async def _pass(self, piece: Piece) -> None:
        said = await self._heard(piece)
        if said is piece.data:
            await self._say(piece.raw)
        elif said is not None:
            await self._begin(is_rewritten=True)
            await self._say(framed(said, like=piece) if self._is_stream else said)

    async def _heard(self, piece: Piece) -> bytes | None:
        """What the client is to get for the data of a piece."""
        self._is_resumable |= bool(piece.id)
        if not piece.data:
            return piece.data
        self._last = piece.data
        if self._passage is None:
            return piece.data
        return await self._passage.said(piece.data)

    async def _say(self, raw: bytes) -> None:
        await self._begin()
        self._n_sent += 1
        await more(self._send, raw)

    async def _begin(self, *, is_rewritten: bool = False) -> None:
        if self._has_begun:
            return
        self._has_begun = True
        headers = answered(self._response.headers, is_rewritten=is_rewritten)
        if self._is_stream and first(headers, _UNBUFFERED[0]) is None:
            headers.append(_UNBUFFERED)
        await start(self._send, self._response.status, headers)

    def _silence(self) -> asyncio.TimerHandle:
        """Begins to keep the stream alive, unless it has ended by then."""

        def begin() -> None:
            self._keeping = asyncio.ensure_future(self._keep_alive())

        return asyncio.get_running_loop().call_later(self._keepalive_s, begin)

    async def _keep_alive(self) -> None:
        n_sent = 0
        while self._decode is None:
            if n_sent == self._n_sent and self._pieces.is_between:
                await more(self._send, KEEPALIVE)
            n_sent = self._n_sent
            await asyncio.sleep(self._keepalive_s)

    async def _break_off(self) -> Outcome:
        """Say that nothing more comes, unless the client can ask for the rest."""
        for piece in self._pieces.end():
            if self._is_stream:
                await self._pass(piece)
        id = Message.of(self._to).id
        is_owed = id is not None and not Message.of(self._last).is_answer
        if is_owed and self._is_stream and not self._is_resumable:
            await self._say(framed(error(id or b"null", SERVER_FAILED, _BROKEN)))
        elif not self._has_begun:
            why = (SERVER_FAILED, _BROKEN)
            await refuse(self._send, 502, *why, id=id or b"null")
        return Outcome.BROKEN
