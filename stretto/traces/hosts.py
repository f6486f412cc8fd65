"""
Which logs are one session.

A host may run several servers, each behind a proxy that keeps a log of its own. Logs
of one host that follow one another without a gap are of one session.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.traces.messages import request_key, response_key, server_named
from stretto.traces.sessionlog import Entry, Header, Sender, SessionLog


class Extent(NamedTuple):
    """What decides which logs belong together."""

    header: Header
    server: str | None
    """What its tools are qualified by; None where the log does not name a server."""
    end_ms: int
    """When its last line was read, in Unix time."""

    @classmethod
    def of(cls, log: SessionLog) -> "Extent":
        """A log's extent."""
        return cls(log.header, server_name(log), log.header.started_ms + log.last_ms)


class Group(NamedTuple):
    """The logs of one session, by position, in the order of their start."""

    logs: tuple[int, ...]
    session: str | None = None
    """What the merged session is called; None for a log on its own."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which logs are one session."""

    groups: tuple[Group, ...]
    """In the order of each group's first log."""
    apart: tuple[str, ...]
    """The host sessions left apart: two logs of one server overlap in time."""

    @property
    def merges(self) -> bool:
        """Whether a group holds several logs. If none does, tool names stay bare."""
        return any(group.session is not None for group in self.groups)


def grouped(extents: Sequence[Extent]) -> Grouping:
    """Which logs are one session of one host."""
    by_host: dict[str, list[int]] = defaultdict(list)
    for index, (header, server, _) in enumerate(extents):
        if header.host_session is not None and server is not None:
            by_host[header.host_session].append(index)
    merged: list[Group] = []
    apart: list[str] = []
    for host, indices in by_host.items():
        runs = [run for run in _runs(extents, indices) if len(run) > 1]
        whole = [run for run in runs if not _collide([extents[i] for i in run])]
        several = len(whole) > 1
        names = [f"{host}#{k}" if several else host for k in range(len(whole))]
        merged.extend(map(Group, whole, names))
        if len(whole) < len(runs):
            apart.append(host)
    taken = {index for group in merged for index in group.logs}
    alone = [Group((i,)) for i in range(len(extents)) if i not in taken]
    return Grouping(
        tuple(sorted(merged + alone, key=lambda group: min(group.logs))), tuple(apart)
    )


def server_name(log: SessionLog) -> str | None:
    """
    The server a log is of: what its header calls it, or else what it calls itself.

    Characters that a name must not hold become `_`.
    """
    name = log.header.server_name or log.header.domain or _own_name(log.entries)
    return re.sub(r"[^A-Za-z0-9._-]", "_", name) if name else None


def _runs(
    extents: Sequence[Extent], indices: Iterable[int]
) -> Iterator[tuple[int, ...]]:
    """Chains of logs, each of which starts before all the earlier ones have ended."""
    run: list[int] = []
    end_ms = 0
    for index in sorted(indices, key=lambda i: extents[i].header.started_ms):
        if run and extents[index].header.started_ms > end_ms:
            yield tuple(run)
            run = []
        end_ms = max(end_ms, extents[index].end_ms) if run else extents[index].end_ms
        run.append(index)
    if run:
        yield tuple(run)


def _collide(run: Iterable[Extent]) -> bool:
    """Whether two logs of one server, in the order of their start, overlap in time."""
    ends: dict[str | None, int] = {}
    for header, server, end_ms in run:
        if header.started_ms < ends.get(server, header.started_ms):
            return True
        ends[server] = max(end_ms, ends.get(server, end_ms))
    return False


def _own_name(entries: Iterable[Entry]) -> str | None:
    asked: set[str | None] = set()
    for entry in entries:
        for message in entry.messages:
            answered = response_key(message)
            if message.get("method") == "initialize":
                asked.add(request_key(message))
            elif entry.sender is Sender.SERVER and answered is not None:
                name = server_named(message, greets=answered in asked)
                if name:
                    return name
    return None
