"""
Sessions over HTTP with a flow, without a network and on a clock that nobody waits for.

The clock stands still while anything happens, and jumps to what is due next.
"""

import asyncio
import json
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from stretto.episodes.episode import Event
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.oracle.oracle import Oracle
from stretto.proxy.actions import Beside
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.entry import as_message, as_text, header, verbatim
from stretto.proxy.http.access import Access
from stretto.proxy.http.acted import acting_on
from stretto.proxy.http.lanes import Lanes
from stretto.proxy.http.relay import Relay
from stretto.proxy.http.served import ServedLane
from stretto.proxy.lines import Line
from stretto.proxy.serving import Serving
from stretto.proxy.session import Session
from tests.proxy.engine.shop import FLOW
from tests.proxy.followed import followed
from tests.proxy.http.asked import HOST, JSON, Answered, ask

SESSION = b"mcp-session-id"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing but what has no time of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout is not None:
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def simulated(story: Awaitable[None]) -> None:
    """Let a story come to its end, however long it says that it takes."""

    async def told() -> None:
        await story

    with asyncio.Runner(loop_factory=_Loop) as runner:
        runner.run(told())


class Log:
    """A session's log and those beside it, in memory."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.is_closed = False
        self.decisions: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.judgements: list[dict[str, Any]] = []
        self._entries: list[bytes] = []

    def start(self) -> None:
        """As a recorder."""

    def take(self, sender: Any, line: bytes) -> None:
        t_ms, whole = int(_now() * 1000), line.rstrip(b"\n")
        value = verbatim(whole)
        text = as_text(t_ms, sender, Line(whole, len(whole)))
        entry = text if value is None else as_message(t_ms, sender, value)
        self._entries.append(entry)

    def close(self, _: float = 0) -> None:
        self.is_closed = True

    def beside(self, which: Beside) -> "Lines":
        lines = {Beside.FLOW: self.decisions, Beside.GUARDS: self.checks}
        return Lines({**lines, Beside.CONFIRM: self.judgements}[which])

    @property
    def said(self) -> list[tuple[str, Any]]:
        entries = map(json.loads, self._entries)
        return [(e["from"], e.get("message", e.get("raw"))) for e in entries]

    def written(self, folder: Path) -> Path:
        path = folder / f"{self.session.id()}.jsonl"
        path.write_bytes(header(self.session.about("s")) + b"".join(self._entries))
        return path


class Lines:
    """A log of lines, in memory."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self._lines = lines

    def put(self, line: bytes) -> None:
        self._lines.append(json.loads(line))

    def close(self) -> None:
        """Nothing is left to be written."""


class Desk:
    """
    Clients of a proxy that serves the shop's flow. To be made on the event loop.

    Args:
        server: Asked by the clients and by the proxy alike.
        weigh: The flow's decider.
        oracle: Whom it asks.
        settings: Of its engines.
    """

    def __init__(
        self,
        server: Any,
        *,
        flow: Flow = FLOW,
        weigh: Any = None,
        oracle: Oracle | None = None,
        idle_s: float = 1e6,
        context: str | None = None,
        **settings: Any,
    ) -> None:
        self.server, self.settings = server, settings
        self.flow, self.oracle = flow, oracle
        self.weigh = decider(FLOW, "habit") if weigh is None else weigh
        self.logs: list[Log] = []
        self.engines: list[Engine] = []
        self.of_sessions: dict[Session, Engine] = {}
        self.followed: dict[Session, list[Event]] = {}
        """Of each session with a flow that acts: what the flow was told of."""
        self.counts: Counter[str] = Counter()
        self._context = context
        own = getattr(server, "ask_for_proxy", server.ask)

        def begins(stated: str | None) -> ServedLane:
            n = len(self.logs)
            log = Log(Session(("s",), n, 1, host_session=stated))
            self.logs.append(log)
            return ServedLane(log, log.session, self, own)  # type: ignore[arg-type]

        self.lanes = Lanes(begins, idle_s=idle_s)
        opens = acting_on(self.lanes, ())
        self.relay = Relay(server, Access(8080), opens=opens)

    def engine(self, session: Session, *, nth: int = 0, tools: Any = None) -> Engine:
        assert (nth > 0) <= (tools is not None)
        serving = Serving(
            f"tst{len(self.engines)}", relists=tools is None, **self.settings
        )
        engine = Engine(self.flow, self.weigh, serving, tools)
        self.engines.append(engine)
        if tools is None:
            self.of_sessions[session] = engine
            if (pilot := engine._router._pilot) is not None:
                self.followed[session] = followed(pilot._follower.episode)
        return engine

    def log(self, session: Session, which: Beside) -> Any:
        log = next(log for log in self.logs if log.session == session)
        return log.beside(which)

    def context(self, _: Session) -> Context | None:
        return None if self._context is None else Context(self._context)

    def count(self, counts: Counter[str]) -> None:
        self.counts += counts

    async def post(
        self, message: object, *headers: tuple[bytes, bytes], **how: Any
    ) -> Answered:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return await ask(self.relay, body, headers=[HOST, JSON, *headers], **how)

    async def close(self) -> None:
        await self.lanes.close()


def stateless(message: dict[str, Any]) -> dict[str, Any]:
    """A request as one of the stateless era."""
    return message | {"params": {**message.get("params", {}), "_meta": META}}


def repeating(message: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    """The headers that such a request repeats itself in."""
    said = [(b"mcp-protocol-version", b"2026-07-28")]
    said.append((b"mcp-method", message["method"].encode()))
    if "name" in message["params"]:
        said.append((b"mcp-name", message["params"]["name"].encode()))
    return said


def in_session(name: str) -> tuple[bytes, bytes]:
    """The header of a request in a session."""
    return (SESSION, name.encode())


def events(answered: Answered) -> list[Any]:
    """The messages on a stream."""
    lines = answered.body.split(b"\n")
    return [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]


def told(story: Callable[..., Awaitable[None]], *args: Any, **settings: Any) -> Desk:
    """A story with a desk, told to its end; the desk, its logs closed."""
    desks: list[Desk] = []

    async def telling() -> None:
        desk = Desk(*args, **settings)
        desks.append(desk)
        await story(desk)
        await desk.close()
        assert all(log.is_closed for log in desk.logs)

    simulated(telling())
    return desks[0]


def _now() -> float:
    return asyncio.get_running_loop().time()


def each(chunks: Sequence[object]) -> list[bytes]:
    """Messages as the events of a stream."""
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]
