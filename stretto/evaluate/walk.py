"""One recorded episode on its way through a replay."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from stretto.canonical import sort_keys
from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult, UserMessage
from stretto.episodes.site import Site
from stretto.evaluate.asking import Asking, Looked
from stretto.evaluate.counts import (
    LOOKUP,
    NOT_IN_RECORD,
    QUERY,
    TURN_SAVED,
    UNANSWERED,
    UNRECORDED,
    USED_LATER,
    USED_NEXT,
)
from stretto.evaluate.course import Call, Course, Stop
from stretto.evaluate.environment import Environment, Wanted
from stretto.evaluate.made import Key, Made, Recorded
from stretto.evaluate.spent import Spending, Spent
from stretto.flow.caps import PER_SESSION
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import NO_ANSWER, HandBack, Lookup
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment, Transcript

MAX_CALLS = 60
"""The most calls in one episode, the flow's included; past it the flow is not asked."""


class Running(NamedTuple):
    """A run of the flow's program behind a call."""

    behind: Recorded
    site: Site
    looked: Looked = ()


@dataclass(slots=True)
class Walk:
    """
    One episode on its way through a replay, from one decision to the next.

    It stops wherever the flow is asked, for whoever drives it to answer with a lookup
    or by handing back. A copy made there goes its own way.
    """

    asking: Asking
    course: Course
    transcript: Transcript
    story: int = 0
    """What the flow was told so far, as the course's trail numbers it."""
    next: int = 0
    """The stop to come to next."""
    run: Running | None = None
    counted: int = 0
    """What was counted so far, packed (`stretto.evaluate.counts`)."""
    spending: Spending = field(default_factory=Spending)
    """What was spared and spent of prompts so far."""
    made: tuple[Made, ...] = ()
    executed: int = 0
    """The agent's calls that were executed."""
    messages: int = 0
    """The agent's messages that were executed."""
    before: int = 0
    """Of them, those before the turn under way."""
    opened: bool = False
    """Whether a call of the turn under way was executed."""
    answered: int = 0
    """
    The characters of the lookups that answered its calls before one was executed; the
    record would have brought them after its prompt. None are left where it stops.
    """
    environment: Environment | None = None
    """What answers calls; None for the record."""
    repeats: tuple[int, ...] = ()
    """The agent's own repeats that were skipped, by position."""

    @classmethod
    def through(
        cls,
        flow: Flow,
        decider: Decider,
        asking: Asking,
        course: Course,
        environment: Environment | None = None,
    ) -> "Walk":
        """A walk that is about to begin; without an environment, through the record."""
        task = course.size.task
        told = Transcript(flow, state=decider.state(), task=task)
        return cls(asking, course, told, environment=environment)

    def copy(self) -> "Walk":
        """The same walk, which has counted nothing yet and goes its own way."""
        return replace(
            self, transcript=self.transcript.copy(), counted=0, spending=Spending()
        )

    def take(self) -> tuple[int, Spent]:
        """What was counted and spent since this was last asked."""
        taken = self.counted, self.spending.stretch()
        self.counted, self.spending = 0, Spending()
        return taken

    def advance(self) -> bool:
        """Go on to where the flow is asked next; False once the episode is over."""
        while not self._asked():
            if self.next == len(self.course.stops):
                return False
            self.next += 1
            self._stop(self.course.stops[self.next - 1])
        self.counted += QUERY
        return True

    def moment(self) -> Moment:
        """What the flow is asked about."""
        return self.transcript.moment()

    def answer(self, action: Lookup | HandBack | None) -> None:
        """Make the lookup that was decided on, or hand back; None for no reason."""
        run, self.run = self.run, None
        assert run is not None
        if isinstance(action, HandBack) and action.code in NO_ANSWER:
            self.counted += UNANSWERED
        if not isinstance(action, Lookup):
            return
        if not self._world.has(action.tool):
            self.counted += NOT_IN_RECORD
            return
        succeeded = self._look_up(run.behind, action)
        self.run = run._replace(looked=(*run.looked, (action.tool, succeeded)))

    @property
    def _world(self) -> Environment:
        return self.environment or self.course.record

    def _asked(self) -> bool:
        run, n = self.run, len(self.made)
        if run is None:
            return False
        has_room = n < PER_SESSION and self.executed + n < MAX_CALLS
        if has_room and self.asking.asks(run.site, run.looked):
            return True
        self.run = None
        return False

    def _stop(self, stop: Stop) -> None:
        if isinstance(stop, Call):
            self._call(stop)
            return
        if isinstance(stop, AssistantTurn):
            self.messages += 1
            self.spending.turn()
        self._tell(stop, self.next)

    def _call(self, call: Call) -> None:
        """Skip the call if a lookup has answered it, or else execute it."""
        if call.first:
            self.before, self.opened = self.messages, False
        recorded = call.recorded
        record = self.course.record
        hit = record.rule.hit(self.made, recorded)
        if hit is None and record.rule.skips(recorded, record.calls):
            self.repeats = (*self.repeats, recorded.position)
        elif hit is None:
            self._execute(recorded)
        else:
            is_next = self.before - self.made[hit].message <= 1
            self.counted += USED_NEXT if is_next else USED_LATER
            used = self.made[hit]._replace(used=True, by=recorded.position)
            self.made = (*self.made[:hit], used, *self.made[hit + 1 :])
            self.answered += len(used.content)
        if call.last and not self.opened:
            self.counted += TURN_SAVED
            self.spending.spare(call.spared)
        if self.answered and (call.last or self.opened):
            self.spending.text(-self.answered)
            self.answered = 0

    def _execute(self, recorded: Recorded) -> None:
        """Execute the call; the flow's program runs behind it."""
        if not self.opened:
            self.messages += 1
            self.spending.turn()
        self.executed += 1
        result = self._world.execute(recorded)
        self._append(recorded.call, recorded.key, result, not self.opened)
        self.opened = True
        if recorded.is_write:
            self.made = self.course.record.rule.aged(self.made, recorded)
        failed = result is None or result.error
        self.run = Running(recorded, Site(recorded.call.tool, failed))

    def _look_up(self, behind: Recorded, lookup: Lookup) -> bool:
        """Make a lookup behind a call; whether it succeeded."""
        arguments = sort_keys(dict(lookup.arguments))
        wanted = self.course.record.rule.key(lookup.tool, arguments)
        name = f"stretto-{len(self.made) + 1}"
        call = ToolCall(name, lookup.tool, arguments)
        content, error, exact = self._world.look_up(
            Wanted(call, wanted, behind.position)
        )
        made = Made(wanted, content, error, exact, self.messages - 1)
        self.made = (*self.made, made)
        self.counted += LOOKUP if exact else LOOKUP + UNRECORDED
        self.spending.text(len(content))
        result = ToolResult(name, lookup.tool, error, content)
        self._append(call, wanted, result, False)
        return not error

    def _append(
        self, call: ToolCall, key: Key, result: ToolResult | None, scored: bool
    ) -> None:
        self.transcript.add(AssistantTurn(calls=(call,)), scored=scored)
        returned = None
        if result is not None:
            self.transcript.add(result)
            returned = (result.tool, result.error, result.content)
        self.story = self.course.trail.after(self.story, (key, returned))

    def _tell(self, message: UserMessage | AssistantTurn, place: int) -> None:
        self.transcript.add(message)
        self.story = self.course.trail.after(self.story, place)
