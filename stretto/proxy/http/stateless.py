"""
Requests of the stateless era: one process answers those of all clients.

A client calls a request off by leaving, of which the process is told in its own words.
"""

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus

from stretto.canonical import Json
from stretto.proxy.http.answering import Answer
from stretto.proxy.http.asgi import STREAM_TYPE, error
from stretto.proxy.http.delivery import Events, Plain, by_code, whole
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.message import (
    CAPABILITIES_KEY,
    META,
    VERSION_KEY,
    Message,
    text,
)
from stretto.proxy.http.mirrored import PARAMETER, mismatch, mismatched_parameter
from stretto.proxy.http.process import Process
from stretto.proxy.http.spelling import members
from stretto.proxy.http.switchboard import Stream, Switchboard

FIRST_VERSION = "2026-07-28"
DEFER_S = 15.0
"""How long an answer may take before the connection gets a stream to keep it alive."""

_INVALID_PARAMS, _NO_METHOD, _MISMATCH = -32602, -32601, -32020
_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
_ENDED = "the server has ended"
_CANCELLED = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'
)


class Stateless:
    """
    A process that is started when the first request comes, and again once it has ended.

    Args:
        command: Starts it.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.used_s = asyncio.get_running_loop().time()
        self._command = command
        self._serving: _Serving | None = None
        self._ending: set[asyncio.Future[None]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a client waits for something."""
        return self._serving is not None and bool(self._serving.board.streams)

    async def post(
        self, message: Message, headers: Headers, *, is_own: bool = False
    ) -> Answer:
        """
        Answer one request.

        Args:
            is_own: Whether it is the proxy's own.

        Raises:
            CannotStart: the process cannot be started.
        """
        self.used_s = asyncio.get_running_loop().time()
        if not message.is_request:
            return Plain(HTTPStatus.ACCEPTED)
        if (refusal := _refusal(message, headers)) is not None:
            return refusal
        if self._serving is not None and self._serving.has_ended:
            self._replace()
        serving = self._serving = self._serving or _Serving(self._command)
        why = await _wrong_parameter(serving, message, headers)
        if why is not None:
            return _refused(message, _MISMATCH, why)
        accepts = first(headers, b"accept") or ""
        may_stream = STREAM_TYPE in accepts and not is_own
        return await serving.answer(message, may_stream=may_stream, is_own=is_own)

    async def end(self, why: str) -> None:
        """End the process; what waits for an answer gets an error."""
        self._replace(why)
        await asyncio.gather(*self._ending)

    def _replace(self, why: str = _ENDED) -> None:
        """Have the next request start another process."""
        if self._serving is not None:
            ending = asyncio.ensure_future(self._serving.end(why))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            self._serving = None


class _Serving:
    """The process from its start to its end."""

    def __init__(self, command: Sequence[str]) -> None:
        self.has_ended = False
        self.board = Switchboard(self._unclaimed)
        self._schemas: dict[str, Json] | None = None
        self._process = Process(command, self._hear, self._fall_silent)

    async def answer(
        self, message: Message, *, may_stream: bool, is_own: bool = False
    ) -> Answer:
        """What the process answers, as events where it takes its time."""
        wants_logs = _LOG_LEVEL in message.meta and not is_own
        stream = Stream(wants_logs=wants_logs, is_own=is_own)
        self._process.write(self.board.request(stream, message))
        try:
            await self._process.room()
            if self.has_ended:
                self.board.close(_ENDED)
            if not may_stream:
                return await whole(stream, [], is_batch=False)
            try:
                async with asyncio.timeout(DEFER_S):
                    heard = await stream.next()
            except TimeoutError:
                heard = None
            if heard is not None and Message.of(heard).is_answer:
                return by_code(heard)
        except BaseException:
            self._leave(stream)
            raise
        return Events(stream, lambda: self._leave(stream), first=heard)

    async def schemas(self, meta: bytes) -> dict[str, Json]:
        """The input schemas of the process's tools, by name."""
        if self._schemas is None:
            self._schemas = {}
            cursor: Json = ""
            while cursor is not None:
                cursor = await self._list_tools(meta, cursor, self._schemas)
        return self._schemas

    async def end(self, why: str) -> None:
        """End it."""
        self.board.close(why)
        await self._process.end()

    async def _list_tools(
        self, meta: bytes, cursor: Json, into: dict[str, Json]
    ) -> Json:
        """The next page's cursor; None where there is none."""
        params = b'{"_meta":%b}' % meta
        if cursor:
            params = b'{"cursor":%b,"_meta":%b}' % (json.dumps(cursor).encode(), meta)
        question = b'{"jsonrpc":"2.0","id":"listing","method":"tools/list","params":%b}'
        answer = await self.answer(Message.of(question % params), may_stream=False)
        body = b"".join([chunk async for chunk in answer.body()])
        result = json.loads(body).get("result") or {}
        for tool in result.get("tools", []):
            into[tool["name"]] = tool.get("inputSchema")
        onward = result.get("nextCursor")
        return onward if onward != cursor else None

    def _hear(self, line: bytes) -> None:
        if b"notifications/tools/list_changed" in line:
            self._schemas = None
        self.board.hear(line)

    def _leave(self, stream: Stream) -> None:
        for name in self.board.leave(stream):
            self._process.write(_CANCELLED % name)

    def _unclaimed(self, message: Message) -> Stream | None:
        """Logs go to the newest who wants them; nothing else is without a name."""
        if message.method != "notifications/message":
            return None
        return next((s for s in reversed(self.board.streams) if s.wants_logs), None)

    def _fall_silent(self) -> None:
        self.has_ended = True
        self.board.close(_ENDED)


def is_stateless(messages: Sequence[Message], version: str | None) -> bool:
    """Whether a request is of this era, by its header or by what it says of itself."""
    is_new = version is not None and version >= FIRST_VERSION
    return is_new or (len(messages) == 1 and VERSION_KEY in messages[0].meta)


def _refusal(message: Message, headers: Headers) -> Plain | None:
    missing = [
        key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in message.meta
    ]
    if missing:
        why = f"params.{META} lacks {' and '.join(missing)}"
        return _refused(message, _INVALID_PARAMS, why)
    if (wrong := mismatch(message, headers)) is not None:
        return _refused(message, _MISMATCH, wrong)
    if message.method == "initialize":
        return _refused(message, _NO_METHOD, "there are no sessions in this revision")
    return None


def _refused(message: Message, code: int, why: str) -> Plain:
    return by_code(error(message.id or b"null", code, why))


async def _wrong_parameter(
    serving: _Serving, message: Message, headers: Headers
) -> str | None:
    if message.method != "tools/call":
        return None
    params = message.params
    arguments = members(params.get("arguments", b""))
    repeats = any(name.startswith(PARAMETER.encode()) for name, _ in headers)
    if not (arguments or repeats):
        return None
    try:
        schemas = await serving.schemas(params[META])
    except (ValueError, AttributeError, KeyError, TypeError):  # no list of tools
        return None
    schema = schemas.get(text(params.get("name")) or "")
    given = json.loads(params.get("arguments", b"{}"))
    return mismatched_parameter(schema, given, headers)
