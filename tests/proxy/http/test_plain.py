"""Requests over connections that are used again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar
from urllib.parse import urlsplit

import pytest

from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.connection import LONGEST_HEAD
from stretto.proxy.http.plain import PlainAnswer, PlainClient

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
T = TypeVar("T")
Serves = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def asked(
    serves: Serves, story: Callable[[Callable[[], Awaitable[bytes]]], Awaitable[None]]
) -> int:
    """How many connections were made for a story."""
    made = []

    async def count(reads: asyncio.StreamReader, writes: asyncio.StreamWriter) -> None:
        made.append(writes)
        with suppress(asyncio.IncompleteReadError):  # nothing more is asked
            await serves(reads, writes)
        writes.close()
        await writes.wait_closed()

    async def run() -> None:
        server = await asyncio.start_server(count, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = PlainClient("127.0.0.1", port, 5.0)

        async def ask() -> bytes:
            url = urlsplit(f"http://127.0.0.1:{port}/mcp?a=b")
            answer = await client.ask("POST", url, [(b"x", b"y")], b"{}")
            try:
                return b"".join([chunk async for chunk in answer.body()])
            finally:
                await answer.aclose()

        await asyncio.wait_for(story(ask), 10)
        client.close()
        server.close()
        await server.wait_closed()
        await asyncio.sleep(0.05)

    asyncio.run(run())
    return len(made)


def answering(*answers: bytes) -> Serves:
    """A server that gives these answers on each connection, then closes it."""

    async def serve(reads: asyncio.StreamReader, writes: asyncio.StreamWriter) -> None:
        for answer in answers:
            head = await reads.readuntil(b"\r\n\r\n")
            assert head.startswith(b"POST /mcp?a=b HTTP/1.1\r\n")
            assert b"content-length: 2" in head.lower()
            await reads.readexactly(2)
            writes.write(answer)
            await writes.drain()

    return serve


def answered(
    method: str,
    body: bytes,
    serve: Serves,
    story: Callable[[PlainAnswer], Awaitable[T]],
) -> T:
    """What a story makes of a server's only answer."""

    async def run() -> T:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = PlainClient("127.0.0.1", port, 5.0)
        url = urlsplit(f"http://127.0.0.1:{port}/")
        answer = await client.ask(method, url, [], body)
        told = await story(answer)
        await answer.aclose()
        client.close()
        server.close()
        await server.wait_closed()
        await asyncio.sleep(0.05)
        return told

    return asyncio.run(asyncio.wait_for(run(), 20))


def test_one_connection_serves_one_request_after_the_other() -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        assert [await ask() for _ in range(3)] == [b"ok"] * 3

    assert asked(answering(OK, OK, OK, OK), story) == 1


def test_requests_at_the_same_time_have_a_connection_each() -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        assert [*await asyncio.gather(ask(), ask())] == [b"ok"] * 2

    assert asked(answering(OK, OK), story) == 2


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        for _ in range(2):
            assert await ask() == b"ok"
            await asyncio.sleep(0.05)

    assert asked(answering(OK), story) == 2


def test_a_body_may_come_in_chunks_or_last_until_the_connection_ends() -> None:
    chunked = (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    )

    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        assert [await ask(), await ask()] == [b"ok", b"ok"]

    early = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    assert asked(answering(chunked, early + b"HTTP/1.1 200 OK\r\n\r\nok"), story) == 1


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\n", OK[:-1], b"hello\r\n\r\n"]
)
def test_an_answer_that_breaks_off_is_none(answer: bytes) -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        with pytest.raises(Unreachable):
            await ask()

    assert asked(answering(answer), story) == 1


def test_a_server_that_takes_no_connection_cannot_be_reached() -> None:
    async def run() -> None:
        client = PlainClient("127.0.0.1", 1, 5.0)
        with pytest.raises(Unreachable):
            await client.ask("GET", urlsplit("http://127.0.0.1:1/"), [], b"")

    asyncio.run(run())


def test_what_follows_an_answer_unasked_is_not_taken_for_the_next_one() -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        assert [await ask(), await ask()] == [b"ok", b"ok"]

    assert asked(answering(OK + OK.replace(b"ok", b"no")), story) == 2


def test_fields_behind_a_body_are_no_headers() -> None:
    chunked = b"transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-late: 1\r\n\r\n"

    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        assert await ask() == b"ok"

    assert asked(answering(b"HTTP/1.1 200 OK\r\n" + chunked), story) == 1


def test_a_head_without_an_end_is_no_answer() -> None:
    async def story(ask: Callable[[], Awaitable[bytes]]) -> None:
        with pytest.raises(Unreachable, match="too long"):
            await ask()

    endless = b"HTTP/1.1 200 OK\r\nx: " + b"a" * (2 * LONGEST_HEAD)
    assert asked(answering(endless), story) == 1


def test_a_server_waits_while_its_answer_is_not_read() -> None:
    size = 32 * 2**20
    sent: list[int] = []

    async def serve(reads: asyncio.StreamReader, writes: asyncio.StreamWriter) -> None:
        await reads.readuntil(b"{}")
        writes.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size)
        for _ in range(size // 2**16):
            writes.write(bytes(2**16))
            await writes.drain()
            sent.append(2**16)
        writes.close()

    async def story(answer: PlainAnswer) -> tuple[int, int]:
        await asyncio.sleep(0.3)
        return sum(sent), sum([len(chunk) async for chunk in answer.body()])

    early, got = answered("POST", b"{}", serve, story)

    assert early < size // 2
    assert got == size


def test_the_answer_to_head_has_no_body_and_is_complete() -> None:
    async def serve(reads: asyncio.StreamReader, writes: asyncio.StreamWriter) -> None:
        await reads.readuntil(b"\r\n\r\n")
        writes.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
        await reads.read()
        writes.close()

    async def story(answer: PlainAnswer) -> list[bytes]:
        return [chunk async for chunk in answer.body()]

    assert answered("HEAD", b"", serve, story) == []


@pytest.mark.parametrize("value", [b"a\r\nb: c", b"a\nb", b"a\0"])
def test_a_header_that_would_be_read_as_another_is_not_sent(value: bytes) -> None:
    async def run() -> None:
        client = PlainClient("127.0.0.1", 1, 5.0)
        with pytest.raises(Unreachable, match="header"):
            await client.ask(
                "GET", urlsplit("http://127.0.0.1:1/"), [(b"x", value)], b""
            )

    asyncio.run(run())
