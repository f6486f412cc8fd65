"""
What the proxy costs over HTTP: a server directly and behind the relay, and processes
behind the listener.

    python -m benchmarks.proxy_http --out docs/results

The paths are measured in turn, several rounds in one run, and the best of the rounds
counts, since other jobs only ever slow them down. Writes `proxy-http.md`.
"""

import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import click

from stretto.files import write_text
from stretto.markdown import table
from tests.conformance.paths import (
    FIXTURE,
    PROXIED,
    Start,
    free_port,
    served_before_http,
    started,
)

ROOT = Path(__file__).parent.parent
ECHO = (sys.executable, str(ROOT / "tests" / "proxy" / "servers" / "echo.py"))
WARM_UP, CALLS = 30, 500
IN_FLIGHT, BURST = 64, 1_600

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOOL = "test_simple_text"


class Cost(NamedTuple):
    """What one path takes."""

    median_ms: float
    calls_per_s: float


def request(port: int) -> bytes:
    """A call of the stateless era, as it goes over a connection."""
    params = {"name": TOOL, "arguments": {}, "_meta": META}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    )
    headers = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        f"Mcp-Name: {TOOL}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (headers + body).encode()


class Connection:
    """One connection, used for one call after the other."""

    def __init__(
        self, reads: asyncio.StreamReader, writes: asyncio.StreamWriter, port: int
    ) -> None:
        self._reads, self._writes = reads, writes
        self._request = request(port)

    @classmethod
    async def to(cls, port: int) -> "Connection":
        """A new one."""
        return cls(*await asyncio.open_connection("127.0.0.1", port), port)

    async def call(self) -> None:
        """
        Make a call and read its answer.

        Raises:
            RuntimeError: it failed.
        """
        self._writes.write(self._request)
        head = (await self._reads.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(head.decode())
        length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        if length:
            await self._reads.readexactly(int(length))
        else:
            await self._reads.readuntil(b"0\r\n\r\n")

    def close(self) -> None:
        """Close it."""
        self._writes.close()


async def cost(port: int) -> Cost:
    """What calls to a port take, alone and many at once."""
    one = await Connection.to(port)
    for _ in range(WARM_UP):
        await one.call()
    times = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        await one.call()
        times.append((time.perf_counter() - begun) * 1_000)
    one.close()
    many = [await Connection.to(port) for _ in range(IN_FLIGHT)]

    async def repeat(connection: Connection) -> None:
        for _ in range(BURST // IN_FLIGHT):
            await connection.call()

    begun = time.perf_counter()
    await asyncio.gather(*map(repeat, many))
    seconds = time.perf_counter() - begun
    for connection in many:
        connection.close()
    return Cost(statistics.median(times), BURST / seconds)


def direct(running: ExitStack, _: Path) -> int:
    """A server of the SDK's, by itself."""
    port = free_port()
    running.enter_context(started(port, *FIXTURE, "--port", str(port)))
    return port


def copied(running: ExitStack, logs: Path) -> int:
    """A relay that reads nothing, before the SDK's server."""
    port, to = free_port(), direct(running, logs)
    command = (sys.executable, "-m", "benchmarks.copying", str(port), str(to))
    running.enter_context(started(port, *command))
    return port


def proxied(*mode: str, of: Callable[[int], tuple[str, ...]] | None = None) -> Start:
    """The proxy, before the SDK's server or with a command."""

    def start(running: ExitStack, logs: Path) -> int:
        port = free_port()
        words = [word.format(port=port, logs=logs) for word in mode]
        if of is not None:
            words += of(direct(running, logs))
        running.enter_context(started(port, *PROXIED, *words))
        return port

    return start


def _url(port: int) -> tuple[str, ...]:
    return (f"http://127.0.0.1:{port}/mcp",)


RECORD = ("--record", "{logs}")
PATHS = {
    "SDK server, directly": direct,
    "its bytes copied, none read": copied,
    "relayed": proxied("relay", "{port}", of=_url),
    "relayed, recorded": proxied(*RECORD, "relay", "{port}", of=_url),
    "relayed, recorded, with a flow": served_before_http,
    "a 30-line process, listened for": proxied("listen", "{port}", "--", *ECHO),
    "the same, recorded": proxied(*RECORD, "listen", "{port}", "--", *ECHO),
}


def _best(costs: list[Cost]) -> Cost:
    return Cost(min(c.median_ms for c in costs), max(c.calls_per_s for c in costs))


@click.command()
@click.option("--rounds", default=3, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
def main(rounds: int, out: Path) -> None:
    """Measure, and write the page."""
    costs: dict[str, list[Cost]] = {name: [] for name in PATHS}
    with ExitStack() as running:
        logs = Path(running.enter_context(tempfile.TemporaryDirectory()))
        ports = {name: start(running, logs) for name, start in PATHS.items()}
        for _ in range(rounds):
            for name, port in ports.items():
                costs[name].append(asyncio.run(cost(port)))
    best = {name: _best(found) for name, found in costs.items()}
    write_text(out / "proxy-http.md", page(best, rounds))


def page(best: dict[str, Cost], rounds: int) -> str:
    """The page."""
    base = best["SDK server, directly"]
    rows = [
        [
            name,
            f"{found.median_ms:.2f}",
            f"{found.median_ms / base.median_ms:.2f}",
            f"{found.calls_per_s:,.0f}",
            f"{found.calls_per_s / base.calls_per_s:.2f}",
        ]
        for name, found in best.items()
    ]
    header = ["path", "ms a call", "÷ direct", f"calls/s, {IN_FLIGHT} open", "÷ direct"]
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"""\
# What the proxy costs over HTTP

    python -m benchmarks.proxy_http --rounds {rounds} --out docs/results

The paths took turns, {rounds} rounds each, and the best round counts: other jobs only
ever slow one down.

A call is one of the 2026-07-28 revision to a tool that answers with a sentence, in no
session that it names, and behind which the flow finds nothing to look up:
{CALLS} one after the other, of which the median is given, and then {BURST:,} over
{IN_FLIGHT} connections.

{table(header, rows, right=range(1, 5))}

The second row is the floor: a program in Python on an event loop that copies bytes both
ways and reads none of them.
The last two rows have another server behind them, so they do not say what the proxy
adds; they say how fast it can be.

Aimed for: a relayed call at most 1.5 times as long as a direct one, and at least 0.85
times as many of them; 1.2 ms a call to a process. Client, proxy and server share the
cores. The SDK's server parses with `h11`, as it does where it is installed by itself.

Python {platform.python_version()}, {os.cpu_count()} cores that other jobs used too,
load {load} at the end of the run.
"""


if __name__ == "__main__":
    main()
