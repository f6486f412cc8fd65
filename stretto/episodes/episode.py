"""An episode: one recorded task, from greeting to end, as an ordered list of events."""

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call. `arguments` is normally an object, with its keys sorted on entry."""

    id: str
    tool: str
    arguments: Json

    @property
    def is_lookup(self) -> bool:
        """Whether a flow made it: its id is `stretto-…`, after any `SERVER::`."""
        return self.id.rpartition("::")[2].startswith("stretto-")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one LLM turn cost."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """In dollars."""


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said. Empty where they only acted."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """One LLM turn. Without calls it is a reply, and its text may be missing."""

    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call returned."""

    call_id: str
    tool: str
    error: bool
    content: str


Event: TypeAlias = UserMessage | AssistantTurn | ToolResult


class View(NamedTuple):
    """An episode as it stood when one call had just returned."""

    episode: "Episode"
    pending: tuple[ToolCall, ...]
    """The turn's calls that have no result yet: a flow must not repeat them."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One session, read. Call ids are unique within it."""

    id: str
    events: tuple[Event, ...]
    task: str = ""
    trial: int = 0
    domain: str = ""
    agent: str = "unknown"
    reward: float | None = None
    """Between 0 and 1; None where nobody graded the session."""
    expected: tuple[ToolCall, ...] | None = None
    """The calls its task expects, without ids; None where nobody says."""

    @property
    def succeeded(self) -> bool:
        """Whether the reward says so; an ungraded session did not."""
        return self.reward is not None and self.reward >= 1 - 1e-9

    @property
    def task_or_id(self) -> str:
        """The task; a session that names none is a task of its own."""
        return self.task or self.id

    @property
    def turns(self) -> tuple[AssistantTurn, ...]:
        """The LLM turns, in order."""
        return tuple(e for e in self.events if isinstance(e, AssistantTurn))

    def results(self) -> dict[str, ToolResult]:
        """The results by call id, wherever in the episode they stand."""
        return {e.call_id: e for e in self.events if isinstance(e, ToolResult)}

    def after(self, call_id: str) -> View:
        """
        The episode with that call as the last step of its turn.

        The turn keeps the calls that have a result, and then the named one. An
        unknown id leaves the episode as it is, with nothing pending.
        """
        returned = self.results()
        events = list(self.events)
        for index, event in enumerate(events):
            if not isinstance(event, AssistantTurn):
                continue
            named = [call for call in event.calls if call.id == call_id]
            if named:
                others = [call for call in event.calls if call.id != call_id]
                done = [call for call in others if call.id in returned]
                pending = [call for call in others if call.id not in returned]
                events[index] = replace(event, calls=(*done, *named))
                return View(replace(self, events=tuple(events)), tuple(pending))
        return View(self, ())
