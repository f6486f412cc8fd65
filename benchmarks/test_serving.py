"""
How long the proxy's engine takes over a line, and that a session's length is no matter.

A served decision is all that happens between the server's result and the lookup sent
behind it: reading the line, following the session, weighing, binding, and the log.
`python -m benchmarks.serving` measures sessions of many lengths.
"""

from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from benchmarks.shop_session import Session
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.proxy.actions import Action
from tests.conftest import shared

FLOW = "reference/flows/shop.flow.json"
LATE = 500
"""After how many of the agent's calls a session counts as long."""
ROUNDS = 300


@pytest.fixture(scope="module")
def flow() -> Flow:
    return read_flow(shared(FLOW))


def measure(
    benchmark: Any, late: Session, early: Session, line: Callable[[Session], bytes]
) -> None:
    """Measure late lines, in turn with early ones, which tells the machine's moods."""
    late.go_on(LATE)
    done: list[Action] = []
    took: list[float] = []

    def prepare() -> tuple[tuple[bytes], dict[str, Any]]:
        late.settle(done)
        took.append(early.took(line(early)))
        return (line(late),), {}

    def hear(said: bytes) -> None:
        done[:] = late.hear(said)

    benchmark.pedantic(hear, setup=prepare, rounds=ROUNDS)
    found = benchmark.stats.stats
    benchmark.extra_info |= {
        "microseconds": 1e6 * found.median,
        "early_median_s": median(took),
        "late_to_early": found.median / median(took),
    }
    print(
        f"\n{benchmark.name}: {1e6 * found.median:.0f} µs (median) after {LATE} calls, "
        f"{1e6 * median(took):.0f} µs before"
    )


@pytest.mark.parametrize("by", ["habit", "reach"])
def test_a_served_decision_late_in_a_session(
    benchmark: Any, flow: Flow, by: str
) -> None:
    """Aimed for: 200 µs, and as much late as early."""
    late = Session(flow, by)

    measure(benchmark, late, Session(flow, by), Session.found)

    assert late.engine.counts["lookups"] >= ROUNDS


def test_a_result_behind_which_nothing_is_looked_up(benchmark: Any, flow: Flow) -> None:
    """Aimed for: well below the millisecond that a call may be slowed down by."""
    sessions = Session(flow, "reach"), Session(flow, "reach")

    measure(benchmark, *sessions, Session.cancelled)


def test_an_agents_call_right_behind_an_answer(benchmark: Any, flow: Flow) -> None:
    """Whether it is of the same turn is told by all that was said before."""
    session = Session(flow, "reach", pause_s=0.1)
    session.go_on(LATE)
    benchmark.pedantic(
        lambda: session.found(),
        setup=lambda: session.settle(session.hear(session.cancelled())),
        rounds=ROUNDS,
    )
