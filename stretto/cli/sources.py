"""Sessions of several agents, each named by its file or on the command line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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


def _source(value: str) -> Source:
    label, equals, path = value.partition("=")
    if equals and label and not Path(value).exists():
        return Source(Path(path), label)
    return Source(Path(value))


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
    """How many trials of each task to take, the first ones; all where not given."""

    def corpus(self) -> Corpus:
        """All sessions; the first pass fills the ledger of `how`."""
        return Corpus(
            partial(self._read, self.how),
            partial(self._read, replace(self.how, ledger=Ledger())),
            partial(track, title="working"),
        )

    def target_agents(self) -> frozenset[str]:
        """
        The agents of the targets.

        Raises:
            StrettoError: one of them is also an agent to learn from.
        """
        unheard = replace(self.how, ledger=Ledger())
        targets = {e.agent for e in self._of(unheard, self.targets)}
        if not targets:
            return frozenset()
        both = targets & {e.agent for e in self._of(unheard, self.learned)}
        if both:
            raise StrettoError(
                f"{min(both)} is both learned from and a target",
                hint="give the target another name: `--target NAME=PATH`",
            )
        return frozenset(targets)

    def _read(self, how: Sessions) -> Iterator[Episode]:
        yield from self._of(how, (*self.learned, *self.targets))

    def _of(self, how: Sessions, sources: Sequence[Source]) -> Iterator[Episode]:
        for source in sources:
            agent = how.options.agent if source.agent is None else source.agent
            options = replace(how.options, agent=agent)
            of = replace(how, paths=(source.path,), options=options)
            yield from filter(self._takes, of.episodes())

    def _takes(self, episode: Episode) -> bool:
        if self.trials is not None and episode.trial >= self.trials:
            return False
        return self.domain in (None, episode.domain)
