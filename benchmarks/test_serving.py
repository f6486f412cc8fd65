"""
How long the proxy's engine takes over a line, and that a session's length is no matter.

A served decision is all that happens between the server's result and the lookup sent
behind it: reading the line, following the session, weighing, binding, and the log.
"""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.proxy.actions import Action, Send, Side
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from tests.conftest import shared

FLOW = "reference/flows/shop.flow.json"
LATE = 500
"""After how many of the agent's calls a session counts as long."""
ROUNDS = 300
PADDING = "x" * 400
"""Makes each result about as long as a record is."""


@pytest.fixture(scope="module")
def flow() -> Flow:
    return read_flow(shared(FLOW))


class Session:
    """A session of any length: customers found, and their orders cancelled."""

    def __init__(self, flow: Flow, by: str, pause_s: float = 2.0) -> None:
        serving = Serving("tst", per_session=10**9)
        self.engine = Engine(flow, decider(flow, by), serving)
        self.now, self.n_calls, self.pause_s = 0.0, 0, pause_s

    def found(self) -> bytes:
        """The agent looks for a customer; what the server says to that."""
        n = self.n_calls
        return self._call("find_user_id_by_email", {"email": f"c{n}@b.c"}, f"user_{n}")

    def cancelled(self) -> bytes:
        """The agent cancels an order; what the server says to that."""
        given = {"order_id": f"#W{self.n_calls}", "reason": "no longer needed"}
        return self._call("cancel_pending_order", given, json.dumps(given))

    def hear(self, line: bytes) -> list[Action]:
        """The server says it."""
        return self.engine.server_line(line, self.now)

    def settle(self, actions: list[Action]) -> None:
        """The server answers all lookups, until nothing is held any more."""
        for action in actions:
            if isinstance(action, Send) and action.to is Side.SERVER:
                request = json.loads(action.line)
                name = next(iter(request["params"]["arguments"].values()))
                record = {"user_id": name, "orders": [f"#W{name}"], "notes": PADDING}
                self.settle(self.hear(_result(request["id"], json.dumps(record))))

    def go_on(self, n_calls: int) -> None:
        """Let the session come to that many calls."""
        while self.n_calls < n_calls:
            self.settle(self.hear(self.found()))
            self.settle(self.hear(self.cancelled()))

    def _call(self, tool: str, arguments: dict[str, str], text: str) -> bytes:
        self.now += self.pause_s
        self.n_calls += 1
        params = {"name": tool, "arguments": arguments}
        request = {"id": self.n_calls, "method": "tools/call", "params": params}
        line = json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"
        self.engine.host_line(line, self.now)
        self.now += 0.05
        return _result(self.n_calls, text)


def _result(id_: object, text: str) -> bytes:
    said = {"content": [{"type": "text", "text": text}], "isError": False}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "result": said}).encode() + b"\n"


def timed(session: Session, next_line: Callable[[], bytes]) -> Iterator[float]:
    """How long the engine takes over each of the lines."""
    while True:
        line = next_line()
        began = perf_counter()
        actions = session.hear(line)
        yield perf_counter() - began
        session.settle(actions)


def measure(
    benchmark: Any, session: Session, next_line: Callable[[], bytes], early: list[float]
) -> None:
    """Measure late lines, and tell the early ones' median beside theirs."""
    session.go_on(LATE)
    done: list[Action] = []

    def prepare() -> tuple[tuple[bytes], dict[str, Any]]:
        session.settle(done)
        return (next_line(),), {}

    def hear(line: bytes) -> None:
        done[:] = session.hear(line)

    benchmark.pedantic(hear, setup=prepare, rounds=ROUNDS)
    took = benchmark.stats.stats
    benchmark.extra_info |= {
        "microseconds": 1e6 * took.median,
        "early_median_s": median(early),
        "late_to_early": took.median / median(early),
    }
    print(
        f"\n{benchmark.name}: {1e6 * took.median:.0f} µs (median) after {LATE} calls, "
        f"{1e6 * median(early):.0f} µs before"
    )


@pytest.mark.parametrize("by", ["habit", "reach"])
def test_a_served_decision_late_in_a_session(
    benchmark: Any, flow: Flow, by: str
) -> None:
    """Aimed for: 200 µs, and as much late as early."""
    session = Session(flow, by)
    early = [*islice(timed(session, session.found), ROUNDS)]

    measure(benchmark, session, session.found, early)

    assert session.engine.counts["lookups"] >= ROUNDS


def test_a_result_behind_which_nothing_is_looked_up(benchmark: Any, flow: Flow) -> None:
    """Aimed for: well below the millisecond that a call may be slowed down by."""
    session = Session(flow, "reach")
    early = [*islice(timed(session, session.cancelled), ROUNDS)]

    measure(benchmark, session, session.cancelled, early)


def test_an_agents_call_right_behind_an_answer(benchmark: Any, flow: Flow) -> None:
    """Whether it is of the same turn is told by all that was said before."""
    session = Session(flow, "reach", pause_s=0.1)
    session.go_on(LATE)
    benchmark.pedantic(
        lambda: session.found(),
        setup=lambda: session.settle(session.hear(session.cancelled())),
        rounds=ROUNDS,
    )
