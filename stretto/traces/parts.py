"""
The files of one session, put together.

The proxy ends a log that has grown long, and goes on in another file: `SESSION.2.jsonl`
behind `SESSION.jsonl`, whose header names the session and the part.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import GAP, Entry, Header, Sender, SessionLog, read_log


class Part(NamedTuple):
    """One file of a session."""

    path: Path
    header: Header


class Parts(NamedTuple):
    """A session's files from the first on, in order."""

    paths: tuple[Path, ...]
    header: Header
    """The first one's."""
    is_whole: bool = True
    """Whether none is missing between those that were found."""


def put_together(found: Sequence[Part], ledger: Ledger) -> list[Parts]:
    """
    The sessions that these files are of, sorted by their ids.

    Files behind one that is missing are left out, and reported.
    """
    later: dict[str, list[Part]] = defaultdict(list)
    for part in found:
        if part.header.part > 1:
            later[part.header.session].append(part)
    sessions = [
        _following(part, later.pop(part.header.session, []), ledger)
        for part in found
        if part.header.part == 1
    ]
    for orphans in later.values():
        _report(orphans, 1, ledger)
    return sorted(sessions, key=lambda session: session.header.session)


def read_parts(parts: Parts, ledger: Ledger) -> SessionLog | None:
    """A session's files as one log; None where the first cannot be read any more."""
    log, *more = (read_log(path, ledger) for path in parts.paths)
    if log is None:
        return None
    entries = [*log.entries]
    for further in more:
        entries += () if further is None else further.entries
    if not parts.is_whole or None in more:
        entries.append(Entry(log.last_ms, Sender.PROXY, ({"method": GAP},)))
    return replace(log, entries=tuple(entries))


def _following(first: Part, later: list[Part], ledger: Ledger) -> Parts:
    paths = [first.path]
    later.sort(key=lambda part: part.header.part)
    for nth, part in enumerate(later):
        if part.header.part != len(paths) + 1:
            _report(later[nth:], len(paths) + 1, ledger)
            return Parts(tuple(paths), first.header, is_whole=False)
        paths.append(part.path)
    return Parts(tuple(paths), first.header)


def _report(left_out: Sequence[Part], wanted: int, ledger: Ledger) -> None:
    for path, header in left_out:
        cause = f"is part {header.part} of a session whose part {wanted} is not there"
        ledger.problem(path, cause)
