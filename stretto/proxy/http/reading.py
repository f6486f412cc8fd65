"""Streams of events read to their end, and taken up again where they were cut off."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from http import HTTPStatus

from stretto.proxy.http.answering import Answer, Unreachable
from stretto.proxy.http.asgi import STREAM_TYPE
from stretto.proxy.http.headers import Headers, media_type
from stretto.proxy.http.sse import Piece, Splitter

PATIENCE = 5
"""How often in a row a stream is asked for in vain."""
RETRY_S = 0.5

_NEVER = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""Statuses of servers that have no such stream."""
_LAST_ID = b"last-event-id"


class Reading:
    """
    One stream, over as many connections as it takes.

    Args:
        ask: Opens a connection, with these headers beside the usual ones.
        take: Given each message; whether it is the one that is waited for.
    """

    def __init__(
        self,
        ask: Callable[[Headers], Awaitable[Answer]],
        take: Callable[[bytes], bool],
    ) -> None:
        self.is_answered = False
        self._ask, self._take = ask, take
        self._last_id: bytes | None = None
        self._retry_s = RETRY_S

    async def read(self, answer: Answer, *, only_till_answered: bool = False) -> None:
        """Take what comes over a connection, until it ends or breaks off."""
        splitter = Splitter()
        try:
            async for chunk in answer.body():
                for piece in splitter.feed(chunk):
                    self._heed(piece)
                if only_till_answered and self.is_answered:
                    return
        except Unreachable:
            pass
        for piece in splitter.end():
            self._heed(piece)

    async def resume(self) -> None:
        """Ask for the rest until the message has come, where the server allows that."""
        n_vain = 0
        while not self.is_answered and self._last_id and n_vain < PATIENCE:
            await asyncio.sleep(self._retry_s)
            n_vain = 0 if await self._again() == HTTPStatus.OK else n_vain + 1

    async def stay(self) -> None:
        """Read for ever, unless the server has no such stream or cannot be reached."""
        n_vain = 0
        while n_vain < PATIENCE:
            status = await self._again()
            if status in _NEVER:
                return
            n_vain = 0 if status == HTTPStatus.OK else n_vain + 1
            await asyncio.sleep(max(self._retry_s, RETRY_S * n_vain))

    async def _again(self) -> int:
        """The status with which another connection was answered; 0 without any."""
        headers = [] if self._last_id is None else [(_LAST_ID, self._last_id)]
        try:
            answer = await self._ask(headers)
        except Unreachable:
            return 0
        async with aclosing(answer):
            if media_type(answer.headers) == STREAM_TYPE:
                # Servers leave such a stream open when it has nothing more to tell.
                await self.read(answer, only_till_answered=True)
            return answer.status

    def _heed(self, piece: Piece) -> None:
        self._last_id = piece.id or self._last_id
        self._retry_s = self._retry_s if piece.retry_s is None else piece.retry_s
        if piece.data:
            self.is_answered |= self._take(piece.data)
