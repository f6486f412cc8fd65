"""
Measures every benchmark again, and writes down what came of it.

    python -m benchmarks.refresh --runs 4

For a machine that nobody else uses. After each run `benchmarks/baseline.json` and the
numbers of `docs/results/benchmarks.md` are those of the fastest runs so far, so that
stopping loses no run but the one at hand. What the page says below its table is left as
it is; which benchmarks moved is printed, for it to be read again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.fastest import Measured, merged
from benchmarks.fastest_page import renewed
from stretto.files import write_text

ROOT = Path(__file__).parent.parent
BASELINE = ROOT / "benchmarks" / "baseline.json"
PAGE = ROOT / "docs" / "results" / "benchmarks.md"

QUIET = 0.5
"""The load, over a minute, above which others use the machine."""

MOVED = 4 / 3
"""How many times as fast or as slow a benchmark is that is said to have moved."""


def run(into: Path) -> Measured:
    """
    One run of all benchmarks, each in its usual number of rounds.

    Raises:
        ClickException: one of them failed.
    """
    pytest = [sys.executable, "-m", "pytest", "-o", "addopts=", "-q"]
    only = ["benchmarks", "--benchmark-only", f"--benchmark-json={into}"]
    if subprocess.run([*pytest, *only], cwd=ROOT).returncode:
        raise click.ClickException("a benchmark failed, and its run is left out")
    found: Measured = json.loads(into.read_text(encoding="utf-8"))
    return found


def moved(
    before: Mapping[str, Measured], now: Mapping[str, Measured]
) -> Iterator[tuple[str, float]]:
    """The benchmarks that are new, at 0, or take another time, as a ratio to it."""
    for name, measured in now.items():
        ratio = measured["min"] / before[name]["min"] if name in before else 0.0
        if not 1 / MOVED < ratio < MOVED:
            yield name, ratio


@click.command()
@click.option("--runs", default=4, show_default=True, type=click.IntRange(min=1))
def main(runs: int) -> None:
    """Run the benchmarks, and write the baseline and the page's numbers."""
    load = os.getloadavg()[0]
    if load > QUIET:
        click.echo(f"others use this machine: its load is {load:.1f}", err=True)
    before = json.loads(BASELINE.read_text(encoding="utf-8"))["seconds"]
    found: list[Measured] = []
    with TemporaryDirectory() as folder:
        for n in range(1, runs + 1):
            click.echo(f"run {n} of {runs}", err=True)
            found.append(run(Path(folder) / f"{n}.json"))
            seconds = merged(one["seconds"] for one in found)
            kept = {**found[-1], "load": round(load, 1), "runs": n, "seconds": seconds}
            write_text(BASELINE, json.dumps(kept, indent=1) + "\n")
            write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8"), kept))
    for name, ratio in moved(before, seconds):
        click.echo(f"{name}: " + (f"{ratio:.2g} × before" if ratio else "new"))
    for name in sorted(before.keys() - seconds.keys()):
        click.echo(f"{name}: no longer measured")


if __name__ == "__main__":
    main()
