"""The proxy's session logs as episodes, those of one host's servers put together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from stretto.episodes.episode import Episode
from stretto.traces.head import Head
from stretto.traces.hosts import Extent, Group, Grouping, grouped
from stretto.traces.ledger import Ledger
from stretto.traces.listing import enter_tools
from stretto.traces.merge import SEPARATOR, merge, qualified
from stretto.traces.missing import before_gap, settled
from stretto.traces.parts import Part, Parts, put_together, read_parts
from stretto.traces.reader import ReadOptions
from stretto.traces.sessionlog import (
    VERSION_FIELD,
    SessionLog,
    is_beside,
    read_header,
)
from stretto.traces.turns import Conversation

DOMAIN = "mcp"
"""The domain of a session whose log names none."""
COMMIT = "stretto_commit"
"""The tool by which an agent writes through the proxy."""


class Sessions:
    """Reads session logs, whole sessions at a time."""

    def sniff(self, head: Head) -> bool:
        """Whether it is a log: its header says so, or its first line is an entry."""
        if not isinstance(head.value, dict) or is_beside(head.path):
            return False
        return VERSION_FIELD in head.value or {"t_ms", "from"} <= head.value.keys()

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """The episodes of the logs, each folder's in the order of their sessions."""
        files = _files(paths, ledger)
        grouping = _grouping(files)
        ledger.apart.extend(grouping.apart)
        for group in grouping.groups:
            log = _log(group, files, grouping.merges, ledger)
            if log is not None:
                enter_tools(log, ledger)
                yield episode(log, ledger)


READER = Sessions()


def episode(log: SessionLog, ledger: Ledger) -> Episode:
    """
    A log as an episode, up to where lines are missing; nobody graded it.

    Its calls of `stretto_commit` are counted, and left in.
    """
    entries = before_gap(log.entries)
    conversation = Conversation.of(entries, ledger)
    events = conversation.events()
    if len(entries) < len(log.entries):
        ledger.count("incomplete sessions")
        events = settled(events)
    found = Episode(
        log.header.session,
        events,
        domain=log.header.domain or DOMAIN,
        agent=log.header.agent or conversation.client or "unknown",
    )
    calls = [call for turn in found.turns for call in turn.calls]
    commits = sum(call.tool.split(SEPARATOR)[-1] == COMMIT for call in calls)
    answered = found.results()
    _count(f"{COMMIT} calls", commits, ledger)
    _count("unanswered calls", sum(call.id not in answered for call in calls), ledger)
    return found


def _count(name: str, n: int, ledger: Ledger) -> None:
    if n:
        ledger.count(name, n)


def _files(paths: Sequence[Path], ledger: Ledger) -> list[Parts]:
    """The logs that have a header, each folder's sorted by session."""
    files: list[Parts] = []
    for _, folder in groupby(paths, key=lambda path: path.parent):
        found = [
            Part(path, header)
            for path in folder
            if (header := read_header(path, ledger)) is not None
        ]
        files.extend(put_together(found, ledger))
    return files


def _grouping(files: Sequence[Parts]) -> Grouping:
    """
    Which logs are one session.

    Only logs that share their host session with another are read for it, so that no
    more than one session is held at a time.
    """
    hosts = Counter(file.header.host_session for file in files)
    extents = []
    for file in files:
        header = file.header
        extent = Extent(header, None, header.started_ms)
        if header.host_session is not None and hosts[header.host_session] > 1:
            log = read_parts(file, Ledger())  # what is wrong with it is told later
            extent = extent if log is None else Extent.of(log)
        extents.append(extent)
    return grouped(extents)


def _log(
    group: Group, files: Sequence[Parts], merges: bool, ledger: Ledger
) -> SessionLog | None:
    """A group's logs as one; None where none of them can be read any more."""
    found = [read_parts(files[i], ledger) for i in group.logs]
    logs = [log for log in found if log is not None]
    if not logs:
        return None
    if group.session is not None:
        ledger.count("merged logs", len(logs))
        ledger.count("merged sessions")
        return merge(logs, group.session)
    return qualified(logs[0]) if merges else logs[0]
