"""Which writes a lookup's results feed: values of theirs that a write was given."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from stretto.canonical import Json, number
from stretto.episodes.episode import AssistantTurn, Episode, ToolResult
from stretto.episodes.manifest import Kind, Manifest
from stretto.flow.flow import Feed

MIN_LENGTH = 3
"""The shortest value that is traced, in characters: shorter ones stand everywhere."""


def count_feeds(
    episodes: Iterable[Episode], manifest: Manifest
) -> dict[str, dict[Feed, int]]:
    """In how many episodes each read supplied each argument of a write."""
    counts: dict[str, Counter[Feed]] = {}
    for episode in episodes:
        for read, feed in {*_fed(episode, manifest)}:
            counts.setdefault(read, Counter())[feed] += 1
    return {read: dict(sorted(counts[read].items())) for read in sorted(counts)}


def _fed(episode: Episode, manifest: Manifest) -> Iterator[tuple[str, Feed]]:
    reads = frozenset(manifest.reads)
    outputs: list[tuple[str, str]] = []
    """The tool and text of each result that is no error, in order."""
    for event in episode.events:
        match event:
            case ToolResult(error=False):
                outputs.append((event.tool, event.content.lower()))
            case AssistantTurn(calls=calls):
                for call in calls:
                    if manifest.kind(call.tool) is Kind.WRITE:
                        for argument, value in _values(call.arguments):
                            source = _source(value, outputs)
                            if source in reads:
                                yield source, Feed(call.tool, argument)


def _source(value: str, outputs: Sequence[tuple[str, str]]) -> str:
    """The tool of the latest output that holds a value; empty where none does."""
    return next((tool for tool, text in reversed(outputs) if value in text), "")


def _values(arguments: Json) -> Iterator[tuple[str, str]]:
    """Each argument's strings and numbers, at any depth, in lower case."""
    if isinstance(arguments, Mapping):
        for name, value in arguments.items():
            for leaf in _leaves(value):
                if len(leaf) >= MIN_LENGTH:
                    yield name, leaf


def _leaves(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for inside in value.values():
                yield from _leaves(inside)
        case list():
            for inside in value:
                yield from _leaves(inside)
        case str():
            yield value.lower()
        case bool() | None:
            pass
        case _:
            yield number(value)
