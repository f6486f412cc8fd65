"""
A host's lines, each sent to a server at a URL, and what the server says as lines.

Requests of sessions carry the session's id, and one that the server has ended is opened
anew, once for a request. Those of the stateless era carry the headers that repeat what
they say, and are called off by closing their connection.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from stretto.canonical import Json
from stretto.proxy.http.answering import Answer, Answers, Unreachable
from stretto.proxy.http.asgi import JSON_TYPE, SERVER_FAILED, STREAM_TYPE, error
from stretto.proxy.http.headers import Headers, first, media_type
from stretto.proxy.http.lanes import SESSION
from stretto.proxy.http.message import ID, VERSION_KEY, Message, one_line, text
from stretto.proxy.http.mirrored import VERSION, mirrored
from stretto.proxy.http.reading import Reading
from stretto.proxy.http.spelling import found, spliced
from stretto.proxy.notes import note

_IN_ORDER = ("initialize", "notifications/initialized")
_CANCELLED = "notifications/cancelled"
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_ACCEPTED: Headers = [
    (b"content-type", JSON_TYPE.encode()),
    (b"accept", f"{JSON_TYPE}, {STREAM_TYPE}".encode()),
]
_DELETING_S = 5.0


class Outbound:
    """
    Speaks to a server for one host.

    Args:
        server: The server.
        say: Gives the host a line, without its end.
    """

    def __init__(self, server: Answers, say: Callable[[bytes], None]) -> None:
        self._server, self._say = server, say
        self._session: Headers = []
        self._opening: Message | None = None
        self._reopening = asyncio.Lock()
        self._waiting: dict[asyncio.Task[None], Message] = {}
        self._standing: asyncio.Task[None] | None = None
        self._schemas: dict[str, Json] = {}

    async def hear(self, line: bytes) -> None:
        """Send a line on; returns once the next may be sent."""
        message = Message.of(line)
        if message.method == _CANCELLED and self._call_off(message):
            return
        if message.method == "initialize":
            self._opening = message
        task = asyncio.ensure_future(self._exchange(message))
        self._waiting[task] = message
        task.add_done_callback(lambda done: self._waiting.pop(done, None))
        if message.method in _IN_ORDER:
            await asyncio.wait({task})
        if message.method == _IN_ORDER[1]:
            self._stand()

    async def end(self) -> None:
        """End once what waits is answered; a session is ended at the server too."""
        if self._waiting:
            await asyncio.wait({*self._waiting})
        if self._standing is not None:
            self._standing.cancel()
        if first(self._session, SESSION) is not None:
            try:
                async with asyncio.timeout(_DELETING_S):
                    answer = await self._server.ask("DELETE", self._session, b"")
                    await answer.aclose()
            except (Unreachable, TimeoutError):
                note("the server was not told that the session is over")

    def _call_off(self, message: Message) -> bool:
        """Close the connection of a request of the stateless era."""
        id = message.params.get("requestId")
        for task, waiting in self._waiting.items():
            if waiting.id == id and VERSION_KEY in waiting.meta:
                task.cancel()
                return True
        return False

    async def _exchange(self, message: Message) -> None:
        session = self._session
        try:
            answer = await self._ask(message)
            is_over = answer.status == HTTPStatus.NOT_FOUND and session
            if is_over and VERSION_KEY not in message.meta:
                await answer.aclose()
                await self._reopen(session)
                answer = await self._ask(message)
            await self._hear_answer(message, answer)
        except Unreachable as cause:
            self._fail(message, f"the server does not answer: {cause}")

    async def _ask(self, message: Message) -> Answer:
        headers = [*_ACCEPTED, *self._session]
        if VERSION_KEY in message.meta:
            name = text(message.params.get("name")) or ""
            headers = [*_ACCEPTED, *mirrored(message, self._schemas.get(name))]
        elif message.method == "initialize":
            headers = [*_ACCEPTED]
        return await self._server.ask("POST", headers, message.raw)

    async def _hear_answer(self, message: Message, answer: Answer) -> None:
        try:
            if message.method == "initialize":
                self._session = _session(answer)
            if media_type(answer.headers) == STREAM_TYPE:
                stream = self._reading(message)
                await stream.read(answer)
                await stream.resume()
                is_answered = stream.is_answered
            else:
                body = b"".join([chunk async for chunk in answer.body()])
                is_answered = self._take(message, body)
        finally:
            await answer.aclose()
        if not is_answered:
            self._fail(message, _why(answer))

    def _take(self, message: Message | None, said: bytes) -> bool:
        """Tell the host what the server said; whether that answers the request."""
        heard = Message.of(said)
        if not heard.spelled:
            if said.strip().startswith(b"["):
                self._say(one_line(said))
            return False
        is_anonymous = heard.method is None and heard.id is None
        if message is not None and is_anonymous and "error" in heard.spelled:
            said = spliced(said, {ID: message.id or b"null"})
            heard = Message.of(said)
        self._say(one_line(said))
        is_answer = message is not None and heard.is_answer and heard.id == message.id
        if is_answer and message is not None:
            self._learn(message, said)
        return is_answer

    def _learn(self, message: Message, said: bytes) -> None:
        """Keep what later requests need to know of an answer."""
        if message.method == "initialize":
            version = text(found(said, ("result", "protocolVersion")))
            if version is not None:
                self._session.append((VERSION, version.encode()))
        if message.method == "tools/list":
            tools = json.loads(found(said, ("result", "tools")) or b"[]")
            for tool in tools if isinstance(tools, list) else ():
                if isinstance(tool, dict):
                    self._schemas[str(tool.get("name"))] = tool.get("inputSchema")

    def _fail(self, message: Message, why: str) -> None:
        if message.is_request:
            self._say(error(message.id or b"null", SERVER_FAILED, why))

    async def _reopen(self, ended: Headers) -> None:
        """Open another session in place of one that the server has ended."""
        async with self._reopening:
            if self._session is not ended or self._opening is None:
                return
            note("the server has ended the session; another one is opened")
            silent = Outbound(self._server, lambda _: None)
            await silent.hear(self._opening.raw)
            await silent.hear(_INITIALIZED)
            if silent._standing is not None:
                silent._standing.cancel()
            self._session = silent._session
            self._stand()

    def _stand(self) -> None:
        """Listen to what belongs to no request."""
        if self._standing is not None:
            self._standing.cancel()
        self._standing = asyncio.ensure_future(self._reading(None).stay())

    def _reading(self, message: Message | None) -> Reading:
        """A stream on which the answer to a message is to come, or none."""

        def ask(also: Headers) -> Coroutine[Any, Any, Answer]:
            accepted = (b"accept", STREAM_TYPE.encode())
            return self._server.ask("GET", [accepted, *self._session, *also], b"")

        return Reading(ask, lambda said: self._take(message, said))


def _session(answer: Answer) -> Headers:
    """The header that names the session which an answer has opened."""
    given = first(answer.headers, SESSION)
    return [] if given is None else [(SESSION, given.encode("latin-1"))]


def _why(answer: Answer) -> str:
    if answer.status >= HTTPStatus.BAD_REQUEST:
        return f"the server answers with HTTP {answer.status}"
    return "the server has ended its answer before it was complete"
