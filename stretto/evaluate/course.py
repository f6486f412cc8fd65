"""A recorded episode as a replay goes through it: message by message, call by call."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stretto.episodes.episode import AssistantTurn, Episode, UserMessage
from stretto.episodes.manifest import Manifest
from stretto.evaluate.made import Recorded
from stretto.evaluate.record import Record
from stretto.evaluate.rules import CURRENT, Rule
from stretto.evaluate.spent import NOTHING, Spent, saved


class Call(NamedTuple):
    """One of the agent's calls, and where it stands in its turn."""

    recorded: Recorded
    first: bool
    last: bool
    spared: Spent = NOTHING
    """Of a turn's last call: what is spared where the turn is saved."""


Stop: TypeAlias = UserMessage | AssistantTurn | Call
"""A message of either side, or a call."""


class Trail:
    """Numbers for what a flow was told so far: the same number, the same story."""

    def __init__(self) -> None:
        self._after: dict[tuple[int, object], int] = {}

    def after(self, story: int, told: object) -> int:
        """The story that goes on from another one; 0 is the empty one."""
        return self._after.setdefault((story, told), len(self._after) + 1)


class Size(NamedTuple):
    """What of an episode is the same however it is replayed."""

    task: str
    turns: int
    """LLM turns; a first message without calls is a greeting and not one."""
    tool_turns: int
    calls: int


@dataclass(frozen=True, slots=True)
class Course:
    """An episode's stops in order, and its record."""

    size: Size
    record: Record
    stops: tuple[Stop, ...]
    trail: Trail = field(default_factory=Trail, compare=False, repr=False)

    @classmethod
    def of(cls, episode: Episode, manifest: Manifest, rule: Rule = CURRENT) -> "Course":
        """The course of an episode whose tools are `manifest`'s."""
        record = Record.of(episode, manifest, rule)
        turns = episode.turns
        size = Size(
            task=episode.task_or_id,
            turns=len(turns) - _is_greeted(episode),
            tool_turns=sum(bool(turn.calls) for turn in turns),
            calls=len(record.calls),
        )
        return cls(size, record, tuple(_stops(episode, record)))

    @property
    def calls(self) -> Iterator[Call]:
        """The stops that are calls."""
        return (stop for stop in self.stops if isinstance(stop, Call))


def _is_greeted(episode: Episode) -> bool:
    match episode.events:
        case (AssistantTurn(calls=()), *_):
            return True
        case _:
            return False


def _stops(episode: Episode, record: Record) -> Iterator[Stop]:
    calls = iter(record.calls)
    for event in episode.events:
        match event:
            case AssistantTurn(calls=(_, *_) as made) as turn:
                last, spared = len(made) - 1, saved(turn)
                for place in range(last):
                    yield Call(next(calls), place == 0, False)
                yield Call(next(calls), last == 0, True, spared)
            case AssistantTurn() | UserMessage():
                yield event
