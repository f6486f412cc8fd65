"""
An episode as a flow sees it behind each call that returns, kept up to date as it goes.

A turn may still grow when a flow is asked. It is shown the turn as `Episode.after`
does: the calls that have returned, the latest of them last; the others are pending.
Nothing is read twice, so a decision late in a session costs what an early one does.
"""

from bisect import bisect

from stretto.binding.scope import Scope
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
from stretto.flow.moment import Moment
from stretto.flow.options import every_option
from stretto.flow.surprise import step_score
from stretto.habit.encode import symbol_of
from stretto.oracle.state import Slice
from stretto.proxy.scores import Scores
from stretto.proxy.underway import Late, Point, Turn


class Unfolding:
    """One session's episode, from its first event on."""

    def __init__(
        self,
        flow: Flow,
        *,
        state: Slice | None = None,
        task: str = "",
        keeps: bool = True,
    ) -> None:
        """
        An episode in which nothing has happened.

        Args:
            state: The decider's, to be kept up to date too.
            task: What the episode is about.
            keeps: Whether events are kept that no moment needs, and what no lookup of
                the flow's may be bound to.
        """
        self.settled: list[Event] = []
        """The events before the turn under way, if kept; they will not change."""
        self.age = 0
        """How much has happened: more with everything that does."""
        self._flow, self._task, self._keeps = flow, task, keeps
        self._settled_state = state
        """The state after the settled events."""
        self._needs_events = keeps or state is not None
        self._history: list[int] = []
        self._symbols: dict[int, int] = {}
        """Each number in the history, so that equal ones are one object."""
        scope = None if keeps else Scope.of(flow.bindings, every_option(flow))
        self._seen = Seen(scope)
        self._turn = Turn()
        self._late: dict[str, Late] = {}
        self._is_waiting = False
        """Whether the last step is a message the user has not answered."""
        self._has_returned = False
        """Whether the last event is a result, so that what follows is scored."""
        gate = flow.surprise
        self._scores = None if gate is None else Scores(gate.window)

    def called(self, call: ToolCall, *, joins: bool) -> None:
        """The agent, or a flow, made a call; a new turn unless it joins the old one."""
        self.age += 1
        if not joins:
            self._begin_turn()
        turn = self._turn
        place = turn.pending[call.id] = len(turn.tools)
        turn.calls[place] = call
        turn.tools.append(call.tool)
        if call.is_lookup:
            turn.lookups.add(place)
        turn.symbols.append(self._symbol(call))
        turn.failed.append(True)

    def returned(self, result: ToolResult) -> None:
        """A call returned."""
        self.age += 1
        self._happened(result)
        if (place := self._turn.pending.pop(result.call_id, None)) is not None:
            self._show(place, result)
        elif (late := self._late.pop(result.call_id, None)) is not None:
            self._history[late.step] = self._symbol(late.call, result)
        self._seen.add(result)
        if place is not None:
            self._seen.show_last(newest=True)
        self._has_returned = True

    def said(self, message: UserMessage | AssistantTurn) -> None:
        """Somebody said something."""
        self.age += 1
        self._score_message()
        self._has_returned = False
        self._happened(message)
        self._seen.add(message)
        if isinstance(message, AssistantTurn):
            self._turn.n_replies += 1
            self._history.append(symbol(0, Outcome.END))
            self._is_waiting = True
        elif self._is_waiting:
            self._history[-1] = symbol(0, Outcome.REPLY)
            self._is_waiting = False

    def moment(self) -> Moment:
        """The moment behind the call that returned last; gone with what comes next."""
        pending = tuple(self._turn.calls[p] for p in self._turn.pending.values())
        scores = self._surprise()
        return Moment(
            self.site,
            self._history,
            self._seen,
            pending,
            scores,
            self._state(),
            self._task,
        )

    @property
    def site(self) -> Site | None:
        """The call that returned last; None where a message followed the turn."""
        turn = self._turn
        if turn.n_replies or not turn.shown:
            return None
        place = turn.shown[-1]
        return Site(turn.tools[place], turn.failed[place])

    def shown(self) -> list[Event]:
        """
        The turn under way as a flow is shown it, and what has happened since.

        Only of an episode that keeps its events, or a state.
        """
        turn = self._turn
        calls = tuple(turn.calls[place] for place in turn.shown)
        return [*([AssistantTurn(calls=calls)] if calls else []), *turn.since]

    def _happened(self, event: Event) -> None:
        if self._needs_events:
            self._turn.since.append(event)

    def _begin_turn(self) -> None:
        point = self._point()
        self._settle()
        n_before = self._turn.n_before + len(self._turn.tools)
        n_results = self._seen.n_results
        self._turn = Turn(len(self._history), n_results, n_before, point)
        self._seen.show_last(newest=False)
        self._is_waiting = self._has_returned = False

    def _settle(self) -> None:
        """Put the turn's calls in the order sent, those without a result among them."""
        turn = self._turn
        self._score_opening()
        self._history[turn.start : turn.start + len(turn.shown)] = turn.symbols
        for place in turn.pending.values():
            call = turn.calls[place]
            self._seen.join(call, turn.n_results, order=turn.n_before + place)
            self._late[call.id] = Late(turn.start + place, call)
        if not self._needs_events:
            return
        calls = tuple(turn.calls.values())
        made = [AssistantTurn(calls=calls)] if calls else []
        events: list[Event] = [*made, *turn.since]
        if self._keeps:
            self.settled += events
        if self._settled_state is not None:
            for event in events:
                self._settled_state.add(event)

    def _state(self) -> Slice | None:
        """What a System-One model would be shown: the turn as the flow is."""
        if self._settled_state is None:
            return None
        state = self._settled_state.copy()
        for event in self.shown():
            state.add(event)
        return state

    def _show(self, place: int, result: ToolResult) -> None:
        turn, history = self._turn, self._history
        call = turn.calls[place] if self._needs_events else turn.calls.pop(place)
        turn.symbols[place] = self._symbol(call, result)
        turn.failed[place] = result.error
        self._seen.join(call, turn.n_results, order=turn.n_before + place)
        end = turn.start + len(turn.shown)
        if turn.shown:  # the one that was the latest goes where it was sent
            latest = turn.shown.pop()
            at = bisect(turn.shown, latest)
            turn.shown.insert(at, latest)
            history.insert(turn.start + at, history.pop(end - 1))
        turn.shown.append(place)
        history.insert(end, turn.symbols[place])

    def _symbol(self, call: ToolCall, result: ToolResult | None = None) -> int:
        has_failed = result is None or result.error
        outcome = Outcome.ERROR if has_failed else Outcome.OK
        step = Step(call.tool, outcome, 0, call, result)
        symbol = symbol_of(step, self._flow.vocab, self._flow.map)
        return self._symbols.setdefault(symbol, symbol)

    def _point(self) -> Point | None:
        """Where the agent's next step is taken; None where none is scored."""
        turn = self._turn
        if self._scores is None or not self._has_returned:
            return None
        if turn.n_replies or not turn.tools:
            return None
        begin = max(0, turn.start - self._flow.habit.base.order)
        history = self._history[begin : turn.start] + turn.symbols
        return Point(Site(turn.tools[-1], turn.failed[-1]), history)

    def _score_opening(self) -> None:
        turn = self._turn
        score = self._opening(0) if turn.tools else None
        if self._scores is not None and score is not None:
            self._scores.add(score)
        turn.point = None

    def _score_message(self) -> None:
        if self._scores is not None and (point := self._point()) is not None:
            self._score_opening()
            self._scores.add(step_score(self._flow, *point, None))

    def _opening(self, first: int) -> float | None:
        """The score of having begun the turn so; a flow's own lookup has none."""
        turn = self._turn
        if turn.point is None or first in turn.lookups:
            return None
        return step_score(self._flow, *turn.point, turn.tools[first])

    def _surprise(self) -> tuple[float, ...]:
        turn = self._turn
        if self._scores is None:
            return ()
        score = self._opening(turn.shown[0]) if turn.shown else None
        return self._scores.with_one(score)
