"""
How long a served decision takes in sessions of different lengths.

    python -m benchmarks.serving --out docs/results

All sessions are brought to their lengths first. Then they take turns, one decision
each, so that whatever else the machine does slows all of them. Writes `serving.md`.
"""

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import click

from benchmarks.shop_session import Session
from benchmarks.test_serving import FLOW
from stretto.files import write_text
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.markdown import table
from stretto.proxy.garbage import leave_the_old
from tests.conftest import SHARED

LENGTHS = (50, 500, 2_000, 8_000)
ROUNDS = 400
BAR_US = 200


class Kind(NamedTuple):
    """What is decided on, and by which decider."""

    by: str
    is_spoken: bool = False
    """Whether the customer speaks before each call."""
    adds: bool = True
    """Whether something is looked up."""


KINDS = {
    "a lookup, by the habit": Kind("habit"),
    "a lookup, by reach": Kind("reach"),
    "the same, the customer speaking before it": Kind("reach", is_spoken=True),
    "nothing to look up": Kind("reach", adds=False),
}


def decision(session: Session, kind: Kind) -> float:
    """How many seconds one more decision takes."""
    if kind.is_spoken:
        session.said()
    return session.took(session.found() if kind.adds else session.cancelled())


def grown(flow: Flow, kind: Kind, n_calls: int) -> Session:
    """A session of that many calls."""
    session = Session(flow, kind.by)
    while session.n_calls < n_calls:
        if kind.is_spoken:
            session.said()
        session.took(session.found())
        session.took(session.cancelled())
    return session


def measure(flow: Flow, kind: Kind) -> Mapping[int, list[float]]:
    """The decisions' seconds, by the length of the session at first."""
    leave_the_old()
    sessions = {n: grown(flow, kind, n) for n in LENGTHS}
    took: dict[int, list[float]] = {n: [] for n in LENGTHS}
    shortest = min(LENGTHS)
    for _ in range(ROUNDS):
        if sessions[shortest].n_calls > 2 * shortest:
            sessions[shortest] = grown(flow, kind, shortest)
        for n, session in sessions.items():
            took[n].append(decision(session, kind))
    return took


def row(name: str, took: Mapping[int, list[float]]) -> list[str]:
    """A row of the table: medians and 99th percentiles in µs, and the growth."""
    medians = {n: 1e6 * median(seconds) for n, seconds in took.items()}
    tails = {n: 1e6 * quantiles(seconds, n=100)[98] for n, seconds in took.items()}
    growth = medians[max(LENGTHS)] / medians[min(LENGTHS)]
    cells = [f"{medians[n]:.0f} ({tails[n]:.0f})" for n in LENGTHS]
    return [name, *cells, f"{growth:.2f}"]


def page(rows: list[list[str]]) -> str:
    """The page."""
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    header = ["behind the call there is", *(f"after {n:,} calls" for n in LENGTHS)]
    header.append(f"{max(LENGTHS):,} ÷ {min(LENGTHS)}")
    return "\n".join(
        [
            "# What a served decision takes",
            "",
            "    python -m benchmarks.serving --out docs/results",
            "",
            "From the server's result to the lookup that is sent behind it: reading "
            "the line, following the session, weighing, binding, and the lines of both "
            "logs.",
            "No process and no pipe is in it; what those add is in "
            "[what the proxy costs](proxy-overhead.md).",
            f"Microseconds, the median of {ROUNDS} decisions, and in brackets the 99th "
            "percentile.",
            "The sessions of a row took turns, one decision each.",
            "The customer's messages have 46 characters, one before each call. "
            "A value that comes up is sought in all of them, once, and that is what "
            "grows in that row.",
            "",
            table(header, rows, right=range(1, len(header))),
            "",
            f"Aimed for: {BAR_US} µs at the median after 500 calls, and no more later.",
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores that other "
            f"jobs used too, load {load} at the end of the run.",
            "",
        ]
    )


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True)
def main(out: Path) -> None:
    """Measure, and write the page."""
    flow = read_flow(SHARED / FLOW)
    rows = []
    for name, kind in KINDS.items():
        rows.append(row(name, measure(flow, kind)))
        click.echo(rows[-1], err=True)
    write_text(out / "serving.md", page(rows))


if __name__ == "__main__":
    main()
