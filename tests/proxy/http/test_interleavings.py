"""
Whatever clients, servers and deciders do over HTTP, and in whatever order.

Each client gets on each stream what the server said there, in its order, changed only
by lookups at the end of a result; no later than the budget of a held result after the
server said it. What the proxy asks by itself are reads that the flow decided on, each
as the call was made that it is behind. The log of a session tells the same session that
the flow decided in.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Event, ToolCall, ToolResult
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.flow.options import options
from stretto.proxy.http.acting import Acting
from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.lookups import Lookups
from stretto.proxy.http.served import ServedLane
from stretto.traces.reader import read
from tests.claims import claim
from tests.proxy.engine.shop import (
    FLOW,
    call,
    cancelled,
    error,
    listing,
    result,
    tool,
)
from tests.proxy.engine.test_interleavings import FAULTS, Wild, plain
from tests.proxy.http.asked import EVENTS, Answered, Made
from tests.proxy.http.simulated import (
    Desk,
    in_session,
    repeating,
    stateless,
    told,
)

HOLD_S, PATIENCE_S = 3.0, 2.0
WHO = b"x-who"
"""Says which client's request it is, or is behind."""
WHOSE = (in_session("s1"), in_session("s2"), (b"stretto-session", b"named"), None)
IDS = (1, 2, "1", 2.5)
KINDS = ("found", "found", "found", "order", "failed", "error", "odd", "task")
BABBLE = (
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"n": 1}},
    {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    {"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": {}},
    {"jsonrpc": "2.0", "id": "stretto-tst0-1", "result": {}},
    {"jsonrpc": "2.0", "id": "nobody's", "result": {}},
)
NOTHING = Answered(0, [], b"")


@dataclass
class Exchange:
    """A request of a client's, what the server said to it, and what was heard."""

    body: bytes
    is_streaming: bool = False
    said: list[bytes] = field(default_factory=list)
    said_s: float = 0.0
    breaks: bool = False
    is_cancelled: bool = False
    has_left: bool = False
    heard: Answered = NOTHING
    heard_s: float = 0.0


