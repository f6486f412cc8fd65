"""
The console blocks of a page, run: what it shows is what the commands print.

A block's commands begin with `$ `. The lines under one are its output, both streams
as they come; a line `…` stands for any lines. Code that a page quotes stands under
`<!-- file: NAME -->`, and is that file of docs/examples.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from stretto.cli.main import cli
from tests.conftest import ROOT

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(
    r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
_ELIDED = "…"
_UTF8 = {**os.environ, "PYTHONIOENCODING": "utf-8"}
_REFUSED = ("error: ", "Error: ")
_ANSWERS = "stretto flow-diff "
"""The command that also exits with 1 where it did what it was asked."""


class Shown(NamedTuple):
    """A command, and what a page says it prints."""

    command: str
    output: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Whether the page shows that the command fails."""
        return any(line.startswith(_REFUSED) for line in self.output)


class Quoted(NamedTuple):
    """A file of docs/examples, as a page quotes it."""

    name: str
    text: str


class Ran(NamedTuple):
    """What a command did."""

    output: str
    code: int


@dataclass(slots=True)
class Console:
    """Runs commands in the folder that the process is in."""

    known: Mapping[str, str] = field(default_factory=dict)
    """The output of commands that need not run again."""

    def follow(self, page: Path, *, leave_out: str | None = None) -> None:
        """
        Runs a page's commands in order; fails at the first that prints otherwise.

        Args:
            leave_out: How the commands begin that are not run.
        """
        for shown in console_blocks(page):
            if leave_out is not None and shown.command.startswith(leave_out):
                continue
            ran = self.run(shown.command)
            told = f"$ {shown.command}\n{ran.output}"
            assert matches(shown.output, ran.output.splitlines()), told
            may_fail = shown.is_refused or shown.command.startswith(_ANSWERS)
            assert ran.code == 0 or may_fail, f"exit code {ran.code} of {told}"
            assert ran.code != 0 or not shown.is_refused, f"did not fail: {told}"

    def run(self, command: str) -> Ran:
        """What one command prints, and the code it exits with."""
        if command in self.known:
            return Ran(self.known[command], 0)
        program, *args = [part for word in shlex.split(command) for part in _all(word)]
        if program == "stretto":
            done = CliRunner().invoke(cli, args, catch_exceptions=False)
            return Ran(done.output, done.exit_code)
        assert program == "python", f"pages run `stretto` and `python`, not {program!r}"
        ran = subprocess.run(
            [sys.executable, *args],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env=_UTF8,
        )
        return Ran(ran.stdout, ran.returncode)


def console_blocks(page: Path) -> Iterator[Shown]:
    """The commands that a page shows, in order."""
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        command, output = "", list[str]()
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield Shown(command, tuple(output))
                command, output = line.removeprefix("$ "), []
            elif command.endswith("\\"):
                command = f"{command[:-1].rstrip()} {line.strip()}"
            else:
                output.append(line)
        yield Shown(command, tuple(output))


def quoted(page: Path) -> Iterator[Quoted]:
    """The files of docs/examples that a page quotes whole."""
    for name, text in _FILE.findall(page.read_text(encoding="utf-8")):
        yield Quoted(name, text)


def matches(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the lines printed are those shown, with any lines for each `…`."""
    parts = [
        r"(?:[^\n]*\n)*?" if line == _ELIDED else re.escape(line.rstrip()) + r" *\n"
        for line in _ends_trimmed(shown)
    ]
    text = "".join(f"{line}\n" for line in _ends_trimmed(printed))
    return re.fullmatch("".join(parts), text) is not None


def _ends_trimmed(lines: Sequence[str]) -> list[str]:
    """The lines without the blank ones at either end."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept


def _all(word: str) -> list[str]:
    """What a word of a command stands for: itself, or the files its `*` matches."""
    return sorted(glob(word)) if "*" in word else [word]
