"""An episode in sums that costs are figured from: tokens, characters and turns left."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.episodes.site import Site
from stretto.evaluate.ceiling import LlmTurn, calls_json
from stretto.evaluate.detours import Detour


class Sum(StrEnum):
    """What is added up."""

    ADDED = "added"
    """Characters that came between two prompts, the later of them longer."""
    GROWN = "grown"
    """Tokens by which it was longer."""
    CEILING = "ceiling"
    """Ceiling turns that recorded their prompt, by site."""
    PROMPT = "prompt"
    """Their prompt tokens."""
    OUTPUT = "output"
    """Their completion tokens."""
    CALLS_ONCE = "calls once"
    """The characters of their calls, where a turn came after."""
    CALLS_AGAIN = "calls again"
    """The same, times the turns that came after the next one."""
    RESULTS = "results"
    """A tool's results."""
    RESULT = "result"
    """Their characters."""
    PASSED = "passed"
    """Calls, by the site they came to."""
    LEFT_ONCE = "left once"
    """Those of them that an LLM turn came after."""
    LEFT_AGAIN = "left again"
    """The LLM turns after the next one."""
    DETOURS = "detours"
    """By site and tool."""


class Column(NamedTuple):
    """One sum, of one agent."""

    agent: str
    what: Sum
    site: str = ""
    tool: str = ""


Sums = Mapping[Column, float]
"""An episode's sums; those that are left out are 0."""


def outlay(
    episode: Episode, turns: Sequence[LlmTurn], detours: Mapping[Detour, int]
) -> Sums:
    """
    An episode's sums.

    Args:
        turns: Its LLM turns.
        detours: How often each comes up when the episode is replayed.
    """
    sums: defaultdict[Column, float] = defaultdict(float)

    def add(what: Sum, n: float, site: str = "", tool: str = "") -> None:
        sums[Column(episode.agent, what, site, tool)] += n

    for added, grown in growth(episode):
        add(Sum.ADDED, added)
        add(Sum.GROWN, grown)
    for turn in turns:
        if turn.speculable() and turn.usage is not None and turn.usage.prompt_tokens:
            for what, n in _spent(turn, turn.usage):
                add(what, n, str(turn.site))
    for event in episode.events:
        if isinstance(event, ToolResult):
            add(Sum.RESULTS, 1, tool=event.tool)
            add(Sum.RESULT, len(event.content), tool=event.tool)
    for site, left in _passed(episode):
        add(Sum.PASSED, 1, str(site))
        add(Sum.LEFT_ONCE, min(left, 1), str(site))
        add(Sum.LEFT_AGAIN, max(left - 1, 0), str(site))
    for (where, tool), n in detours.items():
        add(Sum.DETOURS, n, where, tool)
    return sums


def _spent(turn: LlmTurn, usage: Usage) -> Sequence[tuple[Sum, float]]:
    """What a ceiling turn adds to its site."""
    return (
        (Sum.CEILING, 1),
        (Sum.PROMPT, usage.prompt_tokens),
        (Sum.OUTPUT, usage.completion_tokens),
        (Sum.CALLS_ONCE, turn.characters * min(turn.left, 1)),
        (Sum.CALLS_AGAIN, turn.characters * max(turn.left - 1, 0)),
    )


def growth(episode: Episode) -> Iterator[tuple[int, int]]:
    """
    Characters added and tokens grown by, for turns in a row that recorded prompts.

    The agent's own message is among what was added: its calls as JSON, and its text.
    """
    before, characters = 0, 0
    for event in episode.events:
        match event:
            case UserMessage(text=said) | ToolResult(content=said):
                characters += len(said)
            case AssistantTurn(text=text, calls=calls, usage=usage):
                prompt = 0 if usage is None else usage.prompt_tokens
                if before and prompt > before:
                    yield characters, prompt - before
                characters = len(text or "") + (len(calls_json(calls)) if calls else 0)
                before = prompt


def _passed(episode: Episode) -> Iterator[tuple[Site, int]]:
    """The site that each call came to, and the LLM turns after its own."""
    results = episode.results()
    left = len(episode.turns)
    for turn in episode.turns:
        left -= 1
        for call in turn.calls:
            result = results.get(call.id)
            yield Site(call.tool, result is None or result.error), left