class Server:
    """Says anything, some of it not at all."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.exchanges: dict[str, Exchange] = {}
        self.bodies: list[bytes] = []
        self.own: list[tuple[str, Any]] = []
        self.n_answers = 0

    async def ask(self, _: str, headers: Headers, body: bytes) -> Made:
        message = json.loads(body)
        who = first(headers, WHO) or ""
        if str(message.get("id")).startswith("stretto-"):
            self.own.append((who, message))
            return await self._answer_own(message)
        if message["method"] == "notifications/cancelled":
            return Made(status=202, headers=[])
        self.bodies.append(body)
        return await self._answer(self.exchanges[who], message)

    async def _answer(self, exchange: Exchange, message: Any) -> Made:
        await asyncio.sleep(self.random.choice((0, 0, 0.5, 2.0)))
        exchange.said_s = asyncio.get_running_loop().time()
        if self.random.random() < 0.05:
            exchange.breaks = True
            raise Unreachable("gone")
        answer = self._said(message["id"])
        if message["method"] == "tools/list":
            hint = self.random.choice((True, True, False, None))
            answer = listing(message["id"], tool("find"), tool("get", hint))
        exchange.is_streaming = self.random.random() < 0.5
        exchange.breaks = self.random.random() < 0.1
        if not exchange.is_streaming:
            exchange.said = [json.dumps(answer, indent=1).encode()]
            return Made(*exchange.said, breaks=exchange.breaks)
        around = [self.random.choice(BABBLE) for _ in range(self.random.randrange(3))]
        at = self.random.randrange(len(around) + 1)
        said = [*around[:at], answer, *around[at:]]
        exchange.said = [json.dumps(one).encode() for one in said]
        chunks = [b"id: x\ndata: " + one + b"\n\n" for one in exchange.said]
        return Made(*chunks, headers=[EVENTS], breaks=exchange.breaks)

    async def _answer_own(self, message: Any) -> Made:
        await asyncio.sleep(self.random.choice((0, 0, 0.1, 0.5, 5.0)))
        match self.random.randrange(12):
            case 0:
                raise Unreachable("gone")
            case 1:
                return Made(status=503, headers=[])
            case 2:
                babble = json.dumps(self.random.choice(BABBLE)).encode()
                return Made(b"data: " + babble + b"\n\n", headers=[EVENTS], breaks=True)
            case _:
                kind = self.random.choice(("order", "order", *KINDS))
                return Made(json.dumps(self._said(message["id"], kind)).encode())

    def _said(self, id_: object, kind: str | None = None) -> dict:
        self.n_answers += 1
        more = {"n": self.n_answers}
        match kind or self.random.choice(KINDS):
            case "found":
                found = {"orders": [self.order() for _ in range(3)]}
                return result(id_, found, structuredContent=found, **more)
            case "order":
                return result(id_, {"id": self.order(), "status": "sent"}, **more)
            case "failed":
                return result(id_, "no", isError=True, **more)
            case "error":
                return error(id_, f"no {self.n_answers}")
            case "odd":
                said = {"content": {"orders": []}, **more}
                return {"jsonrpc": "2.0", "id": id_, "result": said}
            case _:
                return result(id_, "", task={"taskId": "t"}, **more)

    def order(self) -> str:
        return f"W{self.random.randrange(40)}"


class Client:
    """Asks one thing after the other, and now and then does not wait."""

    def __init__(self, desk: Desk, server: Server, random: Random, name: str) -> None:
        self.desk, self.server, self.random, self.name = desk, server, random, name

    async def live(self) -> None:
        for nth in range(6):
            await asyncio.sleep(self.random.choice((0, 0.2, 1.0)))
            await self._ask(f"{self.name}-{nth}")

    async def _ask(self, who: str) -> None:
        id_, whose = self.random.choice(IDS), self.random.choice(WHOSE)
        called = self.random.choice(("find", "find", "find", "get", "cancel"))
        about = {"email": who} if called == "find" else {"id": self.server.order()}
        message = call(id_, called, **about)
        if self.random.random() < 0.1:
            message = {"jsonrpc": "2.0", "id": id_, "method": "tools/list"}
        headers = [(WHO, who.encode()), *([whose] if whose else [])]
        is_stateless = self.random.random() < 0.5
        if is_stateless:
            message = stateless(message)
            headers += repeating(message)
        exchange = Exchange(json.dumps(message, indent=1).encode())
        self.server.exchanges[who] = exchange
        leaves = self.random.choice((None, None, None, None, 0.3, 2.0))
        asking = asyncio.ensure_future(
            self.desk.post(exchange.body, *headers, leaves_after=leaves)
        )
        if whose and not is_stateless and self.random.random() < 0.2:
            await asyncio.sleep(self.random.choice((0.1, 0.6, 2.1)))
            self._mark(id_)
            await self.desk.post(cancelled(id_), whose)
        exchange.heard = await asking
        exchange.heard_s = asyncio.get_running_loop().time()
        exchange.has_left = leaves is not None

    def _mark(self, id_: object) -> None:
        """Whoever waits for that id there: it may be anybody's."""
        for exchange in self.server.exchanges.values():
            if json.loads(exchange.body)["id"] == id_:
                exchange.is_cancelled = True


def heard(exchange: Exchange) -> list[bytes]:
    """The messages that a client heard."""
    if not exchange.is_streaming:
        return [exchange.heard.body] if exchange.heard.body else []
    lines = exchange.heard.body.split(b"\n")
    return [line[6:] for line in lines if line.startswith(b"data: ")]


def is_same(one: bytes, other: bytes) -> bool:
    """Whether a message is another, but for what was added to it."""
    if one == other:
        return True
    message = json.loads(one)
    return isinstance(message.get("result"), dict) and plain(one) == json.loads(other)


def check_heard(exchange: Exchange) -> None:
    """Nothing lost, nothing invented, nothing out of order, nothing late."""
    given = heard(exchange)
    if exchange.breaks and given:
        last = json.loads(given[-1])
        if last.get("error", {}).get("code") == -32000:
            given = given[:-1]
    said = [*exchange.said]
    if exchange.is_cancelled and exchange.is_streaming and len(given) < len(said):
        said = [one for one in said if json.loads(one).get("id") not in IDS]
        given = [one for one in given if json.loads(one).get("id") not in IDS]
    owns = [one for one in said if b'"id": "stretto-' in one]
    if owns and len(given) < len(said):  # taken for the proxy's, which it may have been
        said = [one for one in said if one not in owns]
        given = [one for one in given if one not in owns]
    assert len(given) <= len(said)
    assert all(map(is_same, given, said))
    if not exchange.has_left:
        is_cut = exchange.breaks and not exchange.is_streaming
        assert len(given) == len(said) or is_cut
        assert exchange.heard_s <= exchange.said_s + HOLD_S + 1e-6


