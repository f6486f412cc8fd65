"""
Old logs deleted: those that a proxy wrote, and nothing beside them.

A file is taken for a log of ours where its name is a session's id and, if it is a
session log, its first line names that same session. Flows, reports, and logs that
somebody renamed to keep them are not touched; neither are folders within.
"""

import json
import os
import re
import time
from typing import NamedTuple

from stretto.proxy.entry import VERSION_FIELD

_OURS = re.compile(
    r"(\d{8}T\d{6}\.\d{3}Z-\d+(?:-\d+)?)(?:\.\d+|(\.flow|\.confirm|\.guards))?\.jsonl",
    re.ASCII,
)
_HEADER_SIZE = 2**16
_DAY_S = 86_400


class Pruned(NamedTuple):
    """What became of a folder's old logs."""

    deleted: int
    problems: tuple[str, ...]


def prune(folder: str, days: int) -> Pruned:
    """Delete a folder's logs that were last written more than `days` days ago."""
    before = time.time() - days * _DAY_S
    try:
        with os.scandir(folder) as found:
            old = [file for file in found if _is_old(file, before)]
    except OSError as cause:
        return Pruned(0, (f"{folder} cannot be read: {cause.strerror}",))
    outcomes = [*map(_delete, old)]
    problems = tuple(outcome for outcome in outcomes if isinstance(outcome, str))
    return Pruned(outcomes.count(True), problems)


def _delete(file: "os.DirEntry[str]") -> bool | str:
    """Whether a file was deleted; why not, where it should have been."""
    try:
        if not _is_ours(file):
            return False
        os.unlink(file)
    except FileNotFoundError:  # another proxy was faster
        return False
    except OSError as cause:
        return f"{file.path} cannot be deleted: {cause.strerror}"
    return True


def _is_old(file: "os.DirEntry[str]", before: float) -> bool:
    try:
        return (
            _OURS.fullmatch(file.name) is not None
            and file.is_file(follow_symlinks=False)
            and file.stat(follow_symlinks=False).st_mtime < before
        )
    except FileNotFoundError:
        return False


def _is_ours(file: "os.DirEntry[str]") -> bool:
    named = _OURS.fullmatch(file.name)
    if named is None or named[2]:
        return named is not None
    with open(file, "rb") as log:
        first = log.readline(_HEADER_SIZE)
    try:
        header = json.loads(first)
    except ValueError:
        return False
    return (
        isinstance(header, dict)
        and VERSION_FIELD in header
        and header.get("session") == named[1]
    )
