"""
What the proxy costs beside other proxies written in Python, and beside none.

    python -m benchmarks.proxy_peers --venvs FOLDER --out docs/results

Each peer is installed into a venv of its own in FOLDER, where it is missing. The ways
to a server take turns, several rounds in one run, and the best of the rounds counts,
since other jobs only ever slow them down. Writes `proxy-peers.md`.
"""

import asyncio
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import click

from benchmarks.peers import ways
from benchmarks.peers.clients import IN_FLIGHT, Speed, opened, over_http, over_stdio
from benchmarks.peers.ways import Places, Way
from benchmarks.proxy_overhead import Server
from stretto.demo.record import record
from stretto.files import write_text
from stretto.flow.wire import write_flow
from stretto.learn.learn import learn
from stretto.markdown import table
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.conformance.paths import free_port, started

COLD_STARTS = 3
POLL_S = 0.005
PATIENCE_S = 30.0

OURS = "stretto"


class Cost(NamedTuple):
    """What one way costs."""

    median_ms: float
    calls_per_s: float
    cold_ms: float
    """From starting the process to the answer to `initialize`."""


class Table(NamedTuple):
    """Ways between the same two transports."""

    title: str
    ways: Sequence[Way]
    is_http: bool


TABLES = (
    Table("Standard input and output to a process", ways.STDIO_TO_STDIO, False),
    Table("Standard input and output to HTTP", ways.STDIO_TO_HTTP, False),
    Table("HTTP to a process", ways.HTTP_TO_STDIO, True),
    Table("HTTP to HTTP", ways.HTTP_TO_HTTP, True),
)


def cost(way: Way, places: Places, *, is_http: bool) -> Cost:
    """What a way costs, in one round."""
    if not is_http:
        command = way.command(places, 0)
        return Cost(*over_stdio(command), _cold_on_stdio(command))
    with ways.listening(way, places) as port:
        speed: Speed = over_http(port)
    return Cost(*speed, _cold_on_http(way, places))


def _cold_on_stdio(command: Sequence[str]) -> float:
    took = []
    for _ in range(COLD_STARTS):
        began = time.perf_counter()
        server = Server(command)
        took.append(time.perf_counter() - began)
        server.process.kill()
        server.process.wait()
    return statistics.median(took) * 1_000


def _cold_on_http(way: Way, places: Places) -> float:
    took = []
    for _ in range(COLD_STARTS):
        port = free_port()
        began = time.perf_counter()
        process = subprocess.Popen(
            way.command(places, port),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            asyncio.run(asyncio.wait_for(_first_answer(port), PATIENCE_S))
            took.append(time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait()
    return statistics.median(took) * 1_000


async def _first_answer(port: int) -> None:
    while True:
        try:
            (await opened(port)).close()
            return
        except OSError:
            await asyncio.sleep(POLL_S)


def measure(rounds: int, venvs: Path) -> Mapping[str, Mapping[str, Cost]]:
    """The best of each way's rounds, by table and by who is on it."""
    found: dict[str, dict[str, list[Cost]]] = {}
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        port = free_port()
        running.enter_context(started(port, *ways.SDK_ECHO, str(port)))
        places = Places(venvs, folder / "logs", _flow(folder), port)
        for nth in range(rounds):
            for title, taken, is_http in TABLES:
                for way in taken:
                    costs = found.setdefault(title, {}).setdefault(way.by, [])
                    costs.append(cost(way, places, is_http=is_http))
                    click.echo(f"{nth + 1} {title}: {way.by}: {costs[-1]}", err=True)
    return {
        title: {by: _best(costs) for by, costs in rows.items()}
        for title, rows in found.items()
    }


def _best(costs: Sequence[Cost]) -> Cost:
    return Cost(
        min(c.median_ms for c in costs),
        max(c.calls_per_s for c in costs),
        min(c.cold_ms for c in costs),
    )


def _flow(folder: Path) -> Path:
    """A flow of the demo's shop, which knows no tool of the server's."""
    ledger = Ledger()
    logs = record(folder / "shop", sessions=20, seed=7)
    episodes = list(read(logs, ledger=ledger))
    write_flow(learn(episodes, ledger.manifest).flow, path := folder / "shop.flow.json")
    return path


def behind(rows: Mapping[str, Cost]) -> list[str]:
    """Where a peer is ahead of one of ours, in words."""
    said = []
    ours = {by: cost for by, cost in rows.items() if by.startswith(OURS)}
    peers = {by: cost for by, cost in rows.items() if by not in {*ours, "direct"}}
    for by, own in ours.items():
        for peer, its in peers.items():
            ahead = [
                what
                for what, is_ahead in (
                    ("ms a call", its.median_ms <= own.median_ms),
                    ("calls a second", its.calls_per_s >= own.calls_per_s),
                    ("start", its.cold_ms <= own.cold_ms),
                )
                if is_ahead
            ]
            if ahead:
                said.append(f"{peer} is ahead of {by} in {', '.join(ahead)}.")
    return said


def page(found: Mapping[str, Mapping[str, Cost]], rounds: int) -> str:
    """The page."""
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    header = ["way", "ms a call", f"calls/s, {IN_FLIGHT} at once", "start, ms"]
    parts = []
    for title, rows in found.items():
        cells = [
            [by, f"{c.median_ms:.2f}", f"{c.calls_per_s:,.0f}", f"{c.cold_ms:,.0f}"]
            for by, c in rows.items()
        ]
        shown = table(header, cells, right=range(1, 4))
        verdict = "\n".join(behind(rows)) or "No figure of a peer's is ahead of ours."
        parts.append(f"## {title}\n\n{shown}\n\n{verdict}\n")
    peers = " and ".join(f"`{wanted}`" for wanted in ways.PEERS.values())
    lines = [
        "# What the proxy costs beside other proxies",
        "",
        "    python -m benchmarks.proxy_peers --venvs FOLDER "
        f"--rounds {rounds} --out docs/results",
        "",
        f"The peers are {peers}, from PyPI, each in a venv of its own.",
        f"All ways took turns, {rounds} rounds each, and the best round counts: other "
        "jobs only ever slow one down.",
        "",
        "A call says a text of 100 characters again, in a session of the 2025-11-25 "
        "revision.",
        "Calls are made one after the other for three seconds, of which the median is "
        f"given, and then as many as pass in three seconds with {IN_FLIGHT} at once, "
        "over HTTP on a connection each.",
        "The start is from the process to the answer to `initialize`; a server over "
        "HTTP is there already, except where it is asked directly.",
        "The process is a server of thirty lines, and the server over HTTP is one of "
        "the SDK's.",
        "*Served* is with a flow behind each call that finds nothing to look up.",
        "`mcp-proxy` has no way from standard input and output to a process, and none "
        "from HTTP to HTTP.",
        "",
        *parts,
        f"Python {platform.python_version()}, {os.cpu_count()} cores that other jobs "
        f"used too, load {load} at the end of the run.",
        "",
    ]
    return "\n".join(lines)


@click.command()
@click.option("--venvs", type=click.Path(path_type=Path), required=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
def main(venvs: Path, rounds: int, out: Path) -> None:
    """Install, measure, and write the page."""
    ways.installed(venvs)
    write_text(out / "proxy-peers.md", page(measure(rounds, venvs), rounds))


if __name__ == "__main__":
    main()
