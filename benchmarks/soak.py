"""
A hundred thousand calls through the proxy, 64 at once: what is lost, and what is held.

    python -m benchmarks.soak --out docs/results

A server that says a text again answers them in order, so that the answers have to come
in the order of the calls, each once, and the log has to have both. Writes `soak.md`.
Linux only, since memory is read from `/proc`.
"""

import gzip
import json
import os
import platform
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import click

from benchmarks.proxy_overhead import (
    ECHO,
    IN_FLIGHT,
    MIB,
    Server,
    command_of,
    echo_call,
    learn_flow,
)
from stretto.files import write_text

CALLS = 100_000
POINTS = (1_000, 25_000, 50_000, 75_000, CALLS)
"""After how many answers memory is read."""
SIZE = 100
"""Characters of each call's text."""
PATHS = ("proxy", "recorded", "served")


@dataclass(slots=True)
class Soaked:
    """What came of one path."""

    seconds: float = 0.0
    ids: list[int] = field(default_factory=list)
    """Of the answers, as they came."""
    memory: list[float] = field(default_factory=list)
    """In MiB, at each of the points."""
    logged: dict[str, list[int]] = field(default_factory=dict)
    """The ids in the log, by who said them."""

    @property
    def is_whole(self) -> bool:
        """Whether every call was answered once and in order."""
        return self.ids == [*range(CALLS)]


def soak(path: str, folder: str) -> Soaked:
    """One session of that many calls."""
    found, free = Soaked(), threading.Semaphore(IN_FLIGHT)
    server = Server(command_of(path, ECHO, folder))
    began = time.perf_counter()

    def receive() -> None:
        for n in range(1, CALLS + 1):
            found.ids.append(json.loads(server.receive())["id"])
            free.release()
            if n in POINTS:
                found.memory.append(_resident(server.process.pid))

    receiver = threading.Thread(target=receive)
    receiver.start()
    for id in range(CALLS):
        free.acquire()
        server.send(echo_call(id, SIZE))
    receiver.join()
    found.seconds = time.perf_counter() - began
    server.end()
    found.logged = _logged(Path(folder))
    return found


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def _logged(folder: Path) -> dict[str, list[int]]:
    """The ids of calls and answers in a folder's log, which is taken away."""
    ids: dict[str, list[int]] = {"client": [], "server": []}
    for path in sorted(folder.glob("2*.jsonl*")):
        if not path.name.endswith(".flow.jsonl"):
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    entry = json.loads(line)
                    message = entry.get("message", {})
                    called = (
                        "method" not in message or message["method"][:6] == "tools/"
                    )
                    if entry.get("from") in ids and "id" in message and called:
                        ids[entry["from"]].append(message["id"])
        path.unlink()
    return ids


def page(found: dict[str, Soaked]) -> str:
    """The results as a page, one sentence a line."""
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    points = " | ".join(f"MiB after {n:,}" for n in POINTS)
    lines = [
        "# A hundred thousand calls",
        "",
        "    python -m benchmarks.soak --out docs/results",
        "",
        f"{CALLS:,} calls of {SIZE} characters in one session on standard input and "
        f"output, {IN_FLIGHT} of them under way at any time.",
        "*Proxy* passes everything on; *recorded* also writes the session's log; "
        "*served* also follows the session for a flow that finds nothing to look up.",
        "",
        f"| path | answers, each once and in order | in the log: calls, answers | "
        f"calls a second | {points} |",
        "|---|---|---|--:|" + "--:|" * len(POINTS),
        *(_row(path, soaked) for path, soaked in found.items()),
        "",
        "A served session remembers what it was shown, which tells its turns apart, "
        "and more of a tool that its flow's lookups read, which this one is not: "
        "its memory grows with the session, and that of the other two does not.",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores that other jobs "
        f"used too, load {load} at the end of the run.",
        "",
    ]
    return "\n".join(lines)


def _row(path: str, found: Soaked) -> str:
    answers = f"{len(found.ids):,}" if found.is_whole else "**not all**"
    asked, said = (found.logged[who] for who in ("client", "server"))
    in_order = asked == sorted(asked) and said[-CALLS:] == sorted(said[-CALLS:])
    log = "–"
    if asked:
        log = f"{len(asked):,}, {len(said):,}" + (
            "" if in_order else " **not in order**"
        )
    memory = " | ".join(f"{n:,.0f}" for n in found.memory)
    return f"| {path} | {answers} | {log} | {CALLS / found.seconds:,.0f} | {memory} |"


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True)
def main(out: Path) -> None:
    """Soak, and write what was found."""
    found: dict[str, Soaked] = {}
    with tempfile.TemporaryDirectory() as folder:
        learn_flow(folder)
        for path in PATHS:
            found[path] = soak(path, folder)
            click.echo(_row(path, found[path]), err=True)
    write_text(out / "soak.md", page(found))


if __name__ == "__main__":
    main()
