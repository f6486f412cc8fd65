"""What the listener makes of the bytes that clients send."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from stretto.proxy.http.accepted import LONGEST_HEAD, Accepted
from stretto.proxy.http.access import Address
from stretto.proxy.http.asgi import (
    DEPARTURE,
    App,
    Receive,
    Scope,
    Send,
    departure,
    taken,
)
from stretto.proxy.http.corked import MOST, Corked
from stretto.proxy.http.listen import bound

HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HEAD + b"Content-Length: 2\r\n\r\n{}"
Says = Callable[[bytes], Awaitable[bytes]]


async def tell(scope: Scope, receive: Receive, send: Send) -> None:
    """Tells a client its request's headers and body."""
    request = await taken(scope, receive, 2**20)
    names = b",".join(name for name, _ in request.headers)
    blanks = b"".join(v for k, v in request.headers if k == b"x-blank")
    said = b"%b %b %b%b" % (request.method.encode(), names, request.body, blanks)
    length = (b"content-length", str(len(said)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": said})


def said(*parts: bytes, pause_s: float = 0.0, app: App = tell) -> bytes:
    """All that a client is answered who sends these parts, and then listens."""

    async def run() -> bytes:
        at = bound(Address("127.0.0.1", 0))
        at.listen()
        config = uvicorn.Config(
            app, http=Accepted, lifespan="off", ws="none", log_level="critical"
        )
        server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server.serve(sockets=[at]))
        reads, writes = await asyncio.open_connection(*at.getsockname())
        heard = b""
        with suppress(TimeoutError, ConnectionError):
            for part in parts:
                writes.write(part)
                await asyncio.sleep(pause_s)
            async with asyncio.timeout(0.3):
                while more := await reads.read(2**16):
                    heard += more
        writes.close()
        server.should_exit = True
        await serving
        return heard

    return asyncio.run(run())


def test_a_request_may_come_byte_by_byte() -> None:
    heard = said(*(WHOLE[at : at + 1] for at in range(len(WHOLE))))

    assert heard.startswith(b"HTTP/1.1 200 OK\r\n")
    assert heard.endswith(b"POST host,content-length {}")


def test_requests_that_come_together_are_answered_one_after_the_other() -> None:
    assert said(WHOLE * 3).count(b"POST host,content-length {}") == 3


@pytest.mark.parametrize("times", [1, 2])
def test_a_request_that_offers_another_protocol_is_answered_with_its_body(
    times: int,
) -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    request = HEAD + offer + b"Content-Length: 2\r\n\r\n{}"

    heard = said(request * times)

    assert heard.count(b"POST host,connection,content-length {}") == times


def test_a_request_for_a_tunnel_is_refused() -> None:
    heard = said(b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")

    assert heard.startswith(b"HTTP/1.1 400 ")


def test_fields_behind_a_body_are_no_headers() -> None:
    chunked = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Late: 1\r\n\r\n"

    assert said(HEAD + chunked).endswith(b"POST host,transfer-encoding {}")


@pytest.mark.parametrize(
    "begun",
    [b"GET /", HEAD + b"X: ", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: "],
)
def test_what_never_ends_is_refused_once_it_is_too_long(begun: bytes) -> None:
    heard = said(begun, *[b"a" * (LONGEST_HEAD // 4)] * 5, pause_s=0.02)

    assert b"HTTP/1.1 400 " in heard


def test_blanks_around_a_header_are_no_part_of_it() -> None:
    blank = b"X-Blank: \t a b \t \r\nContent-Length: 0\r\n\r\n"

    assert said(HEAD + blank).endswith(b"POST host,x-blank,content-length a b")


def test_what_is_no_request_is_refused() -> None:
    assert said(b"hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_who_waits_for_it_hears_that_a_client_has_left() -> None:
    heard = []

    async def wait(scope: Scope, receive: Receive, _: Send) -> None:
        await taken(scope, receive, 2**20)
        with departure(scope, receive) as gone:
            assert gone is scope[DEPARTURE]
            heard.append(gone.done())
            await asyncio.wait_for(gone, 5)
            heard.append(gone.done())

    assert said(WHOLE, app=wait) == b""

    assert heard == [False, True]


class Sent:
    """A transport that keeps what is written to it."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    def close(self) -> None:
        self.is_closed = True


def corked(story: Callable[[Any], Awaitable[None]]) -> Sent:
    """What a story writes, as it was sent."""
    sent = Sent()

    async def run() -> None:
        await story(Corked(sent, asyncio.get_running_loop()))  # type: ignore[arg-type]

    asyncio.run(run())
    return sent


def test_what_is_written_in_one_turn_is_sent_in_one_piece() -> None:
    async def story(transport: Corked) -> None:
        transport.write(b"a")
        transport.write(bytearray(b"b"))
        await asyncio.sleep(0)
        transport.write(b"c")
        transport.close()

    sent = corked(story)

    assert sent.pieces == [b"ab", b"c"]
    assert sent.is_closed


def test_no_more_than_a_bound_waits_for_the_end_of_a_turn() -> None:
    async def story(transport: Corked) -> None:
        transport.write(b"a" * MOST)
        transport.write(b"b")
        transport.write(b"c")
        transport.flush()

    assert [*map(len, corked(story).pieces)] == [MOST + 1, 1]
