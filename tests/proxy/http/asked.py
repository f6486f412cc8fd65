"""Applications asked without a network, and servers made up for them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.asgi import App, Message
from stretto.proxy.http.headers import Headers

HOST = (b"host", b"localhost:8080")
JSON = (b"content-type", b"application/json")
EVENTS = (b"content-type", b"text/event-stream")


class Answered(NamedTuple):
    """What a client got."""

    status: int
    headers: Headers
    body: bytes


class Made:
    """An answer made up beforehand; it never ends where `hangs`, or breaks off."""

    def __init__(
        self,
        *chunks: bytes,
        status: int = 200,
        headers: Sequence[tuple[bytes, bytes]] = (JSON,),
        hangs: bool = False,
        breaks: bool = False,
    ) -> None:
        self.status, self.headers = status, [*headers]
        self.is_closed = False
        self._chunks, self._hangs, self._breaks = chunks, hangs, breaks

    async def body(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._hangs:
            await asyncio.sleep(60)
        if self._breaks:
            raise Unreachable("it broke off")

    async def aclose(self) -> None:
        self.is_closed = True


class Server:
    """Answers the same to everybody, and remembers what it was asked."""

    def __init__(self, answer: Made | Callable[[bytes], Made] | None) -> None:
        self.asked: list[tuple[str, Headers, bytes]] = []
        self._answer = answer

    async def ask(self, method: str, headers: Headers, body: bytes) -> Made:
        self.asked.append((method, headers, body))
        await asyncio.sleep(0)  # no server answers before others can ask
        if self._answer is None:
            raise Unreachable("nobody is there")
        return self._answer if isinstance(self._answer, Made) else self._answer(body)


async def ask(
    app: App,
    body: bytes = b"",
    *,
    method: str = "POST",
    path: str = "/mcp",
    headers: Sequence[tuple[bytes, bytes]] = (HOST, JSON),
    leaves_after: float | None = None,
) -> Answered:
    """What an application answers to one request, from its only client."""
    sent: list[Message] = []
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await asyncio.sleep(60 if leaves_after is None else leaves_after)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [*headers],
        "client": ("127.0.0.1", 5),
    }
    await app(scope, receive, send)
    if not sent:
        return Answered(0, [], b"")
    answered = b"".join(message.get("body", b"") for message in sent[1:])
    return Answered(sent[0]["status"], sent[0]["headers"], answered)
