"""
Sessions of the protocol's revisions that have them: each has a process of its own.

A process says to whom an answer goes, but not where its requests and notifications go.
They go on the one stream that waits for an answer, so that they come before it; where
none or several do, on the stream that the client keeps open for them; without one, on
the newest that waits. What nobody can hear is kept until somebody asks.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from http import HTTPStatus

from stretto.proxy.http.answering import Answer
from stretto.proxy.http.asgi import SERVER_FAILED, STREAM_TYPE, error
from stretto.proxy.http.delivery import Events, Plain, whole
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.lanes import SESSION
from stretto.proxy.http.message import REQUEST_ID, Message, one_line
from stretto.proxy.http.process import Process
from stretto.proxy.http.spelling import spliced
from stretto.proxy.http.switchboard import Stream, Switchboard

MOST_KEPT = 1_000
"""How many messages are kept that nobody can hear yet; the oldest are dropped."""

_ENDED = "the server has ended"


class LegacySession:
    """
    A process, and the streams on which its client hears it.

    Args:
        id: The session's.
        command: Starts the process.

    Raises:
        CannotStart: the command cannot be run.
    """

    def __init__(self, id: str, command: Sequence[str]) -> None:
        self.id, self.used_s = id, asyncio.get_running_loop().time()
        self.has_ended = False
        self._board = Switchboard(self._unclaimed)
        self._standing: Stream | None = None
        self._kept: deque[bytes] = deque(maxlen=MOST_KEPT)
        self._process = Process(command, self._board.hear, self._fall_silent)

    @property
    def is_busy(self) -> bool:
        """Whether a client waits for something."""
        return bool(self._board.streams) or self._standing is not None

    async def post(
        self,
        messages: Sequence[Message],
        headers: Headers,
        *,
        is_batch: bool,
        is_own: bool = False,
    ) -> Answer:
        """
        Say what a client says, and answer what is to be answered.

        Args:
            is_own: Whether it is the proxy itself who says it.
        """
        self.used_s = asyncio.get_running_loop().time()
        stream = Stream(is_own=is_own)
        for message in messages:
            self._process.write(self._line(stream, message))
        await self._process.room()
        if not stream.names:
            return Plain(HTTPStatus.ACCEPTED)
        if self.has_ended:
            self._board.close(_ENDED)
        own = [(SESSION, self.id.encode())]
        if STREAM_TYPE not in (first(headers, b"accept") or ""):
            return await whole(stream, own, is_batch=is_batch)
        return Events(stream, lambda: None, headers=own)

    def get(self) -> Answer:
        """A stream for what belongs to no request, in place of the one before."""
        if self._standing is not None:
            self._standing.end()
        stream = self._standing = Stream()
        for message in self._kept:
            stream.say(message)
        self._kept.clear()

        def close() -> None:
            if self._standing is stream:
                self._standing = None

        return Events(stream, close, headers=[(SESSION, self.id.encode())])

    async def end(self, why: str) -> None:
        """End the process; what waits for an answer gets an error."""
        self._board.close(why)
        if self._standing is not None:
            self._standing.end()
        await self._process.end()

    def _line(self, stream: Stream, message: Message) -> bytes:
        if message.is_request:
            return self._board.request(stream, message)
        line = one_line(message.raw)
        if message.method == "notifications/cancelled":
            name = self._board.name(message.params.get("requestId", b""))
            return line if name is None else spliced(line, {REQUEST_ID: name})
        return line

    def _unclaimed(self, message: Message) -> Stream | None:
        waiting = [stream for stream in self._board.streams if not stream.is_own]
        if len(waiting) == 1:
            return waiting[0]
        if self._standing is not None:
            return self._standing
        if waiting:
            return waiting[-1]
        self._kept.append(message.raw)
        return None

    def _fall_silent(self) -> None:
        self.has_ended = True
        self._board.close(_ENDED)
        if self._standing is not None:
            self._standing.end()


def unknown_session(id: bytes | None) -> Plain:
    """The answer to a request in a session that is no more."""
    why = "there is no such session; initialize a new one"
    return Plain(HTTPStatus.NOT_FOUND, error(id or b"null", SERVER_FAILED, why))
