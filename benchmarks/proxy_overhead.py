"""
What the proxy costs a host: the same server directly, behind it, recorded by it, and
recorded with a flow behind each call that finds nothing to look up.

    python benchmarks/proxy_overhead.py --out docs/results

The four are measured in turn, several rounds in one run, and the best of the rounds
counts, since other jobs only ever slow them down. Writes `proxy-overhead.md`. Linux
only, since memory is read from `/proc`.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from stretto.demo.record import record
from stretto.files import write_text
from stretto.flow.wire import write_flow
from stretto.learn.learn import learn
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

ROOT = Path(__file__).parent.parent
ECHO = [sys.executable, str(ROOT / "tests" / "proxy" / "servers" / "echo.py")]
SDK = [sys.executable, "-m", "stretto.demo.server"]
PROXY = [sys.executable, "-c", "from stretto.cli.proxy import main; main()"]
PATHS = ("direct", "proxy", "recorded", "served")

FLOW = "shop.flow.json"
WARM_UP, CALLS = 50, 1_000
IN_FLIGHT, BURST = 64, 6_400
COLD_STARTS, BIG_CALLS = 7, 3
MIB = 2**20


class Server:
    """A server that has been started and greeted."""

    def __init__(self, command: Sequence[str]) -> None:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(
            command,
            bufsize=0,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._answers = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", 2**16)
        about = {"protocolVersion": "2025-11-25", "capabilities": {}}
        about["clientInfo"] = {"name": "benchmark", "version": "1"}
        self.send(_request(0, "initialize", about))
        self.receive()
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def send(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self.process.stdin.fileno(), rest) :]

    def receive(self) -> bytes:
        line = self._answers.readline()
        if not line:
            raise ConnectionError("the server ended")
        return line

    def peak_mib(self) -> float:
        """The most memory that this process has had; others' it started not counted."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (peak,) = [row for row in status.splitlines() if row.startswith("VmHWM")]
        return int(peak.split()[1]) / 1024

    def end(self) -> None:
        self.process.stdin.close()
        if self.process.wait(60) != 0:
            raise ConnectionError("the server failed")
        self._answers.close()
        self.process.stdout.close()


@contextmanager
def _running(command: Sequence[str]) -> Iterator[Server]:
    server = Server(command)
    try:
        yield server
    except BaseException:
        server.process.kill()
        raise
    server.end()


def _request(id: int, method: str, params: dict[str, object]) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def echo_call(id: int, size: int = 100) -> bytes:
    params = {"name": "echo", "arguments": {"text": "x" * size}}
    return _request(id, "tools/call", params)


def one_by_one(command: Sequence[str]) -> float:
    """Median milliseconds a call, one after the other."""
    return _sequential(command, echo_call)


def sdk_one_by_one(command: Sequence[str]) -> float:
    """As `one_by_one`, listing tools."""
    return _sequential(command, lambda id: _request(id, "tools/list", {}))


def _sequential(command: Sequence[str], ask: Callable[[int], bytes]) -> float:
    took = []
    with _running(command) as server:
        for id in range(WARM_UP + CALLS):
            line = ask(id)
            began = time.perf_counter()
            server.send(line)
            server.receive()
            took.append(time.perf_counter() - began)
    return statistics.median(took[WARM_UP:]) * 1_000


def side_by_side(command: Sequence[str]) -> float:
    """Calls a second with 64 in flight."""
    free = threading.Semaphore(IN_FLIGHT)
    lines = [echo_call(id) for id in range(BURST)]
    with _running(command) as server:

        def receive() -> None:
            for _ in lines:
                server.receive()
                free.release()

        receiver = threading.Thread(target=receive)
        began = time.perf_counter()
        receiver.start()
        for line in lines:
            free.acquire()
            server.send(line)
        receiver.join()
        return BURST / (time.perf_counter() - began)


def cold_start(command: Sequence[str]) -> float:
    """Median milliseconds from starting the process to its first answer."""
    took = []
    for _ in range(COLD_STARTS):
        began = time.perf_counter()
        with _running(command):
            took.append(time.perf_counter() - began)
    return statistics.median(took) * 1_000


def _big(command: Sequence[str], size: int) -> tuple[float, float]:
    took, line = [], echo_call(1, size)
    with _running(command) as server:
        for _ in range(BIG_CALLS):
            sender = threading.Thread(target=server.send, args=[line])
            began = time.perf_counter()
            sender.start()
            server.receive()
            sender.join()
            took.append(time.perf_counter() - began)
        return statistics.median(took) * 1_000, server.peak_mib()


