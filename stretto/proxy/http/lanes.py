"""
The session logs of a proxy that many clients talk to at once.

A log holds what belongs to one `Mcp-Session-Id`. Requests that name no session, as
those of the protocol's stateless era, are put together by who sends them: by the
`Stretto-Session` header where they have one, and otherwise by the client's address,
its name and its version. After a while without any, the next one begins a new log.

Within a log an id stands for one request at a time. Clients that reuse an id while its
request is still open have it logged as `"ID#2"`, and the answer with it.
"""

import asyncio
import json
import time
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

from stretto.proxy.entry import Sender
from stretto.proxy.http.asgi import Request
from stretto.proxy.http.message import CLIENT_KEY, ID, Message, one_line, text
from stretto.proxy.http.spelling import members, spliced
from stretto.proxy.record import Recorder

SESSION = b"mcp-session-id"
HOST_SESSION = b"stretto-session"
IDLE_S = 240 * 60.0
MOST = 64
"""How many logs are open at once; beyond that the one used least recently ends."""

_CLOSING_S = 5.0

Begins: TypeAlias = Callable[[str | None], Recorder]
"""Makes a log's recorder, of the host session that a client stated."""
_Key: TypeAlias = tuple[str, ...]


class Lane:
    """One log, and the requests in it that are still open."""

    def __init__(self, recorder: Recorder) -> None:
        self.used_s = time.monotonic()
        self._recorder = recorder
        self._open: set[bytes] = set()
        recorder.start()

    @property
    def is_busy(self) -> bool:
        """Whether a request in it is still open."""
        return bool(self._open)

    def admit(self, id: bytes) -> bytes:
        """What to call a request in the log, until it is released."""
        name = id
        for nth in count(2):
            if name not in self._open:
                break
            plain = text(id) or id.decode(errors="replace")
            name = json.dumps(f"{plain}#{nth}").encode()
        self._open.add(name)
        return name

    def release(self, name: bytes) -> None:
        """Let another request have that name."""
        self._open.discard(name)

    def keep(self, sender: Sender, message: bytes) -> None:
        """Log a message."""
        self.used_s = time.monotonic()
        self._recorder.take(sender, one_line(message) + b"\n")

    async def close(self) -> None:
        """End the log."""
        await asyncio.to_thread(self._recorder.close, _CLOSING_S)


class Lanes:
    """
    The logs that are open, by what they hold.

    Args:
        begins: Makes a recorder.
        idle_s: After how many seconds without a request a log ends.
        most: How many are open at once.
    """

    def __init__(
        self, begins: Begins, *, idle_s: float = IDLE_S, most: int = MOST
    ) -> None:
        self._begins, self._idle_s, self._most = begins, idle_s, most
        self._lanes: dict[_Key, Lane] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def of(self, request: Request, message: Message) -> Lane:
        """Where a request and its answer are logged."""
        self._retire()
        stated = request.header(HOST_SESSION)
        if message.method == "initialize" and request.header(SESSION) is None:
            return Lane(self._begins(stated))
        key = _key(request, message)
        if key not in self._lanes:
            self._lanes[key] = Lane(self._begins(stated))
        return self._lanes[key]

    def name(self, lane: Lane, request: Request, session: str | None) -> None:
        """Have what belongs to a new session logged there too."""
        key = _key(request, None) if session is None else (session,)
        replaced = self._lanes.get(key)
        self._lanes[key] = lane
        if replaced is not None and replaced is not lane:
            self._close(replaced)

    def end(self, session: str) -> None:
        """End a session's log."""
        if (lane := self._lanes.pop((session,), None)) is not None:
            self._close(lane)

    def drop(self, lane: Lane) -> None:
        """End the log of a session that has not come about."""
        self._close(lane)

    async def close(self) -> None:
        """End all logs."""
        for lane in {*self._lanes.values()}:
            self._close(lane)
        self._lanes.clear()
        await asyncio.gather(*self._closing)

    def _retire(self) -> None:
        now = time.monotonic()
        by_age = sorted(self._lanes.items(), key=lambda item: item[1].used_s)
        n_over = len(by_age) - self._most
        for nth, (key, lane) in enumerate(by_age):
            is_idle = now - lane.used_s > self._idle_s and not lane.is_busy
            if is_idle or nth < n_over:
                del self._lanes[key]
                self._close(lane)

    def _close(self, lane: Lane) -> None:
        closing = asyncio.ensure_future(lane.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


def renamed(message: bytes, id: bytes) -> bytes:
    """The message with that id."""
    return spliced(message, {ID: id})


def _key(request: Request, message: Message | None) -> _Key:
    if (session := request.header(SESSION)) is not None:
        return (session,)
    if (stated := request.header(HOST_SESSION)) is not None:
        return ("stated", stated)
    about = members(message.meta.get(CLIENT_KEY, b"")) if message is not None else {}
    client = [text(about.get(key)) or "" for key in ("name", "version")]
    return ("client", request.peer, *client)
