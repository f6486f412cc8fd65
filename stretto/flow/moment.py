"""What a flow decides on: an episode up to the call that just returned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from stretto.binding.seen import Seen
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, Step
from stretto.episodes.vocabulary import symbol
from stretto.flow.flow import Flow
from stretto.flow.surprise import step_score
from stretto.habit.encode import symbol_of
from stretto.oracle.state import Slice


@dataclass(frozen=True, slots=True)
class Moment:
    """The history, the last call and what has been seen, when a flow is asked."""

    site: Site | None
    """The call that just returned; None when the last step was a message."""
    history: Sequence[int]
    """The symbols of the steps so far."""
    seen: Seen
    """In a served session, only what a lookup of the flow's may be bound to."""
    pending: tuple[ToolCall, ...] = ()
    """Calls sent and not yet answered, which a lookup must not repeat."""
    surprise: Sequence[float] = ()
    """The agent's steps scored for the surprise gate; empty for a flow without one."""
    state: Slice | None = None
    """What a System-One model would be shown; kept for a decider that asks one."""
    task: str = ""
    """The episode's task, which says which fold judges it."""


@dataclass(slots=True)
class Transcript:
    """
    An episode as a flow sees it, kept up to date event by event.

    Its history is the walk of `steps` over the same events, at every prefix.
    """

    flow: Flow
    history: list[int] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    surprise: list[float] = field(default_factory=list)
    state: Slice | None = None
    """The `state` of the decider that is to decide, kept up to date too."""
    task: str = ""
    _calls: dict[str, tuple[int, ToolCall]] = field(default_factory=dict)
    """Each call's place in the history, for its result to settle."""
    _last: Step | None = None
    _waiting: bool = False
    """Whether the last step is a message the user has not answered."""
    _returned: bool = False
    """Whether the last event is a result: a point where a flow may decide."""

    @classmethod
    def of(
        cls,
        flow: Flow,
        events: Iterable[Event],
        *,
        state: Slice | None = None,
        task: str = "",
    ) -> "Transcript":
        """The transcript of `events`."""
        transcript = cls(flow, state=state, task=task)
        for event in events:
            transcript.add(event)
        return transcript

    def copy(self) -> "Transcript":
        """The same episode so far; a copy goes its own way."""
        return replace(
            self,
            history=self.history.copy(),
            seen=self.seen.copy(),
            surprise=self.surprise.copy(),
            state=None if self.state is None else self.state.copy(),
            _calls=self._calls.copy(),
        )

    def add(self, event: Event, *, scored: bool = True) -> None:
        """
        Add what happened next.

        Args:
            scored: Whether the surprise gate counts it: not for a turn's calls after
                its first, where they are added one by one. It never counts lookups.
        """
        if scored and self._returned and not isinstance(event, ToolResult):
            self._score(event)
        if scored or isinstance(event, ToolResult):
            self._returned = isinstance(event, ToolResult)
        self.seen.add(event)
        if self.state is not None:
            self.state.add(event)
        match event:
            case ToolResult():
                self._settle(event)
            case UserMessage():
                if self._waiting:
                    self.history[-1] = symbol(0, Outcome.REPLY)
                    self._waiting = False
            case AssistantTurn(calls=()):
                self._last, self._waiting = None, True
                self.history.append(symbol(0, Outcome.END))
            case AssistantTurn(calls=calls):
                self._waiting = False
                for call in calls:
                    self._calls[call.id] = len(self.history), call
                    self._last = Step(call.tool, Outcome.ERROR, 0, call)
                    self.history.append(self._symbol(self._last))

    @property
    def has_returned(self) -> bool:
        """Whether the surprise gate scores what comes next: a result came last."""
        return self._returned

    def moment(self, pending: tuple[ToolCall, ...] = ()) -> Moment:
        """The moment as it stands; it does not outlive the next addition."""
        return Moment(
            self._site(),
            self.history,
            self.seen,
            pending,
            self.surprise,
            self.state,
            self.task,
        )

    def _settle(self, result: ToolResult) -> None:
        if (found := self._calls.get(result.call_id)) is None:
            return
        index, call = found
        outcome = Outcome.ERROR if result.error else Outcome.OK
        step = Step(call.tool, outcome, 0, call, result)
        self.history[index] = self._symbol(step)
        if index == len(self.history) - 1:
            self._last = step

    def _symbol(self, step: Step) -> int:
        return symbol_of(step, self.flow.vocab, self.flow.map)

    def _site(self) -> Site | None:
        if self._last is None or self._last.tool is None:
            return None
        return Site(self._last.tool, self._last.outcome is Outcome.ERROR)

    def _score(self, event: Event) -> None:
        site = self._site()
        if self.flow.surprise is None or site is None:
            return
        calls = event.calls if isinstance(event, AssistantTurn) else ()
        if calls and calls[0].is_lookup:
            return
        tool = calls[0].tool if calls else None
        self.surprise.append(step_score(self.flow, site, self.history, tool))
