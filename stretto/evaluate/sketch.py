"""An episode reduced to what the measures count: numbers and names, and no text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.vocabulary import Vocabulary
from stretto.evaluate.confirmation import Heard, heard
from stretto.evaluate.provenance import Origin, Traced, traced
from stretto.evaluate.runs import Run, runs
from stretto.habit.encode import Encoded, encode
from stretto.habit.features import NO_FEATURES


class Side(StrEnum):
    """What a task is for."""

    TRAIN = "train"
    TEST = "test"
    NEITHER = "neither"


class Source(NamedTuple):
    """Where one value of a call comes from."""

    argument: str
    origin: Origin
    whole_origin: Origin
    """The same, where only whole words count."""


class Call(NamedTuple):
    """One call."""

    tool: str
    kind: Kind
    sources: tuple[Source, ...]
    heard: Heard
    """What the user's last message before it held."""


class Text(NamedTuple):
    """How long texts are, to tell what they cost."""

    reads: int
    """Results of reads, failed ones included."""
    read_bytes: int
    """Their length in UTF-8."""
    good_reads: int
    """Those that did not fail."""
    good_read_characters: int
    added: tuple[tuple[int, int], ...]
    """
    Characters and prompt tokens that came between two turns: what the user said and
    what tools returned.
    """


@dataclass(frozen=True, slots=True)
class Sketch:
    """One episode. Steps and turns are numbered from 0."""

    agent: str
    task: str
    side: Side
    is_target: bool
    """Whether its agent is one that nothing is learned from."""
    on_trust: bool
    """Whether nobody graded it; it then counts as successful."""
    succeeded: bool
    encoded: Encoded
    calls: tuple[Call | None, ...]
    """By step; None for a message."""
    step_turns: tuple[int, ...]
    """The turn of each step."""
    runs: tuple[Run, ...]
    usage: tuple[Usage | None, ...]
    """By turn."""
    tool_turns: int
    parallel_turns: int
    """Turns with two calls or more."""
    text: Text

    @property
    def turns(self) -> int:
        """The LLM turns."""
        return len(self.usage)

    @property
    def teaches(self) -> bool:
        """Whether a habit of its agent is learned from it."""
        return self.side is Side.TRAIN and self.succeeded

    @property
    def intent(self) -> str:
        """The writes it goes on to make: their tools, sorted and joined."""
        return "+".join(
            sorted({c.tool for c in self.calls if c and c.kind is Kind.WRITE})
        )


def sketch(
    episode: Episode,
    manifest: Manifest,
    vocab: Vocabulary,
    found: Sequence[tuple[Traced, ...]],
    *,
    side: Side,
    is_target: bool = False,
) -> Sketch:
    """
    The episode, reduced.

    Args:
        found: What `trace_calls` gave for it.
    """
    turns = episode.turns
    trusted = episode.reward is None and bool(episode.events)
    return Sketch(
        agent=episode.agent,
        task=episode.task_or_id,
        side=side,
        is_target=is_target,
        on_trust=trusted,
        succeeded=trusted or episode.succeeded,
        encoded=encode(episode, vocab, NO_FEATURES),
        calls=tuple(_calls(episode, manifest, found)),
        step_turns=tuple(
            [at for at, turn in enumerate(turns) for _ in turn.calls or (None,)]
        ),
        runs=tuple(runs(episode.events)),
        usage=tuple([turn.usage for turn in turns]),
        tool_turns=sum(bool(turn.calls) for turn in turns),
        parallel_turns=sum(len(turn.calls) > 1 for turn in turns),
        text=_text(episode, manifest),
    )


def by_agent(sketches: Iterable[Sketch]) -> dict[str, list[Sketch]]:
    """The agents learned from, then the others, each by name, with its sketches."""
    groups: defaultdict[tuple[bool, str], list[Sketch]] = defaultdict(list)
    for each in sketches:
        groups[each.is_target, each.agent].append(each)
    return {agent: of for (_, agent), of in sorted(groups.items(), key=_name)}


def _name(group: tuple[tuple[bool, str], list[Sketch]]) -> tuple[bool, str]:
    return group[0]


def trace_calls(episode: Episode) -> list[tuple[Traced, ...]]:
    """Where the values of each call come from; as `traced`, in order."""
    return [found for _, found in traced(episode.events)]


def _calls(
    episode: Episode, manifest: Manifest, found: Sequence[tuple[Traced, ...]]
) -> Iterator[Call | None]:
    """Step by step."""
    each = zip(heard(episode.events), found, strict=True)
    for turn in episode.turns:
        if not turn.calls:
            yield None
        for _, ((call, words), leaves) in zip(turn.calls, each, strict=False):
            sources = tuple([_source(leaf) for leaf in leaves])
            yield Call(call.tool, manifest.kind(call.tool), sources, words)


def _source(found: Traced) -> Source:
    return Source(found.leaf.argument, found.origin, found.whole_origin)


def _text(episode: Episode, manifest: Manifest) -> Text:
    reads = [
        event
        for event in episode.events
        if isinstance(event, ToolResult) and manifest.kind(event.tool) is Kind.READ
    ]
    good = [len(event.content) for event in reads if not event.error]
    return Text(
        len(reads),
        sum(len(event.content.encode(errors="surrogatepass")) for event in reads),
        len(good),
        sum(good),
        tuple(_added(episode)),
    )


def _added(episode: Episode) -> list[tuple[int, int]]:
    """What came between two turns that both recorded their usage."""
    found: list[tuple[int, int]] = []
    before: Usage | None = None
    characters = 0
    for event in episode.events:
        match event:
            case UserMessage(text=text) | ToolResult(content=text):
                characters += len(text)
            case AssistantTurn(usage=after):
                if before is not None and after is not None:
                    grown = after.prompt_tokens - before.prompt_tokens
                    found.append((characters, grown - before.completion_tokens))
                before, characters = after, 0
    return found
