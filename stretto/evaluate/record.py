"""A recorded episode as an environment: what a call would have returned in it."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from stretto.episodes.episode import AssistantTurn, Episode, ToolResult
from stretto.episodes.manifest import Kind, Manifest
from stretto.evaluate.environment import Answer, Wanted
from stretto.evaluate.made import Key, Recorded
from stretto.evaluate.rules import CURRENT, Rule

NOTHING = "{}"
"""What a stand-in returns for a tool that never returned anything in the record."""


@dataclass(frozen=True)
class Record:
    """An episode's calls in order, with their results."""

    calls: tuple[Recorded, ...]
    rule: Rule = CURRENT
    """Which calls are the same, and what a write leaves as it was."""

    @classmethod
    def of(cls, episode: Episode, manifest: Manifest, rule: Rule = CURRENT) -> "Record":
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
                    rule.key(call.tool, call.arguments),
                    call,
                    results.get(call.id),
                    manifest.kind(call.tool) is Kind.WRITE,
                )
                for position, call in enumerate(calls)
            ),
            rule,
        )

    @cached_property
    def tools(self) -> Collection[str]:
        """The tools of the record's calls."""
        return frozenset(recorded.call.tool for recorded in self.calls)

    @cached_property
    def last(self) -> dict[Key, int]:
        """The position of the last call with each key."""
        return {recorded.key: recorded.position for recorded in self.calls}

    def has(self, tool: str) -> bool:
        """Whether the record has a call of the tool."""
        return tool in self.tools

    def execute(self, recorded: Recorded) -> ToolResult | None:
        """The call's recorded result."""
        return recorded.result

    def look_up(self, wanted: Wanted) -> Answer:
        """As `answer`."""
        return self.answer(wanted.key, wanted.after)

    def answer(self, wanted: Key, after: int) -> Answer:
        """
        What a lookup made after the call at position `after` returns.

        The agent's own later call with that key, before its next write, gives its
        result; by the rule, before the next write that touches it. Otherwise the
        nearest earlier result of the tool stands in, else the nearest later one;
        failed results never do.
        """
        writes: list[Recorded] = []
        for recorded in self.calls[after + 1 :]:
            result = recorded.result
            if recorded.key == wanted and result is not None:
                if any(self.rule.touches(w, wanted, result.content) for w in writes):
                    break
                return Answer(result.content, result.error, True)
            if recorded.is_write:
                if not self.rule.by_record:
                    break
                writes.append(recorded)
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
