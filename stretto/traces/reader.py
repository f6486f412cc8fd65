"""
Sessions read: files found, their format recognised, and their episodes handed on.

A format is a `Reader`, found by name in the entry points of `stretto.readers`. A
package that installs one is asked beside those that come with stretto.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Protocol

from stretto.episodes.episode import Episode
from stretto.errors import BrokenPlugin, TraceError
from stretto.plugins import Registry
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.names import Names
from stretto.traces.sessionlog import is_beside
from stretto.traces.stop import without_stop

__all__ = ["READERS", "Head", "Ledger", "ReadOptions", "Reader", "read"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader cannot know from the files, and how strictly to take them."""

    domain: str | None = None
    """The domain of every episode, whatever its file says."""
    agent: str | None = None
    """The agent of every episode, whatever its file says."""
    reward_field: str | None = None
    """The field beside a chat's messages that holds its reward."""
    rewards: Mapping[str, float] | None = None
    """Rewards by episode id, which go before the file's own."""
    strict: bool = False
    """Whether the first problem ends the reading."""
    recursive: bool = False
    """Whether folders are read with the folders inside them."""
    strip_stop: bool = False
    """Whether the user simulator's stop tokens are taken out of what users say."""


class Reader(Protocol):
    """A format that sessions are recorded in."""

    def sniff(self, head: Head) -> bool:
        """Whether a file that begins so is of this format."""

    def read(
        self, paths: Sequence[Path], options: ReadOptions, ledger: Ledger
    ) -> Iterator[Episode]:
        """
        The episodes of files that follow one another and are all of this format.

        What cannot be read goes into the ledger, and everything else is read. Domain,
        agent and reward are the files' own; `read` lays the options over them.
        """


READERS = Registry[Reader]("stretto.readers")


def read(
    paths: Iterable[str | Path],
    *,
    reader: str | None = None,
    options: ReadOptions = ReadOptions(),
    ledger: Ledger | None = None,
) -> Iterator[Episode]:
    """
    The episodes of session files, in the order of the paths, one at a time.

    A folder stands for its files, sorted by name. A file's reader is the first, in the
    order of their names, that recognises how the file begins; files of a folder that
    none recognises are counted. An id that came before is made unique as `ID#2`.

    Args:
        paths: Files, compressed or not, and folders.
        reader: The reader of every file named; files of a folder still have to be
            recognised by it.
        options: What to lay over the episodes.
        ledger: Where everything goes that is no episode.

    Raises:
        UnknownPlugin: no reader has that name.
        BrokenPlugin: the reader of that name does not load.
        TraceError: the first problem, where the options ask for it; while iterating.
    """
    named = None if reader is None else _Named(reader, READERS.get(reader))
    ledger = Ledger() if ledger is None else ledger
    files = _found(paths, options, ledger)
    episodes = _episodes(_recognised(files, named, ledger), options, ledger)
    finished = _finished(episodes, options, ledger)
    return _strictly(finished, ledger) if options.strict else finished


class _File(NamedTuple):
    path: Path
    is_named: bool
    """Whether it was asked for by its own name, not a folder's."""


class _Named(NamedTuple):
    name: str
    reader: Reader


def _found(
    paths: Iterable[str | Path], options: ReadOptions, ledger: Ledger
) -> Iterator[_File]:
    for path in map(Path, paths):
        if not path.is_dir():
            yield _File(path, is_named=True)
            continue
        for folder, folders, names in os.walk(path, onerror=_entering(ledger)):
            for name in sorted(names):
                yield _File(Path(folder, name), is_named=False)
            if not options.recursive:
                ledger.count("folders left out", len(folders))
                folders.clear()
            folders.sort()


def _entering(ledger: Ledger) -> Callable[[OSError], None]:
    return lambda cause: ledger.problem(str(cause.filename), _unopened(cause))


def _recognised(
    files: Iterable[_File], named: _Named | None, ledger: Ledger
) -> Iterator[tuple[_Named, Path]]:
    readers = _installed(ledger) if named is None else [named]
    failed: set[str] = set()
    for path, is_named in files:
        if not is_named and not path.is_file():
            ledger.count("not recognised")
            continue
        try:
            head = Head.of(path)
        except OSError as cause:
            ledger.problem(path, _unopened(cause))
            continue
        if not head.text.strip() and not is_beside(path):
            ledger.problem(path, "is empty")
        elif found := (is_named and named) or _sniffed(head, readers, failed, ledger):
            ledger.count("files")
            yield found, path
        elif is_beside(path):
            ledger.count("logs beside sessions")
        elif is_named:
            known = ", ".join(name for name, _ in readers)
            ledger.problem(path, f"is not recognised by any reader ({known})")
        else:
            ledger.count("not recognised")


def _installed(ledger: Ledger) -> list[_Named]:
    """The readers that load, sorted by name."""
    readers = []
    for name, member in READERS.members():
        if isinstance(member, BrokenPlugin):
            ledger.problem(name, str(member))
        else:
            readers.append(_Named(name, member))
    return readers


def _sniffed(
    head: Head, readers: list[_Named], failed: set[str], ledger: Ledger
) -> _Named | None:
    for named in readers:
        try:
            if named.reader.sniff(head):
                return named
        except Exception as cause:  # a stranger's reader may raise anything
            if named.name not in failed:
                failed.add(named.name)
                ledger.problem(
                    head.path, f"makes the reader {named.name!r} fail: {cause!r}"
                )
    return None


def _episodes(
    files: Iterable[tuple[_Named, Path]], options: ReadOptions, ledger: Ledger
) -> Iterator[Episode]:
    for (_, reader), group in groupby(files, lambda file: file[0]):
        yield from reader.read([path for _, path in group], options, ledger)


def _finished(
    episodes: Iterable[Episode], options: ReadOptions, ledger: Ledger
) -> Iterator[Episode]:
    names = Names()
    ungraded = set(options.rewards or ())
    for episode in episodes:
        ungraded.discard(episode.id)
        episode = _overlaid(episode, options)
        ledger.count("episodes")
        if not episode.events:
            ledger.count("empty")
        if (unique := names.unique(episode.id)) != episode.id:
            ledger.count("renamed episodes")
            episode = replace(episode, id=unique)
        yield episode
    if ungraded:
        ledger.problem("--rewards", f"no session is called {_some(ungraded)}")


def _some(names: Collection[str]) -> str:
    first, *others = sorted(names)
    return f"{first!r}, nor {len(others):,} others named" if others else repr(first)


def _overlaid(episode: Episode, options: ReadOptions) -> Episode:
    """The episode as the options have it."""
    rewards = options.rewards or {}
    domain = episode.domain if options.domain is None else options.domain
    agent = episode.agent if options.agent is None else options.agent
    reward = rewards.get(episode.id, episode.reward)
    events = without_stop(episode.events) if options.strip_stop else episode.events
    return replace(episode, domain=domain, agent=agent, reward=reward, events=events)


def _strictly(episodes: Iterator[Episode], ledger: Ledger) -> Iterator[Episode]:
    """The episodes up to the first new problem, which is raised."""
    n_known = ledger.counts["problems"]

    def check() -> None:
        if ledger.counts["problems"] > n_known:
            first = ledger.problems[min(n_known, len(ledger.problems) - 1)]
            raise TraceError(first.path, first.cause, line=first.line)

    for episode in episodes:
        check()
        yield episode
    check()


def _unopened(cause: OSError) -> str:
    return f"cannot be read: {cause.strerror or cause}"
