"""A recorded episode as an environment: what a call would have returned in it."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, ToolResult
from stretto.episodes.manifest import Kind, Manifest

NOTHING = "{}"
"""What a stand-in returns for a tool that never returned anything in the record."""


class Key(NamedTuple):
    """A call as replays compare them: its tool, and its arguments as JSON text."""

    tool: str
    arguments: str


def key(tool: str, arguments: Json) -> Key:
    """The key of a call."""
    return Key(tool, compact(arguments))


class Answer(NamedTuple):
    """What the record gives a lookup."""

    content: str
    error: bool
    exact: bool
    """Whether it is the agent's own later result, and not a stand-in for one."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One of the agent's calls in the record."""

    position: int
    """In call order, from 0."""
    key: Key
    call: ToolCall
    result: ToolResult | None
    is_write: bool


@dataclass(frozen=True)
class Record:
    """An episode's calls in order, with their results."""

    calls: tuple[Recorded, ...]

    @classmethod
    def of(cls, episode: Episode, manifest: Manifest) -> "Record":
        """The record of an episode whose tools are `manifest`'s."""
        results = episode.results()
        calls = (
            call
            for event in episode.events
            if isinstance(event, AssistantTurn)
            for call in event.calls
        )
        return cls(
            tuple(
                Recorded(
                    position,
                    key(call.tool, call.arguments),
                    call,
                    results.get(call.id),
                    manifest.kind(call.tool) is Kind.WRITE,
                )
                for position, call in enumerate(calls)
            )
        )

    @cached_property
    def tools(self) -> Collection[str]:
        """The tools of the record's calls."""
        return frozenset(recorded.call.tool for recorded in self.calls)

    @cached_property
    def last(self) -> dict[Key, int]:
        """The position of the last call with each key."""
        return {recorded.key: recorded.position for recorded in self.calls}

    def answer(self, wanted: Key, after: int) -> Answer:
        """
        What a lookup made after the call at position `after` returns.

        The agent's own later call with that key, before its next write, gives its
        result. Otherwise the nearest earlier result of the tool stands in, else the
        nearest later one; failed results never do.
        """
        for recorded in self.calls[after + 1 :]:
            if recorded.key == wanted and recorded.result is not None:
                return Answer(recorded.result.content, recorded.result.error, True)
            if recorded.is_write:
                break
        return Answer(self._stand_in(wanted.tool, after), False, False)

    @cached_property
    def _good(self) -> dict[str, list[tuple[int, str]]]:
        good: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for recorded in self.calls:
            if recorded.result is not None and not recorded.result.error:
                good[recorded.call.tool].append(
                    (recorded.position, recorded.result.content)
                )
        return good

    def _stand_in(self, tool: str, after: int) -> str:
        good = self._good.get(tool, ())
        earlier = [content for position, content in good if position <= after]
        if earlier:
            return earlier[-1]
        return good[0][1] if good else NOTHING
