"""
How long guards take over a call, and that a session's length is no matter.

A checked call is all that happens before the server gets it: reading the line,
following the session, every rule that the tool has, the check of its arguments against
the records that were shown, and the log's line.
"""

import json
from itertools import islice
from statistics import median
from time import perf_counter
from typing import Any

from stretto.evaluate.guards import audit_guards
from stretto.guards.retail import GUARDS
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from stretto.traces.reader import read
from tests.conftest import shared

LATE = 500
"""After how many orders that were read a session counts as long."""
ROUNDS = 300
RUN1 = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"


class Session:
    """A session of any length: orders of six items read, one after the other."""

    def __init__(self) -> None:
        self.engine = Engine(None, None, Serving("tst", guards=GUARDS))
        self.now, self.n = 0.0, 0
        self.call("find_user_id_by_email", {"email": "a@b.c"}, "ann_1")

    def read_order(self) -> None:
        """The agent reads the next order."""
        name = f"#W{self.n}"
        items = [
            {"item_id": f"{self.n}{i:04}", "product_id": f"p{i}", "name": f"Mug {i}"}
            for i in range(6)
        ]
        order = {"order_id": name, "user_id": "ann_1", "status": "pending"}
        text = json.dumps({**order, "items": items})
        self.call("get_order_details", {"order_id": name}, text)

    def call(self, tool: str, arguments: dict[str, str], text: str) -> None:
        """A call, and what the server says to it."""
        self.engine.host_line(self.line(tool, arguments), self.now)
        said = {"content": [{"type": "text", "text": text}]}
        answer = {"jsonrpc": "2.0", "id": self.n, "result": said}
        self.engine.server_line(json.dumps(answer).encode() + b"\n", self.now)

    def line(self, tool: str, arguments: dict[str, str]) -> bytes:
        """A call's line."""
        self.now, self.n = self.now + 2.0, self.n + 1
        params = {"name": tool, "arguments": arguments}
        request = {"id": self.n, "method": "tools/call", "params": params}
        return json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"

    def write(self) -> bytes:
        """A write to the order that was read last, behind another one read."""
        self.read_order()
        given = {"order_id": f"#W{self.n - 1}", "reason": "no longer needed"}
        return self.line("cancel_pending_order", given)

    def check(self, line: bytes) -> float:
        """How long the engine takes over a line, in seconds."""
        began = perf_counter()
        self.engine.host_line(line, self.now)
        return perf_counter() - began


def test_a_checked_write_late_in_a_session(benchmark: Any) -> None:
    """Aimed for: well below a millisecond, and as much late as early."""
    session = Session()
    early = [*islice(iter(lambda: session.check(session.write()), None), ROUNDS)]
    while session.n < LATE:
        session.read_order()

    benchmark.pedantic(
        session.check, setup=lambda: ((session.write(),), {}), rounds=ROUNDS
    )

    took = benchmark.stats.stats
    benchmark.extra_info |= {
        "microseconds": 1e6 * took.median,
        "early_median_s": median(early),
        "late_to_early": took.median / median(early),
    }
    assert session.engine.counts["checked"] == 2 * ROUNDS
    assert session.engine.counts["refused"] == 0
    print(
        f"\n{benchmark.name}: {1e6 * took.median:.0f} µs (median) after {LATE} orders, "
        f"{1e6 * median(early):.0f} µs before"
    )


def test_auditing_the_sessions_of_a_file(benchmark: Any) -> None:
    """114 sessions of one agent in retail, already read."""
    episodes = [*read([shared(RUN1)])]

    found = benchmark(lambda: audit_guards(GUARDS, episodes))

    assert sum(found.writes.values()) == 202
