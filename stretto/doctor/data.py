"""Whether the data folder can be written to, and what is in it can be read."""

import os
from collections.abc import Iterator
from pathlib import Path

from stretto.counted import counted
from stretto.doctor.finding import Finding, note, ok, problem
from stretto.errors import StrettoError
from stretto.flow.wire import read_flow
from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import VERSION_FIELD, is_beside, read_header

DEPTH = 3
"""How many levels of folders are looked into."""

_ASIDE = {"oracle-cache", "console"}
_FLOW = ".flow.json"


def data(root: Path) -> Iterator[Finding]:
    """The folder, the folders of logs in it, its flows and its logs."""
    if not root.exists():
        above = next(path for path in root.absolute().parents if path.exists())
        if is_writable(above):
            yield note(f"{root} is not there yet; the first recording makes it")
        else:
            yield problem(f"{root} is not there, and cannot be made")
        return
    if not root.is_dir():
        yield problem(f"{root} is no folder")
        return
    logs = [f for above in ("logs", "shadow") for f in sorted((root / above).glob("*"))]
    folders = [root, *(folder for folder in logs if folder.is_dir())]
    closed = [folder for folder in folders if not is_writable(folder)]
    for folder in closed:
        yield problem(f"{folder} cannot be written to")
    if not closed:
        yield ok(f"{root} can be written to")
    files = sorted(_files(root, DEPTH))
    yield from _flows([path for path in files if path.name.endswith(_FLOW)])
    yield from _logs([path for path in files if _may_be_log(path)])


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder."""
    return os.access(folder, os.W_OK | os.X_OK)


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """The files of a folder and of those within; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif _is_looked_into(entry, depth):
            yield from _files(Path(entry.path), depth - 1)


def _is_looked_into(entry: "os.DirEntry[str]", depth: int) -> bool:
    is_folder = entry.is_dir(follow_symlinks=False)
    return depth > 1 and is_folder and entry.name not in _ASIDE


def _flows(paths: list[Path]) -> Iterator[Finding]:
    n_sound = 0
    for path in paths:
        try:
            read_flow(path)
        except StrettoError as cause:
            yield problem(str(cause))
        else:
            n_sound += 1
    if n_sound:
        yield ok(counted(n_sound, "flow"))
    elif not paths:
        yield note("no flow yet; `stretto learn` makes one")


def _logs(paths: list[Path]) -> Iterator[Finding]:
    n_sound = 0
    for path in paths:
        try:
            header = read_header(path, ledger := Ledger())
        except OSError as cause:
            yield problem(f"{path} cannot be read: {cause.strerror}")
            continue
        if header is not None:
            n_sound += 1
        elif _claims_to_be_log(path):
            yield problem(str(ledger.problems[0]))
    if n_sound:
        yield ok(counted(n_sound, "session log"))
    else:
        yield note("no session logs yet; `stretto init` has a host's sessions recorded")


def _may_be_log(path: Path) -> bool:
    return path.suffix == ".jsonl" and not is_beside(path)


def _claims_to_be_log(path: Path) -> bool:
    with path.open("rb") as file:
        return VERSION_FIELD.encode() in file.readline(2**16)
