"""
The proxy with hosts over HTTP, for a command line to start.

Each is to be run by the main thread, and gives the exit status of the process.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stretto.proxy.http.access import Access, Address, checked
from stretto.proxy.http.answering import Answers
from stretto.proxy.http.idle import every, quarter
from stretto.proxy.http.lanes import IDLE_S
from stretto.proxy.http.listen import bound, listen
from stretto.proxy.http.lookups import Asks
from stretto.proxy.http.relay import LONGEST_BODY, Relay
from stretto.proxy.http.standing import Stands
from stretto.proxy.http.stdio import StdioServers
from stretto.proxy.http.upstream import Upstream


class Listening(NamedTuple):
    """What is listened at, and for how long."""

    where: Address
    token: str | None = None
    idle_s: float = IDLE_S
    """After how long without requests a session ends."""
    longest_body: int = LONGEST_BODY


def relay(
    at: Listening,
    url: str,
    *,
    own_headers: Mapping[str, str] | None = None,
    stands: Stands | None = None,
) -> int:
    """
    Serve a server that is at a URL, over HTTP.

    Args:
        own_headers: What every request to it says, in place of what its client says.
        stands: What stands in between; None for nothing.

    Raises:
        StrettoError: there is nothing to be listened at, or no such URL.
    """
    checked(at.where, at.token)
    return asyncio.run(_relay(at, url, own_headers or {}, stands))


def host(at: Listening, command: Sequence[str], *, stands: Stands | None = None) -> int:
    """
    Serve a server on standard input and output, over HTTP.

    Args:
        command: Starts it; once for each session, and once for all without.
        stands: What stands in between; None for nothing.

    Raises:
        StrettoError: there is nothing to be listened at.
    """
    checked(at.where, at.token)
    return asyncio.run(_host(at, tuple(command), stands))


async def _relay(
    at: Listening, url: str, own_headers: Mapping[str, str], stands: Stands | None
) -> int:
    async with Upstream(url, own_headers) as upstream:
        await _answer(at, upstream, upstream.ask, stands)
    return 0


async def _host(at: Listening, command: tuple[str, ...], stands: Stands | None) -> int:
    servers = StdioServers(command, idle_s=at.idle_s)
    try:
        async with every(quarter(at.idle_s), servers.retire):
            await _answer(at, servers, servers.ask_for_proxy, stands)
    finally:
        await servers.close()
    return 0


async def _answer(
    at: Listening, server: Answers, asks: Asks, stands: Stands | None
) -> None:
    """Let a server answer until the process is told to end."""
    socket = bound(at.where)
    access = Access(socket.getsockname()[1], at.token)
    between = None if stands is None else stands(asks, access, at.idle_s)
    relay = Relay(
        server,
        access,
        opens=None if between is None else between.opens,
        longest_body=at.longest_body,
    )
    if between is None:
        await listen(relay, socket, on_end=relay.close)
        return

    def end() -> None:
        relay.close()
        between.lanes.stop()

    try:
        async with every(quarter(at.idle_s), between.lanes.retire):
            await listen(relay, socket, on_end=end)
    finally:
        await between.lanes.close()
