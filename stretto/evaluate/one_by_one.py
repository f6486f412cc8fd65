"""An episode with its calls one at a time, as a flow behind each of them sees it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolResult,
)


def one_by_one(episode: Episode) -> Episode:
    """
    The episode with each call as a turn of its own and its result right behind it.

    A turn's text and what it cost stay with its first call. Results of calls that are
    in no turn are left out.
    """
    return replace(episode, events=tuple(_events(episode)))


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Episodes as `one_by_one` has them, as often as they are gone through."""

    episodes: Iterable[Episode]

    def __iter__(self) -> Iterator[Episode]:
        """Each episode in order."""
        return map(one_by_one, self.episodes)


def _events(episode: Episode) -> Iterator[Event]:
    results = episode.results()
    for event in episode.events:
        match event:
            case AssistantTurn(calls=(first, *others)):
                yield replace(event, calls=(first,))
                yield from _result(results, first.id)
                for call in others:
                    yield AssistantTurn(calls=(call,))
                    yield from _result(results, call.id)
            case ToolResult():
                continue
            case _:
                yield event


def _result(results: dict[str, ToolResult], call_id: str) -> Iterator[ToolResult]:
    if (result := results.get(call_id)) is not None:
        yield result
