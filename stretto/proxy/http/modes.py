"""
The proxy with hosts over HTTP, for a command line to start.

Each is to be run by the main thread, and gives the exit status of the process.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stretto.proxy.folder import LogFolder
from stretto.proxy.http.access import Access, Address, checked
from stretto.proxy.http.answering import Answers
from stretto.proxy.http.lanes import IDLE_S, Begins, Lanes
from stretto.proxy.http.listen import bound, listen
from stretto.proxy.http.recorded import recording
from stretto.proxy.http.relay import LONGEST_BODY, Relay
from stretto.proxy.http.stdio import StdioServers
from stretto.proxy.http.upstream import Upstream
from stretto.proxy.journal import Journal
from stretto.proxy.record import Recorder
from stretto.proxy.session import Session, host_session


class Logging(NamedTuple):
    """Where sessions are logged, and what their headers say."""

    folder: LogFolder
    about: Mapping[str, str | None]
    """`domain`, `agent_model` and `server_name`, as far as they are known."""

    def begins(self, command: tuple[str, ...]) -> Begins:
        """Makes the recorders of the sessions with that server."""

        def begin(stated: str | None) -> Recorder:
            known = None if stated is None else host_session(stated)
            host = stated if known == stated else None
            session = Session.beginning(command, host_session=host, **self.about)
            return Recorder(Journal(lambda: self.folder.new_log(session)))

        return begin


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
    logging: Logging | None = None,
) -> int:
    """
    Serve a server that is at a URL, over HTTP.

    Args:
        own_headers: What every request to it says, in place of what its client says.

    Raises:
        StrettoError: there is nothing to be listened at, or no such URL.
    """
    checked(at.where, at.token)
    return asyncio.run(_relay(at, url, own_headers or {}, logging))


def host(
    at: Listening, command: Sequence[str], *, logging: Logging | None = None
) -> int:
    """
    Serve a server on standard input and output, over HTTP.

    Args:
        command: Starts it; once for each session, and once for all without.

    Raises:
        StrettoError: there is nothing to be listened at.
    """
    checked(at.where, at.token)
    return asyncio.run(_host(at, tuple(command), logging))


async def _relay(
    at: Listening, url: str, own_headers: Mapping[str, str], logging: Logging | None
) -> int:
    async with Upstream(url, own_headers) as upstream:
        await _answer(at, upstream, (url,), logging)
    return 0


async def _host(
    at: Listening, command: tuple[str, ...], logging: Logging | None
) -> int:
    servers = StdioServers(command, idle_s=at.idle_s)
    try:
        await _answer(at, servers, command, logging)
    finally:
        await servers.close()
    return 0


async def _answer(
    at: Listening, server: Answers, command: tuple[str, ...], logging: Logging | None
) -> None:
    """Let a server answer until the process is told to end."""
    lanes = None
    if logging is not None:
        lanes = Lanes(logging.begins(command), idle_s=at.idle_s)
    socket = bound(at.where)
    relay = Relay(
        server,
        Access(socket.getsockname()[1], at.token),
        opens=None if lanes is None else recording(lanes),
        longest_body=at.longest_body,
    )
    await listen(relay, socket, on_end=relay.close)
    if lanes is not None:
        await lanes.close()
