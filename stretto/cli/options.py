"""The options that several commands share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import TypeAlias

import click

from stretto.cli.progress import track
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.files import read_json
from stretto.learn.corpus import Corpus
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions, read

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions a command was given, and how to read them."""

    paths: tuple[Path, ...]
    reader: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    given: Manifest | None = None
    """The manifest of `--manifest`."""
    ledger: Ledger = field(default_factory=Ledger)
    """What reading brought to light, once it is over."""

    def episodes(self) -> Iterator[Episode]:
        """
        The episodes, one at a time, with progress shown on a terminal.

        Raises:
            TraceError: nothing can be read at all, or, with `--strict`, not everything.
            UnknownPlugin: there is no reader of the name given.
        """
        episodes = read(
            self.paths, reader=self.reader, options=self.options, ledger=self.ledger
        )
        return track(episodes, "reading sessions")

    def corpus(self, title: str = "learning") -> Corpus:
        """
        The episodes, to be gone through again; the first time fills the ledger.

        Args:
            title: What they are gone through again for.
        """
        return Corpus(self.episodes, self._again, partial(track, title=title))

    def _again(self) -> Iterator[Episode]:
        options = replace(self.options, strict=False)
        return read(self.paths, reader=self.reader, options=options, ledger=Ledger())

    def manifest(self) -> Manifest:
        """
        What the sessions say about their tools, and `--manifest` laid over it.

        Its domain is that of `--domain`, else the manifest's, else the sessions'.
        """
        found = self.ledger.manifest
        if self.given is not None:
            merged = found.merged(self.given)
            found = replace(merged, domain=self.given.domain or found.domain)
        return replace(found, domain=self.options.domain or found.domain)


def sessions(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command take paths and how to read them, as one `sessions`."""
    return _taking(command, (_PATHS, *_READING, _MORE))


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command take how to read sessions whose paths it takes by itself."""
    return _taking(command, (*_READING, *_LABELLING))


def labelled_sessions(command: Callable[..., None]) -> Callable[..., None]:
    """As `sessions`, with the options that say what the files do not."""
    return _taking(command, (_PATHS, *_READING, *_LABELLING, _MORE))


def _taking(
    command: Callable[..., None], options: Sequence[Decorator]
) -> Callable[..., None]:
    @wraps(command)
    def wrapped(
        reader: str | None,
        recursive: bool,
        strict: bool,
        strip_stop: bool,
        paths: tuple[Path, ...] | None = None,
        more: tuple[Path, ...] = (),
        rewards: Path | None = None,
        manifest: Path | None = None,
        domain: str | None = None,
        agent: str | None = None,
        reward_field: str | None = None,
        **others: object,
    ) -> None:
        chosen = ReadOptions(
            domain=domain,
            agent=agent,
            reward_field=reward_field,
            rewards=None if rewards is None else read_rewards(rewards),
            strict=strict,
            recursive=recursive,
            strip_stop=strip_stop,
        )
        given = None if manifest is None else read_manifest(manifest)
        found = (*(paths or ()), *more)
        if paths is not None and not found:
            raise click.UsageError("name session files, or folders of them: PATHS...")
        command(sessions=Sessions(found, reader, chosen, given), **others)

    decorated: Callable[..., None] = wrapped
    for decorate in reversed(options):
        decorated = decorate(decorated)
    return decorated


as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)


def read_rewards(path: Path) -> Mapping[str, float]:
    """
    A rewards file, `{session id: reward between 0 and 1}`.

    Raises:
        FormatError: it does not have that shape.
    """
    return {session: node.number(0, 1) for session, node in read_json(path).items()}


_FILE = click.Path(path_type=Path)

_PATHS: Decorator = click.argument(
    "paths",
    metavar="PATHS...",
    nargs=-1,
    type=click.Path(exists=True, path_type=Path),
)

_MORE: Decorator = click.option(
    "--sessions",
    "--results",
    "--otel",
    "more",
    metavar="PATH",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="More sessions, as PATHS are; may be repeated.",
)

_READING: Sequence[Decorator] = (
    click.option(
        "--reader",
        metavar="NAME",
        help="The files' format: atif, claude-code, medagentbench, openai-chat, otel, "
        "sessions, tau1, tau2, or another that is installed; found by looking if left "
        "out.",
    ),
    click.option(
        "--recursive", is_flag=True, help="Look into the folders of a folder too."
    ),
    click.option(
        "--strict", is_flag=True, help="Stop at the first thing that cannot be read."
    ),
    click.option(
        "--strip-stop",
        is_flag=True,
        help="Take a simulated user's stop tokens, such as ###STOP###, out of what "
        "users say.",
    ),
)

_LABELLING: Sequence[Decorator] = (
    click.option(
        "--domain", metavar="NAME", help="The domain, whatever the files say it is."
    ),
    click.option(
        "--agent", metavar="NAME", help="The agent, whatever the files say it is."
    ),
    click.option(
        "--reward-field",
        metavar="NAME",
        help="The field beside a chat's messages that holds its reward.",
    ),
    click.option(
        "--rewards",
        metavar="FILE",
        type=_FILE,
        help="JSON, {session id: reward from 0 to 1}, of which only 1 is success; goes "
        "before what the files say.",
    ),
    click.option(
        "--manifest",
        metavar="FILE",
        type=_FILE,
        help="JSON, {domain: name, tools: {tool: read, write or generic}}; goes before "
        "what the files say.",
    ),
)
