"""A flow served to hosts over HTTP with a process behind the proxy."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from stretto.proxy.http.idle import every, quarter
from stretto.proxy.http.stdio import StdioServers
from tests.proxy.engine.shop import call, texts
from tests.proxy.http.asked import Answered
from tests.proxy.http.simulated import (
    SESSION,
    Desk,
    events,
    repeating,
    simulated,
    stateless,
)
from tests.proxy.http.test_acted import ALL, added

pytestmark = [  # where other tests have started threads of Python's or of JAX's
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning"),
]

SHOP = (sys.executable, str(Path(__file__).parent.parent / "servers" / "shop.py"))
BOTH = (b"accept", b"application/json, text/event-stream")
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}


def behind(
    mode: str, story: Callable[[Desk], Awaitable[None]], **settings: Any
) -> Desk:
    """A story with a shop's process behind the proxy."""

    async def run() -> Desk:
        servers = StdioServers((*SHOP, mode))
        desk = Desk(servers, **settings)
        try:
            await asyncio.wait_for(story(desk), 20)
        finally:
            await desk.close()
            await servers.close()
        return desk

    return asyncio.run(run())


async def opened(desk: Desk) -> tuple[bytes, bytes]:
    """The header of a new session."""
    answered = await desk.post(INITIALIZE, BOTH)
    return next(pair for pair in answered.headers if pair[0] == SESSION)


async def ask_statelessly(desk: Desk, message: Any) -> Answered:
    dressed = stateless(message)
    return await desk.post(dressed, *repeating(dressed), BOTH)


def test_in_both_eras_lookups_are_made_of_the_process_that_answered() -> None:
    async def story(desk: Desk) -> None:
        session = await opened(desk)
        [message] = events(await desk.post(call(7), session, BOTH))
        plain = await desk.post(call(7), session)
        fresh = await ask_statelessly(desk, call(7))

        assert added(json.dumps(message).encode()) == ALL
        assert added(plain.body) == []
        assert added(fresh.body) == ALL

    behind("answers", story)


def test_what_the_process_says_of_its_own_accord_is_not_lost_to_a_lookup() -> None:
    async def story(desk: Desk) -> None:
        session = await opened(desk)
        standing = asyncio.ensure_future(
            desk.post(b"", session, BOTH, method="GET", leaves_after=0.5)
        )
        await asyncio.sleep(0.05)
        [message] = events(await desk.post(call(7), session, BOTH))

        assert added(json.dumps(message).encode()) == ALL
        told = events(await standing)
        assert [one["method"] for one in told] == [
            "notifications/resources/updated"
        ] * 3

    behind("babbles", story)


def test_the_result_is_unchanged_where_the_process_ends_at_a_lookup() -> None:
    async def story(desk: Desk) -> None:
        session = await opened(desk)
        [message] = events(await desk.post(call(7), session, BOTH))
        fresh = await ask_statelessly(desk, call(7))

        assert len(message["result"]["content"]) == 1
        assert len(texts(fresh.body)) == 1

    behind("dies", story)


def test_in_both_eras_the_process_is_told_that_a_lookup_is_not_waited_for() -> None:
    async def story(desk: Desk) -> None:
        session = await opened(desk)
        await desk.post(call(7), session, BOTH)
        heard = await desk.post(call(8, "heard", x=1), session)
        await ask_statelessly(desk, call(7))
        fresh = await ask_statelessly(desk, call(8, "heard", x=1))

        for answered in (heard, fresh):
            told = json.loads(texts(answered.body)[0])
            [lookup] = [
                m["id"] for m in told if str(m.get("id")).startswith("stretto-")
            ]
            [cancel] = [m for m in told if m["method"] == "notifications/cancelled"]
            assert cancel["params"]["requestId"] == lookup

    behind("hangs", story, patience_s=0.1)


def test_idle_sessions_end_without_another_request() -> None:
    async def story() -> None:
        retired: list[float] = []
        clock = asyncio.get_running_loop().time
        started = clock()
        async with every(quarter(20.0), lambda: retired.append(clock() - started)):
            await asyncio.sleep(12)
        await asyncio.sleep(100)

        assert retired == [5.0, 10.0]

    simulated(story())
    assert [quarter(s) for s in (0.0, 4.0, 10**6)] == [0.01, 1.0, 60.0]
