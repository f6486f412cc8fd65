"""
HTTP on both sides: each request is made again to the server, each answer passed back.

Bodies and events pass byte for byte, headers too unless they are between two neighbours
on the way. Where a server's stream is silent a comment is put between two events, so
that nothing on the way takes the connection for dead.
"""

import asyncio
from contextlib import aclosing, suppress

from stretto.proxy.http.access import Access
from stretto.proxy.http.answering import Answer, Answers, Unreachable
from stretto.proxy.http.asgi import (
    SERVER_FAILED,
    STREAM_TYPE,
    Gone,
    Receive,
    Request,
    Scope,
    Send,
    TooLong,
    Unless,
    answer,
    departure,
    refuse,
    taken,
)
from stretto.proxy.http.backward import Backward
from stretto.proxy.http.headers import asked
from stretto.proxy.http.message import Message
from stretto.proxy.http.passage import Opens, Outcome, Passage, Reply
from stretto.proxy.http.replying import reply

PATHS = ("/mcp", "/mcp/")
LONGEST_BODY = 4 * 2**20
KEEPALIVE_S = 15.0


class Relay:
    """
    An ASGI application that passes requests on to a server.

    Args:
        server: What answers them.
        access: Who may make requests.
        opens: What stands in between, for each request.
        longest_body: How many bytes a request's body may have.
        keepalive_s: After how many seconds a silent stream gets a comment.
    """

    def __init__(
        self,
        server: Answers,
        access: Access,
        *,
        opens: Opens | None = None,
        longest_body: int = LONGEST_BODY,
        keepalive_s: float = KEEPALIVE_S,
    ) -> None:
        self._server, self._access, self._opens = server, access, opens
        self._longest_body, self._keepalive_s = longest_body, keepalive_s
        self._closing: asyncio.Future[None] = asyncio.Future()

    def close(self) -> None:
        """End the streams that may wait for ever; requests are still answered."""
        if not self._closing.done():
            self._closing.set_result(None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if (refusal := self._access.refusal(scope["headers"])) is not None:
            status, why, headers = refusal
            await refuse(send, status, SERVER_FAILED, why, headers=headers)
        elif scope["path"] not in PATHS:
            await answer(send, 404, [])
        else:
            with suppress(Gone):
                await self._take(scope, receive, send)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            request = await taken(scope, receive, self._longest_body)
        except TooLong:
            why = f"a request has at most {self._longest_body} bytes"
            await refuse(send, 413, SERVER_FAILED, why)
            return
        with departure(scope, receive) as gone:
            await self._pass_on(request, send, gone)

    async def _pass_on(
        self, request: Request, send: Send, gone: "asyncio.Future[None]"
    ) -> None:
        passage = None if self._opens is None else self._opens(request)
        outcome = Outcome.LEFT
        try:
            outcome = await self._exchange(request, send, gone, passage)
        finally:
            if passage is not None:
                await passage.ended(outcome)

    async def _exchange(
        self,
        request: Request,
        send: Send,
        gone: "asyncio.Future[None]",
        passage: Passage | None,
    ) -> Outcome:
        body = request.body
        try:
            with Unless(gone):
                if passage is not None:
                    sent = await passage.asked(body)
                    if isinstance(sent, Reply):
                        await self._reply(request, sent, send)
                        return Outcome.DONE
                    body = sent
                response = await self._ask(request, body)
        except Unreachable as cause:
            why = f"the server does not answer: {cause}"
            id = Message.of(body).id or b"null"
            await refuse(send, 502, SERVER_FAILED, why, id=id)
            return Outcome.BROKEN
        ends = (gone, self._closing) if request.method == "GET" else (gone,)
        async with aclosing(response):
            return await Backward(
                response,
                send,
                to=body,
                passage=passage,
                keepalive_s=self._keepalive_s,
            ).run(*ends)

    async def _reply(self, request: Request, sent: Reply, send: Send) -> None:
        accepted = request.header(b"accept") or ""
        period_s = self._keepalive_s if STREAM_TYPE in accepted else None
        await reply(sent, send, keepalive_s=period_s)

    async def _ask(self, request: Request, body: bytes) -> Answer:
        headers = asked(request.headers, dropped=self._access.own_headers)
        return await self._server.ask(request.method, headers, body)
