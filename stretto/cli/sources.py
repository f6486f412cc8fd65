"""Sessions of several agents, each named by its file or on the command line."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click

from stretto.cli.options import Sessions
from stretto.cli.progress import track
from stretto.episodes.episode import Episode
from stretto.errors import StrettoError
from stretto.learn.corpus import Corpus
from stretto.traces.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder of sessions, and whose they are where it does not say so."""

    path: Path
    agent: str | None = None


def as_sources(
    _: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[Source, ...]:
    """
    Each `PATH`, or `NAME=PATH` for the sessions of an agent of that name.

    Raises:
        BadParameter: a path does not exist.
    """
    sources = tuple(map(_source, values))
    for source in sources:
        if not source.path.exists():
            raise click.BadParameter(f"{source.path} does not exist.", param=param)
    return sources


given_sources = click.argument(
    "given", nargs=-1, callback=as_sources, metavar="[[NAME=]PATH]..."
)

more_sources = click.option(
    "--sessions", "--results", "named", multiple=True, callback=as_sources,
    metavar="[NAME=]PATH", help="More sessions, as PATH is; may be repeated.",
)  # fmt: skip


def _source(value: str) -> Source:
    label, equals, path = value.partition("=")
    if equals and label and not Path(value).exists():
        return Source(Path(path), label)
    return Source(Path(value))


@dataclass(frozen=True, slots=True)
class _Agents:
    """Whose sessions have been read."""

    learned: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Sources:
    """Sessions to learn from and to measure, and those to measure alone."""

    how: Sessions
    """How to read them."""
    learned: Sequence[Source]
    targets: Sequence[Source] = ()
    domain: str | None = None
    """The only domain to take sessions of, where it is given."""
    trials: int | None = None
    """
    How many trials of each task to take of an agent, the first ones by their numbers,
    whatever these start at; all where not given.
    """
    _agents: _Agents = field(default_factory=_Agents, init=False)

    def corpus(self) -> Corpus:
        """All sessions; the first pass fills the ledger of `how`."""
        return Corpus(
            partial(self._read, self.how),
            partial(self._read, replace(self.how, ledger=Ledger())),
            partial(track, title="working"),
        )

    def target_agents(self) -> frozenset[str]:
        """
        The agents of the targets, once the corpus has been gone through.

        Raises:
            StrettoError: one of them is also an agent to learn from.
        """
        if both := self._agents.targets & self._agents.learned:
            raise StrettoError(
                f"{min(both)} is both learned from and a target",
                hint="give the target another name: `--target NAME=PATH`",
            )
        return frozenset(self._agents.targets)

    def _read(self, how: Sessions) -> Iterator[Episode]:
        for sources, agents in (
            (self.learned, self._agents.learned),
            (self.targets, self._agents.targets),
        ):
            for episode in self._of(how, sources):
                agents.add(episode.agent)
                yield episode

    def _of(self, how: Sessions, sources: Sequence[Source]) -> Iterator[Episode]:
        found = _sessions_of(how, sources)
        if self.trials is not None:
            unheard = replace(how, ledger=Ledger())
            last = _last_trials(_sessions_of(unheard, sources), self.trials)
            found = (e for e in found if e.trial <= last[e.agent, e.task_or_id])
        return (e for e in found if self.domain in (None, e.domain))


def _sessions_of(how: Sessions, sources: Sequence[Source]) -> Iterator[Episode]:
    for source in sources:
        agent = how.options.agent if source.agent is None else source.agent
        options = replace(how.options, agent=agent)
        yield from replace(how, paths=(source.path,), options=options).episodes()


def _last_trials(episodes: Iterable[Episode], n: int) -> dict[tuple[str, str], int]:
    """By agent and task, the number of the last of its first `n` trials."""
    trials: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for episode in episodes:
        trials[episode.agent, episode.task_or_id].add(episode.trial)
    return {key: sorted(found)[:n][-1] for key, found in trials.items()}