def check_own(desk: Desk, server: Server) -> None:
    """Reads that were decided on, each behind a call that a client had made."""
    decided: Counter[str] = Counter()
    for log in desk.logs:
        for decision in log.decisions:
            if decision.get("action") == "lookup" and "withheld" not in decision:
                decided[_spelled(decision["tool"], decision["arguments"])] += 1
                assert decision["tool"] in options(FLOW, _site(decision["site"]))
    asked: Counter[str] = Counter()
    for who, message in server.own:
        params = message["params"]
        assert message["method"] == "tools/call"
        assert FLOW.manifest.kind(params["name"]) is Kind.READ
        asked[_spelled(params["name"], params["arguments"])] += 1
        behind = json.loads(server.exchanges[who].body)["params"]
        assert params.get("_meta") == behind.get("_meta")
    assert asked <= decided


def _spelled(tool: str, arguments: Any) -> str:
    return json.dumps([tool, arguments], sort_keys=True)


def _site(spelled: str) -> Site:
    called = spelled.removesuffix(" (error)")
    return Site(called, failed=called != spelled)


def numbered(events: Iterable[Event]) -> list[Event]:
    """A session whose calls are called by their numbers, whatever their ids were."""
    numbers: dict[str, str] = {}
    n = count()

    def called(call: ToolCall) -> ToolCall:
        numbers[call.id] = str(next(n))
        return replace(call, id=numbers[call.id])

    named: list[Event] = []
    for one in events:
        if isinstance(one, AssistantTurn):
            one = replace(one, calls=tuple(map(called, one.calls)))
        elif isinstance(one, ToolResult):
            one = replace(one, call_id=numbers[one.call_id])
        named.append(one)
    return named


def told_at_random(seed: int) -> tuple[Desk, Server]:
    random = Random(seed)
    server = Server(random)

    async def story(desk: Desk) -> None:
        clients = [Client(desk, server, random, f"c{n}") for n in range(4)]
        await asyncio.gather(*(client.live() for client in clients))
        await asyncio.sleep(2 * HOLD_S)

    limits = {"hold_s": HOLD_S, "patience_s": PATIENCE_S, "per_call": 3}
    return told(story, server, weigh=Wild(random), **limits), server


@claim("safety:reads-only")
@pytest.mark.parametrize("n", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_nothing_is_lost_reordered_or_invented(n: int) -> None:
    @settings(max_examples=n, deadline=None)
    @given(st.integers(0, 2**32))
    def check(seed: int) -> None:
        desk, server = told_at_random(seed)

        exchanges = [*server.exchanges.values()]
        assert sorted(server.bodies) == sorted(e.body for e in exchanges)
        for exchange in exchanges:
            check_heard(exchange)
        check_own(desk, server)
        assert desk.counts["failed"] == 0
        for name in ("held", "added to", "out of time"):
            if desk.counts[name]:
                event(name)

    check()


BETWEEN = (
    (Lookups, "say"),
    (Lookups, "_heard"),
    (Acting, "_give"),
    (Acting, "_wake_at"),
    (ServedLane, "keep"),
    (ServedLane, "_log"),
    (ServedLane, "acting"),
)
"""What may break beside the engine: what does things for it over HTTP."""


@pytest.mark.parametrize("n", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_nothing_that_breaks_in_the_proxy_loses_anything(n: int) -> None:
    @settings(max_examples=n, deadline=None)
    @given(st.integers(0, 2**32), st.sampled_from((*FAULTS, *BETWEEN)))
    def check(seed: int, fault: tuple[Any, str]) -> None:
        with broken(Random(seed), *fault):
            _, server = told_at_random(seed)

        for exchange in server.exchanges.values():
            check_heard(exchange)

    check()


@contextmanager
def broken(random: Random, owner: Any, name: str) -> Iterator[None]:
    """Something of the proxy's breaks once, or from then on, while in the block."""
    whole = getattr(owner, name)
    first, forever = random.randrange(12), random.random() < 0.5
    calls = count()

    def breaks(*args: object, **named: object) -> object:
        nth = next(calls)
        if nth == first or (forever and nth > first):
            raise KeyError(name)
        return whole(*args, **named)

    setattr(owner, name, breaks)
    try:
        yield
    finally:
        setattr(owner, name, whole)


@pytest.mark.parametrize("n", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_a_sessions_log_reads_as_the_session_that_was_decided_in(n: int) -> None:
    @settings(max_examples=n, deadline=None)
    @given(st.integers(0, 2**32))
    def check(seed: int) -> None:
        desk, _ = told_at_random(seed)

        for log in desk.logs:
            if log.session not in desk.of_sessions:
                continue
            with TemporaryDirectory() as folder:
                [episode] = read([log.written(Path(folder))])
            assert numbered(episode.events) == numbered(desk.followed[log.session])

    check()
