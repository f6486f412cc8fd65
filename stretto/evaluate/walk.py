"""One recorded episode on its way through a replay."""

from dataclasses import dataclass, field
from functools import partial

from stretto.canonical import compact, sort_keys
from stretto.episodes.content import parse
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.site import Site
from stretto.evaluate.record import Key, Record, Recorded, key
from stretto.evaluate.rows import Row
from stretto.flow.behind import run_behind
from stretto.flow.caps import PER_CALL, PER_SESSION
from stretto.flow.decide import THRESHOLD, decide
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import UNANSWERED, Lookup
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript
from stretto.flow.run import Runner
from stretto.oracle.oracle import Oracle

MAX_CALLS = 60
"""The most calls in one episode, the flow's included; past it the flow is not asked."""


@dataclass(frozen=True, slots=True)
class Replayer:
    """A flow and its decider, ready for any episode at any threshold."""

    flow: Flow
    decider: Decider
    oracle: Oracle | None = None
    """Whom to ask, where the decider asks."""
    runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "runner", Runner.of(self.flow))

    def row(self, episode: Episode, threshold: float = THRESHOLD) -> Row:
        """What replaying the episode comes to."""
        record = Record.of(episode, self.flow.manifest)
        return Walk(self, threshold, record).through(episode)


@dataclass(slots=True)
class Made:
    """A lookup the flow made, and what became of it."""

    key: Key
    content: str
    exact: bool
    message: int
    """The executed assistant message it was made after, counted from 0."""
    used: bool = False
    stale: bool = False


@dataclass(slots=True)
class Walk:
    """One episode on its way through a replay."""

    by: Replayer
    threshold: float
    record: Record
    transcript: Transcript = field(init=False)
    made: list[Made] = field(default_factory=list)
    executed: int = 0
    """The agent's calls that were executed."""
    messages: int = 0
    """The agent's messages that were executed."""
    skipped: int = 0
    saved: int = 0
    used_next: int = 0
    queries: int = 0
    unanswered: int = 0
    not_in_record: int = 0

    def __post_init__(self) -> None:
        state = self.by.decider.state()
        self.transcript = Transcript(self.by.flow, state=state)

    def through(self, episode: Episode) -> Row:
        """The row of `episode`, whose record this walk holds."""
        self.transcript.task = episode.task_or_id
        turns = tool_turns = 0
        calls = iter(self.record.calls)
        for index, event in enumerate(episode.events):
            match event:
                case UserMessage():
                    self.transcript.add(event)
                case AssistantTurn(calls=()):
                    turns += index > 0
                    self.messages += 1
                    self.transcript.add(event)
                case AssistantTurn():
                    turns, tool_turns = turns + 1, tool_turns + 1
                    self._turn([next(calls) for _ in event.calls])
        return self._row(episode, turns, tool_turns)

    def _turn(self, calls: list[Recorded]) -> None:
        """Skip what lookups have answered; execute the rest, the flow behind it."""
        before = self.messages
        opened = False
        for recorded in calls:
            if (hit := self._hit(recorded)) is not None:
                hit.used = True
                self.skipped += 1
                self.used_next += before - hit.message <= 1
                continue
            if not opened:
                self.messages += 1
            self._execute(recorded, first=not opened)
            opened = True
        self.saved += not opened

    def _hit(self, recorded: Recorded) -> Made | None:
        for made in self.made:
            if made.key != recorded.key or made.used or not made.exact:
                continue
            if not made.stale or _same(made.content, recorded.result):
                return made
        return None

    def _execute(self, recorded: Recorded, *, first: bool) -> None:
        self.executed += 1
        self._append(recorded.call, recorded.result, scored=first)
        if recorded.is_write:
            for made in self.made:
                made.stale = True
        failed = recorded.result is None or recorded.result.error
        site = Site(recorded.call.tool, failed)
        look_up = partial(self._look_up, recorded)
        run_behind(self.by.runner, site, self._decide, look_up, max_lookups=PER_CALL)

    def _decide(self) -> Lookup | None:
        """The flow's choice as things stand; None where it hands back."""
        room = len(self.made) < PER_SESSION
        if not room or self.executed + len(self.made) >= MAX_CALLS:
            return None
        self.queries += 1
        moment = self.transcript.moment()
        action = decide(
            self.by.flow,
            moment,
            self.by.decider,
            threshold=self.threshold,
            oracle=self.by.oracle,
        ).action
        if not isinstance(action, Lookup):
            self.unanswered += action.code in UNANSWERED
            return None
        if action.tool not in self.record.tools:
            self.not_in_record += 1
            return None
        return action

    def _look_up(self, behind: Recorded, lookup: Lookup) -> bool:
        """Make a lookup behind a call; whether it succeeded."""
        arguments = sort_keys(dict(lookup.arguments))
        wanted = key(lookup.tool, arguments)
        answer = self.record.answer(wanted, behind.position)
        name = f"stretto-{len(self.made) + 1}"
        self.made.append(Made(wanted, answer.content, answer.exact, self.messages - 1))
        call = ToolCall(name, lookup.tool, arguments)
        result = ToolResult(name, lookup.tool, answer.error, answer.content)
        self._append(call, result, scored=False)
        return not answer.error

    def _append(
        self, call: ToolCall, result: ToolResult | None, *, scored: bool
    ) -> None:
        self.transcript.add(AssistantTurn(calls=(call,)), scored=scored)
        if result is not None:
            self.transcript.add(result)

    def _row(self, episode: Episode, turns: int, tool_turns: int) -> Row:
        used = sum(made.used for made in self.made)
        return Row(
            task=episode.task_or_id,
            turns=turns,
            tool_turns=tool_turns,
            turns_saved=self.saved,
            calls=len(self.record.calls),
            calls_skipped=self.skipped,
            used_next=self.used_next,
            used_later=used - self.used_next,
            lookups=len(self.made),
            queries=self.queries,
            unanswered=self.unanswered,
            unrecorded=sum(not made.exact for made in self.made),
            detours=len(self.made) - used,
            not_in_record=self.not_in_record,
        )


def _same(content: str, result: ToolResult | None) -> bool:
    """Whether two results say the same: as JSON, or else as trimmed text."""
    return result is not None and _comparable(content) == _comparable(result.content)


def _comparable(content: str) -> str:
    found = parse(content)
    return content.strip() if found is None else compact(found.value)
