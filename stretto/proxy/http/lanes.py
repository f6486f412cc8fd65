"""
The session logs of a proxy that many clients talk to at once.

A log holds what belongs to one `Mcp-Session-Id`. Requests that name no session, as
those of the protocol's stateless era, are put together by who sends them: by the
`Stretto-Session` header where they have one, and otherwise by the client's address,
its name and its version; and by what they are authorized with. After a while without
any, the log ends.

Within a log an id stands for one request at a time. Clients that reuse an id while its
request is still open have it logged as `"ID#2"`, and the answer with it.
"""

import asyncio
import json
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import Generic, TypeAlias, TypeVar

from stretto.proxy.entry import Sender
from stretto.proxy.http.asgi import Request
from stretto.proxy.http.message import CLIENT_KEY, Message, one_line, text
from stretto.proxy.http.spelling import members
from stretto.proxy.record import Recorder
from stretto.proxy.session import named

SESSION = b"mcp-session-id"
HOST_SESSION = b"stretto-session"
_PERMIT = b"authorization"
IDLE_S = 240 * 60.0
MOST = 64
"""How many logs are open at once; beyond that the one used least recently ends."""

_CLOSING_S = 5.0
_MOST_AWAITED = 100

_Key: TypeAlias = tuple[str, ...]


class Lane:
    """
    One log, and the requests in it that are still open.

    Args:
        recorder: Keeps the log; None where there is to be none.
    """

    def __init__(self, recorder: Recorder | None) -> None:
        self.used_s = asyncio.get_running_loop().time()
        self._recorder = recorder
        self._open: dict[bytes, bytes] = {}
        self._awaited: dict[bytes, bytes] = {}
        """By name, the ids of requests whose answers may come on another stream."""
        if recorder is not None:
            recorder.start()

    @property
    def is_busy(self) -> bool:
        """Whether a request in it is still open."""
        return bool(self._open)

    def admit(self, id: bytes) -> bytes:
        """What to call a request in the log, until it is released."""
        name = id
        for nth in count(2):
            if name not in self._open and name not in self._awaited:
                break
            plain = text(id) or id.decode(errors="replace")
            name = json.dumps(f"{plain}#{nth}").encode()
        self._open[name] = id
        return name

    def release(self, name: bytes, *, is_awaited: bool = False) -> None:
        """
        Let another request have that name.

        Args:
            is_awaited: Not yet: the answer may come on another stream.
        """
        id = self._open.pop(name, None)
        if id is not None and is_awaited:
            self._awaited[name] = id
            if len(self._awaited) > _MOST_AWAITED:
                del self._awaited[next(iter(self._awaited))]

    def settle(self, id: bytes) -> bytes | None:
        """The name of an awaited request with that id, which is answered now."""
        names = [name for name, its in self._awaited.items() if its == id]
        for name in names[:1]:
            del self._awaited[name]
        return names[0] if names else None

    def name(self, id: bytes) -> bytes | None:
        """What the latest request with that id is called; None if none is open."""
        known = [*self._awaited.items(), *self._open.items()]
        names = [name for name, its in known if its == id]
        return names[-1] if names else None

    def keep(self, sender: Sender, message: bytes) -> None:
        """Log a message."""
        self.used_s = asyncio.get_running_loop().time()
        if self._recorder is not None:
            self._recorder.take(sender, one_line(message) + b"\n")

    def stop(self) -> None:
        """Wait for nothing any more that is not the server's answer."""

    async def close(self) -> None:
        """End the log."""
        if self._recorder is not None:
            await asyncio.to_thread(self._recorder.close, _CLOSING_S)


L = TypeVar("L", bound=Lane)

Begins: TypeAlias = Callable[[str | None], L]
"""Makes a lane, of the host session that a client stated."""


class Lanes(Generic[L]):
    """
    The logs that are open, by what they hold.

    Args:
        begins: Makes one.
        idle_s: After how many seconds without a request a log ends.
        most: How many are open at once.
    """

    def __init__(
        self, begins: Begins[L], *, idle_s: float = IDLE_S, most: int = MOST
    ) -> None:
        self._begins, self._idle_s, self._most = begins, idle_s, most
        self._lanes: dict[_Key, L] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def of(self, request: Request, message: Message) -> L:
        """Where a request and its answer are logged."""
        self.retire()
        stated = _stated(request)
        if message.method == "initialize" and request.header(SESSION) is None:
            return self._begins(stated)
        key = _key(request, message)
        if key not in self._lanes:
            self._lanes[key] = self._begins(stated)
        return self._lanes[key]

    def name(self, lane: L, request: Request, session: str | None) -> None:
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

    def drop(self, lane: L) -> None:
        """End the log of a session that has not come about."""
        self._close(lane)

    def stop(self) -> None:
        """Have none of them wait for anything but the server's answers."""
        for lane in self._lanes.values():
            lane.stop()

    async def close(self) -> None:
        """End all logs."""
        for lane in {*self._lanes.values()}:
            self._close(lane)
        self._lanes.clear()
        await asyncio.gather(*self._closing)

    def retire(self) -> None:
        """End the logs that are idle, and the oldest of too many."""
        now = asyncio.get_running_loop().time()
        by_age = sorted(self._lanes.items(), key=lambda item: item[1].used_s)
        n_over = len(by_age) - self._most
        for nth, (key, lane) in enumerate(by_age):
            is_idle = now - lane.used_s > self._idle_s and not lane.is_busy
            if is_idle or nth < n_over:
                del self._lanes[key]
                self._close(lane)

    def _close(self, lane: L) -> None:
        closing = asyncio.ensure_future(lane.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


def is_named(request: Request) -> bool:
    """Whether a request says which session it belongs to."""
    return request.header(SESSION) is not None or _stated(request) is not None


def _key(request: Request, message: Message | None) -> _Key:
    if (session := request.header(SESSION)) is not None:
        return (session,)
    permit = request.header(_PERMIT)
    permit = "" if permit is None else sha256(permit.encode()).hexdigest()
    if (stated := _stated(request)) is not None:
        return ("stated", stated, permit)
    about = members(message.meta.get(CLIENT_KEY, b"")) if message is not None else {}
    client = [text(about.get(key)) or "" for key in ("name", "version")]
    return ("client", request.peer, *client, permit)


def _stated(request: Request) -> str | None:
    return named(request.header(HOST_SESSION))