def one_mebibyte(command: Sequence[str]) -> float:
    """Median milliseconds of a call with a text of 1 MiB."""
    return _big(command, MIB)[0]


def twelve_mebibytes(command: Sequence[str]) -> float:
    """Median milliseconds of a call with a text of 12 MiB."""
    return _big(command, 12 * MIB)[0]


def memory(command: Sequence[str]) -> float:
    """The process's peak memory in MiB after calls with a text of 12 MiB."""
    return _big(command, 12 * MIB)[1]


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table."""

    named: str
    take: Callable[[Sequence[str]], float]
    server: Sequence[str]
    digits: int = 0
    best: Callable[[Sequence[float]], float] = min


MEASURES = (
    Measure("one call after the other, ms each", one_by_one, ECHO, 3),
    Measure("the same with an SDK server, ms each", sdk_one_by_one, SDK, 3),
    Measure("64 in flight, calls a second", side_by_side, ECHO, best=max),
    Measure("start to first answer, ms", cold_start, ECHO),
    Measure("a text of 1 MiB there and back, ms", one_mebibyte, ECHO),
    Measure("a text of 12 MiB there and back, ms", twelve_mebibytes, ECHO),
    Measure("peak memory after 12 MiB, MiB", memory, ECHO),
)


def measure(rounds: int) -> dict[str, dict[str, list[float]]]:
    """Every measure's rounds, by its name and the path taken."""
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        learn_flow(folder)
        for row in MEASURES:
            found[row.named] = {path: [] for path in PATHS}
            for _ in range(rounds):
                for path in PATHS:
                    command = command_of(path, row.server, folder)
                    found[row.named][path].append(row.take(command))
            click.echo(_row(row, found[row.named]), err=True)
    return found


def command_of(path: str, server: Sequence[str], folder: str) -> list[str]:
    options = {"direct": [], "proxy": [*PROXY, "--"]}
    options["recorded"] = [*PROXY, "--record", folder, "--"]
    flow = str(Path(folder) / FLOW)
    options["served"] = [*PROXY, "--flow", flow, "--record", folder, "--"]
    return [*options[path], *server]


def learn_flow(folder: str) -> None:
    """Write a flow of the demo's shop, which knows no tool of the echo server."""
    ledger = Ledger()
    logs = record(Path(folder) / "shop", sessions=20, seed=7)
    episodes = list(read(logs, ledger=ledger))
    write_flow(learn(episodes, ledger.manifest).flow, Path(folder) / FLOW)


def _row(row: Measure, found: dict[str, list[float]]) -> str:
    best = {path: row.best(found[path]) for path in PATHS}
    cells = [f"{best[path]:,.{row.digits}f}" for path in PATHS]
    added = [best[path] - best["direct"] for path in PATHS[1:]]
    cells += [f"{more:+,.{row.digits}f}" for more in added]
    cells += [f"{best[path] / best['direct']:.2f}" for path in PATHS[1:]]
    return "| " + " | ".join([row.named, *cells]) + " |"


def page(found: dict[str, dict[str, list[float]]], rounds: int) -> str:
    """The results as a page, one sentence a line."""
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    lines = [
        "# What the proxy costs",
        "",
        f"    python benchmarks/proxy_overhead.py --rounds {rounds} --out docs/results",
        "",
        f"The four paths took turns, {rounds} rounds each, and the best round counts: "
        "other jobs only ever slow one down.",
        "*Proxy* passes everything on; *recorded* also writes the session's log; "
        "*served* also runs a flow behind each call, which finds nothing to look up.",
        "Memory is that of the process that the host started: directly that is the "
        "server, otherwise the proxy.",
        "",
        f"| | {' | '.join(PATHS)} | {' | '.join(f'{p} adds' for p in PATHS[1:])} | "
        f"{' | '.join(f'{p} ÷ direct' for p in PATHS[1:])} |",
        "|---" + "|--:" * (3 * len(PATHS) - 2) + "|",
        *(_row(row, found[row.named]) for row in MEASURES),
        "",
        "Aimed for, with recording: 0.3 ms more a call, 10,000 calls a second with 64 "
        "in flight, 100 ms more to the first answer, and 1.15 times as long a call "
        "with an SDK server; with a flow that adds nothing, 1 ms more a call.",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores that other jobs "
        f"used too, load {load} at the end of the run.",
        "",
    ]
    return "\n".join(lines)


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True)
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
def main(out: Path, rounds: int) -> None:
    """Measure, and write what was found."""
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "proxy-overhead.md", page(measure(rounds), rounds))


if __name__ == "__main__":
    main()
