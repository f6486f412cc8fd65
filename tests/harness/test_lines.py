"""A socket that answers lines."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from stretto.errors import CannotDecide, CannotWrite, StrettoError
from stretto.harness.lines import Limits, LineServer
from stretto.harness.sockets import tcp, unix
from stretto.traces.decode import Unreadable


def echo(query: dict) -> dict:
    return {"echo": query.get("say")}


class Caller:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer

    async def ask(self, line: object) -> dict:
        """The answer to a line; an object is sent as JSON."""
        raw = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
        self.writer.write(raw)
        return await self.answer()

    async def answer(self) -> dict:
        return json.loads(await self.reader.readline())

    async def is_ended(self) -> bool:
        return await self.reader.read() == b""


Play = Callable[[Callable[[], Awaitable[Caller]]], Awaitable[None]]


def played(server: LineServer, play: Play) -> None:
    """`play` with a running server, which is told to stop behind it."""

    async def run() -> None:
        listening = tcp("127.0.0.1", 0)
        where = listening.getsockname()
        stop = asyncio.Event()
        running = asyncio.create_task(server.run(listening, stop))
        callers = []

        async def call() -> Caller:
            callers.append(Caller(*await asyncio.open_connection(*where)))
            return callers[-1]

        async with asyncio.timeout(30):
            await play(call)
            stop.set()
            await running
            for caller in callers:
                caller.writer.close()

    asyncio.run(run())


def test_a_connection_may_ask_many_times():
    async def play(call):
        caller = await call()
        for n in range(3):
            assert await caller.ask({"say": n}) == {"echo": n}

    played(LineServer(echo), play)


def test_connections_are_answered_side_by_side():
    async def play(call):
        first, second = await call(), await call()
        first.writer.write(b'{"say": ')
        assert await second.ask({"say": 2}) == {"echo": 2}
        assert await first.ask(b"1}\n") == {"echo": 1}

    played(LineServer(echo), play)


def test_the_last_line_needs_no_end():
    async def play(call):
        caller = await call()
        caller.writer.write(b'{"say": 1}')
        caller.writer.write_eof()
        assert await caller.answer() == {"echo": 1}
        assert await caller.is_ended()

    played(LineServer(echo), play)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"POST / HTTP/1.1\r\n", "is not JSON"),
        (b"\n", "is not JSON"),
        (b"[1]\n", "is no JSON object"),
        (b'{"a": NaN}\n', "NaN is no JSON number"),
        (b'{"a": "\xff"}\n', "is not UTF-8"),
        (b"[" * 10**5 + b"\n", "is nested too deep"),
        (b"x" * 2_000_000, "is longer than 1000000 bytes"),
        (b'{"a": "' + b"x" * 1_000_000 + b'"}\n', "is longer than 1000000 bytes"),
    ],
    ids=lambda given: given[:12],
)
def test_what_is_no_query_is_told_why_and_not_listened_to_any_further(line, why):
    async def play(call):
        caller = await call()
        assert why in (await caller.ask(line))["error"]
        caller.writer.write(b'{"say": 1}\n')
        assert await caller.is_ended()
        assert await (await call()).ask({"say": 2}) == {"echo": 2}

    played(LineServer(echo, limits=Limits(line_bytes=1_000_000)), play)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (Unreadable("has no `messages`"), "cannot be used: has no `messages`"),
        (RecursionError(), "is nested too deep"),
        (CannotDecide("no reach counts"), "no reach counts"),
    ],
)
def test_a_query_that_cannot_be_answered_costs_itself_alone(raised, told):
    def answers(query: dict) -> dict:
        if query["say"] == "fail":
            raise raised
        return echo(query)

    async def play(call):
        caller = await call()
        assert told in (await caller.ask({"say": "fail"}))["error"]
        assert await caller.ask({"say": 1}) == {"echo": 1}

    played(LineServer(answers), play)


def test_a_bug_in_a_decider_costs_one_query_and_is_shown_where_the_server_runs(capsys):
    def answers(query: dict) -> dict:
        return {"half": 1 / query["say"]}

    async def play(call):
        caller = await call()
        assert "the decider failed" in (await caller.ask({"say": 0}))["error"]
        assert await caller.ask({"say": 2}) == {"half": 0.5}

    played(LineServer(answers), play)

    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_query_without_the_token_is_refused():
    async def play(call):
        assert await (await call()).ask({"say": 1, "token": "abc"}) == {"echo": 1}
        for token in ({}, {"token": "abd"}, {"token": 3}, {"token": None}):
            caller = await call()
            assert await caller.ask(token) == {"error": "`token` is missing or wrong"}
            assert await caller.is_ended()

    played(LineServer(echo, "abc"), play)


def test_one_connection_too_many_is_turned_away_and_another_may_take_its_place():
    async def play(call):
        first = await call()
        await first.ask({"say": 1})
        assert await (await call()).answer() == {
            "error": "there are too many connections"
        }
        first.writer.write_eof()
        assert await first.is_ended()
        assert await (await call()).ask({"say": 3}) == {"echo": 3}

    played(LineServer(echo, limits=Limits(connections=1)), play)


def test_a_connection_that_says_nothing_is_ended():
    async def play(call):
        assert await (await call()).is_ended()

    played(LineServer(echo, limits=Limits(idle_s=0.05)), play)


def test_stopping_ends_the_connections_that_are_open():
    ended = []

    async def run() -> None:
        listening = tcp("127.0.0.1", 0)
        stop = asyncio.Event()
        running = asyncio.create_task(LineServer(echo).run(listening, stop))
        caller = Caller(*await asyncio.open_connection(*listening.getsockname()))
        await caller.ask({"say": 1})
        stop.set()
        await running
        try:
            ended.append(await caller.is_ended())
        except ConnectionResetError:
            ended.append(True)
        caller.writer.close()

    asyncio.run(run())

    assert ended == [True]


def test_a_port_that_is_taken_is_an_error():
    with tcp("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StrettoError, match=f"127.0.0.1:{port} cannot be"):
            tcp("127.0.0.1", port)


def test_a_socket_file_is_its_owners_and_replaces_one_left_behind(tmp_path: Path):
    path = tmp_path / "flow.sock"
    unix(path).close()

    with unix(path) as bound:
        assert path.stat().st_mode & 0o777 == 0o600
        with pytest.raises(CannotWrite, match="another server listens at"):
            unix(path)
        assert bound.family == socket.AF_UNIX


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path):
    path = tmp_path / "notes"
    path.write_text("mine")

    with pytest.raises(CannotWrite, match="is no socket"):
        unix(path)
    assert path.read_text() == "mine"


def test_a_socket_cannot_be_made_where_there_is_no_folder(tmp_path: Path):
    with pytest.raises(CannotWrite, match="cannot be made a socket"):
        unix(tmp_path / "none" / "flow.sock")
