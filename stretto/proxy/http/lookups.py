"""
The requests that a proxy makes itself, each as the call was made that it is behind.

Whatever the call's headers said, these say too: which session, which revision, who is
asking. Only what repeats the call's body repeats their own. What the server says beside
an answer belongs to a request that no client knows of, and is for none.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json
from stretto.proxy.http.answering import Answer, Unreachable
from stretto.proxy.http.asgi import JSON_TYPE, STREAM_TYPE
from stretto.proxy.http.headers import Headers, media_type
from stretto.proxy.http.message import VERSION_KEY, Message, one_line, text
from stretto.proxy.http.mirrored import PARAMETER, VERSION, mirrored
from stretto.proxy.http.reading import Reading
from stretto.proxy.http.spelling import found
from stretto.proxy.http.sse import Whole
from stretto.proxy.notes import note

Asks: TypeAlias = Callable[[str, Headers, bytes], Awaitable[Answer]]
"""Makes a request of a method, headers and a body; `Answers.ask` of a server."""

_REPEATING = {b"mcp-method", b"mcp-name"}
_CANCELLED = "notifications/cancelled"
_FRAME: Headers = [
    (b"content-type", JSON_TYPE.encode()),
    (b"accept", f"{JSON_TYPE}, {STREAM_TYPE}".encode()),
]
_STREAM_FRAME: Headers = [(b"accept", STREAM_TYPE.encode())]
_FRAMING = {b"content-type", b"accept", b"last-event-id"}
"""What a request says of the messages in it and in its answer."""


class _Asked(NamedTuple):
    """A request that is under way."""

    message: Message
    headers: Headers
    task: asyncio.Task[None]

    @property
    def is_stateless(self) -> bool:
        """Whether leaving it calls it off."""
        return VERSION_KEY in self.message.meta


class Lookups:
    """
    Those of one session that are under way.

    Args:
        asks: Asks the server.
        hears: Told each message that comes back, on one line.
        fails: Told each request that nobody will answer, on one line.
        schemas: The input schemas of the server's tools, as far as they are known.
    """

    def __init__(
        self,
        asks: Asks,
        hears: Callable[[bytes], None],
        fails: Callable[[bytes], None],
        schemas: Mapping[str, Json],
    ) -> None:
        self._asks, self._hears, self._fails = asks, hears, fails
        self._schemas = schemas
        self._asked: dict[bytes, _Asked] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def say(self, line: bytes, headers: Headers) -> None:
        """
        Send the server a line of the proxy's own.

        Args:
            headers: Those of the call that it is behind.
        """
        message = Message.of(line.rstrip(b"\n"))
        if message.method == _CANCELLED:
            self._call_off(message)
        elif (id := message.id) is not None:
            task = asyncio.ensure_future(self._exchange(message, line, headers))
            self._asked[id] = _Asked(message, headers, task)
            task.add_done_callback(lambda _: self._asked.pop(id, None))

    def close(self) -> None:
        """Wait for none of them."""
        for asked in self._asked.values():
            asked.task.cancel()

    def _call_off(self, message: Message) -> None:
        """Leave a request; where that does not tell the server, tell it in words."""
        asked = self._asked.get(message.params.get("requestId", b""))
        if asked is None:
            return
        asked.task.cancel()
        if not asked.is_stateless:
            telling = asyncio.ensure_future(self._tell(message, asked.headers))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _tell(self, message: Message, headers: Headers) -> None:
        try:
            answer = await self._asks("POST", saying(headers, message), message.raw)
        except Unreachable:
            return
        await answer.aclose()

    async def _exchange(self, message: Message, line: bytes, headers: Headers) -> None:
        tool = text(message.params.get("name")) or ""
        given = saying(headers, message, self._schemas.get(tool))
        try:
            answer = await self._asks("POST", given, message.raw)
            async with aclosing(answer):
                is_answered = await self._heard(message, answer, given)
        except Unreachable:
            is_answered = False
        except Exception as bug:  # whatever it is, a result may be held for the answer
            note(f"a lookup failed: {type(bug).__name__}: {bug}")
            is_answered = False
        if not is_answered:
            self._fails(line)

    async def _heard(self, message: Message, answer: Answer, given: Headers) -> bool:
        """Whether an answer has come to its end with what was asked for."""

        def take(said: bytes) -> bool:
            heard = Message.of(said)
            is_answer = heard.is_answer and heard.id == message.id
            if is_answer or heard.method is not None:
                self._hears(one_line(said) + b"\n")
            return is_answer

        async def again(also: Headers) -> Answer:
            kept = [pair for pair in given if pair[0] not in _FRAMING]
            return await self._asks("GET", [*kept, *_STREAM_FRAME, *also], b"")

        if media_type(answer.headers) != STREAM_TYPE:
            whole = Whole()
            async for chunk in answer.body():
                deque(whole.feed(chunk), maxlen=0)  # what is too long is let go of
            return any(take(piece.data) for piece in whole.end() if piece.data)
        reading = Reading(again, take)
        await reading.read(answer)
        if VERSION_KEY not in message.meta:
            await reading.resume()
        return reading.is_answered


def saying(headers: Headers, message: Message, schema: Json = None) -> Headers:
    """
    The headers of a request that is made as another was.

    Args:
        headers: The other's.
        schema: The input schema of the tool that it calls; None where it is not known.
    """
    kept = [
        (name, value)
        for name, value in headers
        if name not in _REPEATING | _FRAMING and not name.startswith(PARAMETER.encode())
    ]
    if VERSION_KEY not in message.meta:
        return [*_FRAME, *kept]
    kept = [pair for pair in kept if pair[0] != VERSION]
    return [*_FRAME, *kept, *mirrored(message, schema)]


def listed(answer: bytes) -> dict[str, Json]:
    """The input schemas on a page of a server's list of tools, by the tools' names."""
    try:
        tools = json.loads(found(answer, ("result", "tools")) or b"[]")
    except (ValueError, RecursionError):
        return {}
    return {
        tool["name"]: tool.get("inputSchema")
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    }
