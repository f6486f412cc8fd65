"""An episode as a walk: one step per call, and one per message without calls."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)


class Outcome(IntEnum):
    """How a step ended. The values are the flow file's."""

    OK = 0
    ERROR = 1
    REPLY = 2
    """A message the user answered."""
    END = 3
    """A message that ended the episode."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the walk."""

    tool: str | None
    """The tool called; None for a message."""
    outcome: Outcome
    turn: int
    """The index of the step's LLM turn, counted from 0."""
    call: ToolCall | None = None
    result: ToolResult | None = None


def steps(events: Iterable[Event]) -> list[Step]:
    """
    The walk over `events`.

    A call without a result counts as failed. A message is answered when a user
    message comes before the next turn with calls; of several in a row only the last
    can be.
    """
    events = list(events)
    results = {e.call_id: e for e in events if isinstance(e, ToolResult)}
    walk: list[Step] = []
    turn = -1
    waiting: int | None = None
    for event in events:
        match event:
            case AssistantTurn(calls=()):
                turn += 1
                waiting = len(walk)
                walk.append(Step(None, Outcome.END, turn))
            case AssistantTurn(calls=calls):
                turn += 1
                waiting = None
                for call in calls:
                    result = results.get(call.id)
                    failed = result is None or result.error
                    outcome = Outcome.ERROR if failed else Outcome.OK
                    walk.append(Step(call.tool, outcome, turn, call, result))
            case UserMessage():
                if waiting is not None:
                    walk[waiting] = Step(None, Outcome.REPLY, walk[waiting].turn)
                    waiting = None
    return walk
