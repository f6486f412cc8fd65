"""Whether what is installed fits together."""

import os
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

from stretto import __version__
from stretto.doctor.finding import Finding, note, ok, problem
from stretto.hosts import proxy
from stretto.hosts.server import PROXY

KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE")
"""The variables that hold an oracle's key, or name the file that does."""

_PATIENCE_S = 20.0


def installation() -> Iterator[Finding]:
    """The versions of the binaries, those on PATH beside this stretto's own."""
    yield ok(f"stretto {__version__}, Python {platform.python_version()}")
    beside, on_path = proxy.beside(), proxy.on_path()
    if beside is None and on_path is None:
        yield problem(
            f"{PROXY} is neither beside stretto nor on PATH: install it again"
        )
        return
    if on_path is None:
        yield note(f"{PROXY} is not on PATH; `stretto init` gives hosts its full path")
    for path in dict.fromkeys(path for path in (beside, on_path) if path is not None):
        yield _same_version(path)


def key() -> Finding:
    """Whether an oracle's key is there; its value is not looked at."""
    for name in KEYS:
        if value := os.environ.get(name):
            if name.endswith("_FILE") and not os.access(value, os.R_OK):
                return problem(f"{name} names a file that cannot be read")
            return ok(f"{name} is set")
    return note("no oracle's key is set; the deciders habit and reach need none")


def version_of(program: Path) -> str | None:
    """What a program says to `--version`; None where it says nothing."""
    try:
        said = subprocess.run(
            [program, "--version"],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.decode(errors="replace").strip()


def _same_version(program: Path) -> Finding:
    said = version_of(program)
    if said is None:
        return problem(f"{program} does not start")
    if said != f"{PROXY} {__version__}":
        return problem(f"{program} is {said or 'something else'}, not {__version__}")
    return ok(f"{program}, {__version__}")
