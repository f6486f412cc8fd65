"""Requests taken and answered: the little that a proxy needs of a web framework."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, TypeAlias

from stretto.canonical import Json
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.message import Message as Spoken

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream"
DEPARTURE = "stretto.departure"
"""The scope's key for a future that is done once the connection is lost."""
SERVER_FAILED = -32000
"""The JSON-RPC code of what the proxy says because it cannot get an answer."""


class Gone(Exception):
    """The client has closed the connection."""


class TooLong(Exception):
    """A body is longer than is allowed."""


@dataclass(frozen=True)
class Request:
    """A request whose body has come."""

    method: str
    path: str
    headers: Headers
    body: bytes
    peer: str
    """Where it comes from: the address, without the port."""

    def header(self, name: bytes) -> str | None:
        """The first header of that name, in lower case."""
        value = self._by_name.get(name)
        return None if value is None else value.decode("latin-1").strip()

    @cached_property
    def message(self) -> Spoken:
        """What its body says."""
        return Spoken.of(self.body)

    @cached_property
    def _by_name(self) -> dict[bytes, bytes]:
        return {name.lower(): value for name, value in reversed(self.headers)}


async def taken(scope: Scope, receive: Receive, longest: int) -> Request:
    """
    The request, its body read.

    Raises:
        TooLong: the body has more than `longest` bytes.
        Gone: the client did not wait until it was read.
    """
    headers: Headers = [*scope["headers"]]
    if int(first(headers, b"content-length") or 0) > longest:
        raise TooLong
    chunks, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > longest:
            raise TooLong
        if not message.get("more_body", False):
            break
    client = scope.get("client") or ("",)
    return Request(
        scope["method"], scope["path"], headers, b"".join(chunks), str(client[0])
    )


@contextmanager
def departure(scope: Scope, receive: Receive) -> "Iterator[asyncio.Future[None]]":
    """
    What comes when the client is gone; for the length of the block.

    Where the scope has it under `DEPARTURE`, nobody need wait for the message of it.
    """
    if (known := scope.get(DEPARTURE)) is not None:
        yield known
        return
    waiting = asyncio.ensure_future(_departed(receive))
    try:
        yield waiting
    finally:
        waiting.cancel()


async def _departed(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Unless:
    """
    A block of the task that enters it, called off when one of `ends` comes.

    Raises:
        Gone: one came before the block had ended.
    """

    def __init__(self, *ends: "asyncio.Future[None]") -> None:
        self._ends = ends
        self._is_over = self._has_come = False

    def __enter__(self) -> None:
        for end in self._ends:
            if end.done():
                raise Gone
        task = asyncio.current_task()
        assert task is not None
        self._task, self._n_cancelled = task, task.cancelling()
        for end in self._ends:
            end.add_done_callback(self._call_off)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over = True
        for end in self._ends:
            end.remove_done_callback(self._call_off)
        if not self._has_come:
            return
        is_own = self._task.uncancel() <= self._n_cancelled
        if is_own and kind is asyncio.CancelledError:
            raise Gone from value

    def _call_off(self, _: "asyncio.Future[None]") -> None:
        if not (self._is_over or self._has_come):
            self._has_come = True
            self._task.cancel()


async def start(send: Send, status: int, headers: Headers) -> None:
    """Begin an answer."""
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def more(send: Send, body: bytes, *, is_last: bool = False) -> None:
    """Go on with an answer."""
    await send({"type": "http.response.body", "body": body, "more_body": not is_last})


async def answer(
    send: Send, status: int, headers: Headers, body: bytes = b"", kind: str = JSON_TYPE
) -> None:
    """A whole answer; without a body it has no type either."""
    length = (b"content-length", str(len(body)).encode())
    typed = [(b"content-type", kind.encode())] if body else []
    await start(send, status, [*headers, length, *typed])
    await more(send, body, is_last=True)


async def refuse(
    send: Send,
    status: int,
    code: int,
    why: str,
    *,
    id: bytes = b"null",
    data: Json = None,
    headers: Headers | None = None,
) -> None:
    """An answer that is a JSON-RPC error; `id` is the request's as it was spelled."""
    await answer(send, status, headers or [], error(id, code, why, data))


def error(id: bytes, code: int, why: str, data: Json = None) -> bytes:
    """A JSON-RPC error as an answer to the request whose id is spelled like that."""
    about: dict[str, Json] = {"code": code, "message": why}
    if data is not None:
        about["data"] = data
    spelled = json.dumps(about, separators=(",", ":")).encode()
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (id, spelled)
