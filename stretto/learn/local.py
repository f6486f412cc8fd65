"""Recorded sessions as the decisions that a local model learns from."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

from stretto.canonical import Json, compact
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import NothingToLearn
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.flow import Flow
from stretto.flow.options import options
from stretto.learn.cases import AskedStep, steps_asked
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.oracle.local.case import Case
from stretto.oracle.local.clues import clues
from stretto.oracle.next_step import NEXT
from stretto.oracle.question import Choice
from stretto.oracle.wording import Wording

N_FLOWS = N_FOLDS + 1
"""One learned without each fold, and one from all."""

MIN_FOLDS = 3
"""The folds that must hold a task: to learn from, to stop at, and to be left out."""


@dataclass(slots=True)
class Source:
    """The sessions to learn from, before anything is learned."""

    places: list[int] = field(default_factory=list)
    """In reading order, from 0, rising."""
    tasks: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    sha256: str = ""
    """Of the sessions as they were read."""


def survey_local(
    episodes: Iterable[Episode], tasks: Callable[[str], bool] | None = None
) -> Source:
    """
    One pass over the sessions, to know what there is to learn from.

    Args:
        tasks: Says of a task whether it is learned from; every task when None.
    """
    found, digest = Source(), sha256()
    for place, episode in enumerate(episodes):
        if not episode.events or not (tasks is None or tasks(episode.task_or_id)):
            continue
        found.places.append(place)
        found.tasks.add(episode.task_or_id)
        found.agents.add(episode.agent)
        found.domains.add(episode.domain)
        digest.update(compact(_json(episode)).encode("utf-8", "surrogatepass"))
    found.sha256 = digest.hexdigest()
    return found


def local_flows(
    episodes: Iterable[Episode],
    manifest: Manifest,
    *,
    agents: Callable[[str], bool] = lambda _: True,
    advance: Callable[[], None] = lambda: None,
) -> list[Flow]:
    """
    A flow learned without each fold, and one from all: what decisions are offered, and
    the habit that a model is compared with.

    Args:
        episodes: Gone through several times, in the same order each time.
        agents: Says of an agent whether the flows learn from its sessions.
        advance: Called after each of the `N_FLOWS` flows.

    Raises:
        NothingToLearn: fewer than three folds hold a task; or what `learn` says.
    """
    held = {fold(episode.task_or_id) for episode in episodes}
    if len(held) < MIN_FOLDS:
        raise NothingToLearn(
            f"the sessions' tasks are too few: {len(held)} of {N_FOLDS} folds have any",
            hint="record more tasks; a session that names none is a task of its own",
        )
    flows = []
    for out in range(N_FLOWS):
        settings = Settings(tasks=partial(_is_in, out))
        learned_from = [e for e in episodes if agents(e.agent)]
        flows.append(learn(learned_from, manifest, settings).flow)
        advance()
    return flows


def local_cases(
    episodes: Iterable[Episode],
    flows: Sequence[Flow],
    wording: Wording,
    *,
    unseen: bool = False,
) -> list[Case]:
    """
    The decisions of all sessions: each step of the agent after a call whose site offers
    a lookup, as an arbiter is fitted on them.

    The flows learn from the sessions that succeeded; the steps of those that failed are
    among the decisions as well.

    Args:
        flows: As `local_flows` gives them.
        unseen: Whether the habit is that of the flow of all tasks, which then has not
            seen these; else that of the flow that left the task's fold out.
    """
    reading = _Reading.of(flows, wording, unseen=unseen)
    return [case for episode in episodes for case in reading.cases(episode)]


def _is_in(out: int, task: str) -> bool:
    return fold(task) != out


@dataclass(frozen=True, slots=True)
class _Reading:
    """What turns an episode into its decisions."""

    flows: Sequence[Flow]
    askers: Sequence[Asker]
    """Of the flows, with every read on offer at every site."""
    unseen: bool

    @classmethod
    def of(cls, flows: Sequence[Flow], wording: Wording, *, unseen: bool) -> "_Reading":
        askers = [Asker.of(_offering_all(flow), wording) for flow in flows]
        return cls(flows, askers, unseen)

    def cases(self, episode: Episode) -> Iterator[Case]:
        """The episode's decisions, in order."""
        by = N_FOLDS if self.unseen else fold(episode.task_or_id)
        asker = self.askers[by]
        for one in steps_asked(asker.flow, asker, episode):
            offered = [options(flow, one.site) for flow in self.flows]
            if lookups := sorted({lookup for of in offered for lookup in of}):
                yield _case(one, lookups, offered, by)


def _offering_all(flow: Flow) -> Flow:
    return replace(flow, sites=replace(flow.sites, every_read=True))


def _case(
    one: AskedStep,
    lookups: Sequence[str],
    offered: Sequence[tuple[str, ...]],
    by: int,
) -> Case:
    asked = one.request.questions[NEXT]
    assert isinstance(asked, Choice)
    described = {option: asked.criteria[option] for option in (*lookups, RESPOND)}
    taken = one.option if one.option in described else None
    here = {lookup: one.prior[lookup] for lookup in offered[by]}
    return Case(
        task=one.task,
        agent=one.agent,
        site=str(one.site),
        clues=clues(one.request.state, described),
        options=tuple(described),
        offered=tuple(frozenset((*of, RESPOND) if of else ()) for of in offered),
        taken=taken,
        habit={**here, RESPOND: max(0.0, 1.0 - sum(here.values()))} if here else {},
    )


def _json(episode: Episode) -> Json:
    """What is learned from an episode, without the ids of its calls."""
    events: list[Json] = [_event_json(event) for event in episode.events]
    return [episode.task_or_id, episode.agent, episode.reward, events]


def _event_json(event: Event) -> Json:
    match event:
        case UserMessage(text=text):
            return ["user", text]
        case AssistantTurn(text=text, calls=calls):
            made: list[Json] = [[call.tool, call.arguments] for call in calls]
            return ["agent", text, made]
        case ToolResult(tool=tool, error=error, content=content):
            return ["result", tool, error, content]
