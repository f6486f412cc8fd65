"""Cases for an arbiter: the steps of held-out sessions, asked about before each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
)
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.episodes.tasks import task_group
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import OracleError
from stretto.flow.case import Case
from stretto.flow.decide import answer as answer_to
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.deciders.habit import HabitDecider
from stretto.flow.flow import Flow
from stretto.flow.judge import features
from stretto.flow.moment import Moment, Transcript
from stretto.flow.options import options
from stretto.oracle.held_out import held_out
from stretto.oracle.next_step import (
    NextStep,
    predicate_id,
    predicate_question,
    read_next_step,
)
from stretto.oracle.oracle import Oracle
from stretto.oracle.predicates import Predicate
from stretto.oracle.question import Request


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A step of an agent, and what is asked before it."""

    episode: str
    task: str
    agent: str
    """The label of the agent that took it."""
    step: int
    """Its place in the episode's walk, from 0."""
    site: Site
    prior: Mapping[str, float]
    """The habit's probability of each option."""
    took: str
    """The tool called, or `respond`."""
    option: str | None
    """The option that stands for the step; None for a read that is not offered."""
    request: Request

    @property
    def lookups(self) -> list[str]:
        """Those on offer."""
        return [option for option in self.prior if option != RESPOND]


@dataclass(frozen=True, slots=True)
class Answered:
    """A step, and what the model held it to be."""

    asked: AskedStep
    answer: NextStep
    case: Case


def steps_asked(flow: Flow, asker: Asker, episode: Episode) -> Iterator[AskedStep]:
    """
    Each of the agent's steps after a call whose site has options.

    Calls of one turn are asked about one after the other, each knowing the results of
    those before it. Lookups that a flow made are no steps of the agent's.
    """
    habit = HabitDecider(flow)
    for moment, call, _ in before_steps(asker, episode):
        if moment.site is None or not (offered := options(flow, moment.site)):
            continue
        took = RESPOND if call is None else call.tool
        yield AskedStep(
            episode.id,
            episode.task_or_id,
            episode.agent,
            len(moment.history),
            moment.site,
            habit.weigh(moment, offered),
            took,
            _option(flow, took, offered),
            asker.question(moment, offered),
        )


class Before(NamedTuple):
    """An episode just before a step of the agent's. It lasts until the next."""

    moment: Moment
    call: ToolCall | None
    """The call that the step is; None for a message."""
    events: Sequence[Event]
    """Those so far, each call of a turn by itself."""


def before_steps(asker: Asker, episode: Episode) -> Iterator[Before]:
    """Each of the agent's steps; lookups that a flow made are none."""
    transcript = Transcript(asker.flow, state=asker.state(), task=episode.task_or_id)
    results = episode.results()
    events: list[Event] = []

    def add(event: Event, *, scored: bool = True) -> None:
        transcript.add(event, scored=scored)
        events.append(event)

    for event in episode.events:
        match event:
            case AssistantTurn(calls=()):
                yield Before(transcript.moment(), None, events)
                add(event)
            case AssistantTurn(calls=calls):
                for call in calls:
                    if not call.is_lookup:
                        yield Before(transcript.moment(), call, events)
                    add(AssistantTurn(calls=(call,)), scored=False)
                    if (result := results.get(call.id)) is not None:
                        add(result)
            case ToolResult():
                pass  # added with its call
            case _:
                add(event)


def _option(flow: Flow, took: str, offered: tuple[str, ...]) -> str | None:
    if took in offered:
        return took
    return None if flow.manifest.kind(took) is Kind.READ else RESPOND


def alone(asker: Asker, one: AskedStep, predicate: Predicate) -> Request:
    """A predicate asked about the state before a step, and nothing beside it."""
    question = predicate_question(predicate, asker.wording)
    asked = {predicate_id(predicate): question}
    return Request(one.request.model, one.request.state, asked)


def answered(
    flow: Flow,
    asked: Iterable[AskedStep],
    oracle: Oracle,
    *,
    targets: Collection[str] = (),
) -> Iterator[Answered]:
    """
    The steps whose next-step questions were all answered, in order.

    An oracle that learned from a step's task answers as it was without that.

    Args:
        flow: Says which predicates were asked, and which are weighed.
        targets: The agents whose steps no arbiter may be fitted on.
    """
    for one in asked:
        response = answer_to(held_out(oracle, one.task), one.request)
        if isinstance(response, OracleError):
            continue
        answer = read_next_step(response, one.lookups, flow.predicates)
        if answer is not None:
            fittable = one.agent not in targets
            yield Answered(one, answer, _case(flow, one, answer, fittable=fittable))


def _case(flow: Flow, one: AskedStep, answer: NextStep, *, fittable: bool) -> Case:
    seen = features(one.site, one.prior, answer, flow.weighed)
    actual = None if one.option is None else seen.options.index(one.option)
    return Case(seen, task_group(one.task), actual, fittable)
