"""Requests taken and answered: the little that a proxy needs of a web framework."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from stretto.canonical import Json
from stretto.proxy.http.headers import Headers, first

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream"
SERVER_FAILED = -32000
"""The JSON-RPC code of what the proxy says because it cannot get an answer."""

T = TypeVar("T")


class Gone(Exception):
    """The client has closed the connection."""


class TooLong(Exception):
    """A body is longer than is allowed."""


class Request(NamedTuple):
    """A request whose body has come."""

    method: str
    path: str
    headers: Headers
    body: bytes
    peer: str
    """Where it comes from: the address, without the port."""

    def header(self, name: bytes) -> str | None:
        """The first header of that name, in lower case."""
        return first(self.headers, name)


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


async def departure(receive: Receive) -> None:
    """Return when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def unless(*ends: "asyncio.Future[None]", work: Coroutine[Any, Any, T]) -> T:
    """
    What `work` gives.

    Raises:
        Gone: one of `ends` came first; the work has been called off.
    """
    task = asyncio.ensure_future(work)
    first_of: set[asyncio.Future[Any]] = {task, *ends}
    try:
        await asyncio.wait(first_of, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    if task.cancelled():
        raise Gone
    return task.result()


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
