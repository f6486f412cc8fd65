"""
How long a command takes from start to end, and how much memory, on recorded sessions.

    python -m benchmarks.commands --out docs/results

Every command's help first, then those that read sessions: on the retail sessions of one
folder, and on every τ²-bench session as if of one domain. The processor's seconds count
every thread; memory is the most that was resident.
"""

import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import reduce
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import click

from stretto.canonical import Json
from stretto.cli.main import COMMANDS
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.files import write_text
from stretto.markdown import table
from stretto.traces.reader import read

DATA = Path(__file__).parents[2] / "shared" / "data"
FOLDERS = sorted((DATA / "sessions").glob("tau2-*"))
RETAIL = DATA / "sessions" / "tau2-retail-codesque16"
KINDS = ("telecom-solo", "telecom", "airline", "retail")

STARTS = 5
"""How often each help is asked for; the fastest counts."""

LEARN = "learn {sessions} {domain} --manifest {manifest} -o {flow}"
MEASURE = (
    "episodes {sessions}",
    "phase0 {sessions} {domain} --manifest {manifest}",
    "audit {flow} {sessions}",
    "replay {flow} {sessions}",
    "replay {flow} {sessions} --sweep --sites",
    "drift {flow} {sessions}",
    "promote {flow} {sessions}",
)


class Ran(NamedTuple):
    """What one command took."""

    seconds: float
    processor_s: float
    mib: float


class Sessions(NamedTuple):
    """What commands are run on."""

    name: str
    folders: list[Path]
    kinds: tuple[str, ...]
    """The manifests of their tools."""

    def files(self, folder: Path) -> dict[str, str]:
        """What a command's words stand for; the manifest is written to `folder`."""
        manifests = [
            read_manifest(DATA / "manifests" / f"{k}.json") for k in self.kinds
        ]
        manifest, flow = folder / f"{self.name}.json", folder / f"{self.name}.flow.json"
        write_text(manifest, json.dumps(_listed(reduce(Manifest.merged, manifests))))
        return {
            "sessions": shlex.join(map(str, self.folders)),
            "domain": "--domain all" if len(self.kinds) > 1 else "",
            "manifest": str(manifest),
            "flow": str(flow),
        }


SETS = (
    Sessions("retail", [RETAIL], ("retail",)),
    Sessions("all", FOLDERS, KINDS),
)


def _listed(manifest: Manifest) -> Json:
    tools: dict[str, Json] = {tool: str(kind) for tool, kind in manifest.tools.items()}
    return {"domain": manifest.domain, "tools": tools}


def ran(command: str) -> Ran:
    """
    One run of `stretto` in a process of its own.

    Raises:
        SystemExit: it failed. Drift says 1 where it found one.
    """
    began = perf_counter()
    arguments = [sys.executable, "-m", "stretto", *shlex.split(command)]
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > command.startswith("drift"):
        sys.exit(f"stretto {command}: {said}")
    spent = used.ru_utime + used.ru_stime
    return Ran(perf_counter() - began, spent, used.ru_maxrss / 1024)


Row = tuple[str, Ran]
"""A command as it is told, and what it took."""


def starts() -> list[Row]:
    """Every command's help, the fastest first, by the processor's seconds."""
    rounds = [{name: ran(f"{name} --help") for name in COMMANDS} for _ in range(STARTS)]
    fastest = {
        name: min(map(itemgetter(name), rounds), key=_spent) for name in COMMANDS
    }
    return sorted(fastest.items(), key=lambda row: _spent(row[1]))


def _spent(took: Ran) -> float:
    return took.processor_s


def runs(sessions: Sessions, folder: Path) -> list[Row]:
    """Every command that reads sessions, told without the files' names."""
    files = sessions.files(folder)
    told = {**dict.fromkeys(files, ""), "flow": "FLOW", "sessions": "SESSIONS"}
    rows = []
    for command in (LEARN, *MEASURE):
        row = _told(command, told), ran(command.format(**files))
        click.echo(f"{sessions.name}: {row}", err=True)
        rows.append(row)
    return rows


def _told(command: str, words: dict[str, str]) -> str:
    return " ".join(command.replace("--manifest", "").format(**words).split())


def page(
    begun: Sequence[Row], made: dict[str, list[Row]], counts: dict[str, int]
) -> str:
    """The results as a page, one sentence a line."""
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    helped = [
        [f"`{name}`", f"{1000 * one.processor_s:,.0f}", f"{one.mib:,.0f}"]
        for name, one in begun
    ]
    sections = [
        f"## {TITLES[name].format(n=counts[name])}\n\n"
        + table(HEADS, [_row(row) for row in rows], right=range(1, 4))
        for name, rows in made.items()
    ]
    return OPENING + "\n\n".join(
        [
            *sections,
            "## To a command's help\n\n"
            f"The fastest of {STARTS}; a command's own modules are imported for it.\n\n"
            + table(["command", "ms of processor", "MiB"], helped, right=range(1, 3)),
            f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load} "
            "at the end of the run.\n",
        ]
    )


def _row(row: Row) -> list[str]:
    command, took = row
    times = f"{took.seconds:.1f}", f"{took.processor_s:.1f}"
    return [f"`{command}`", *times, f"{took.mib:,.0f}"]


OPENING = """\
# What a command takes

    python -m benchmarks.commands --out docs/results

From its start to its end, in a process of its own, with nothing kept from another run.
Memory is the most that was resident.
Reading takes no more of it for more sessions; what is measured of each does.

"""
HEADS = ["command", "s", "s of processor", "MiB"]
TITLES = {
    "retail": "The {n:,} retail sessions of four agents",
    "all": "All {n:,} sessions of τ²-bench, as if of one domain",
}


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True)
def main(out: Path) -> None:
    """Run the commands, and write what they took."""
    begun = starts()
    with tempfile.TemporaryDirectory() as folder:
        made = {sessions.name: runs(sessions, Path(folder)) for sessions in SETS}
    counts = {
        sessions.name: sum(1 for _ in read(sessions.folders)) for sessions in SETS
    }
    write_text(out / "commands.md", page(begun, made, counts))


if __name__ == "__main__":
    main()
