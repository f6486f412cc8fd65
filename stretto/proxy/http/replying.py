"""Answers that the proxy gives in the server's place, whenever they are there."""

import asyncio
from http import HTTPStatus

from stretto.proxy.http.asgi import Send, answer, more, start
from stretto.proxy.http.backward import KEEPALIVE
from stretto.proxy.http.delivery import STREAMED
from stretto.proxy.http.passage import Reply
from stretto.proxy.http.sse import framed


async def reply(to: Reply, send: Send, *, keepalive_s: float | None) -> None:
    """
    Give a client what answers its request.

    Args:
        keepalive_s: After how many seconds without it a stream begins, which gets a
            comment as often; None where the client takes no stream.
    """
    saying = asyncio.ensure_future(to.said)
    try:
        await asyncio.wait({saying}, timeout=keepalive_s)
        if not saying.done():
            await _stream(saying, send, keepalive_s)
        elif message := saying.result():
            await answer(send, HTTPStatus.OK, [], message)
        else:
            await answer(send, HTTPStatus.ACCEPTED, [])
    finally:
        saying.cancel()


async def _stream(
    saying: "asyncio.Future[bytes]", send: Send, keepalive_s: float | None
) -> None:
    await start(send, HTTPStatus.OK, STREAMED)
    while not saying.done():
        await more(send, KEEPALIVE)
        await asyncio.wait({saying}, timeout=keepalive_s)
    message = saying.result()
    await more(send, framed(message) if message else b"", is_last=True)
