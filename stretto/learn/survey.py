"""What there is to learn from, before anything is counted."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from stretto.episodes.episode import AssistantTurn, Episode
from stretto.learn.settings import Settings


@dataclass(slots=True)
class Survey:
    """The sessions of both sides of a split, and which of them teach."""

    episodes: int = 0
    training: int = 0
    on_trust: int = 0
    tools: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    """The agents that are no targets."""
    domains: set[str] = field(default_factory=set)
    tasks: dict[str, None] = field(default_factory=dict)
    """Those of the sessions to learn from, failures included, as first read."""
    chosen: list[int] = field(default_factory=list)
    """The places, in reading order, of the sessions to learn from."""


def survey(episodes: Iterable[Episode], settings: Settings = Settings()) -> Survey:
    """One pass over the sessions, to know what there is to learn from."""
    found = Survey()
    for index, episode in enumerate(episodes):
        found.episodes += 1
        found.domains.add(episode.domain)
        for event in episode.events:
            if isinstance(event, AssistantTurn):
                found.tools.update(call.tool for call in event.calls)
        if episode.agent in settings.targets:
            continue
        found.sources.add(episode.agent)
        if settings.tasks is not None and not settings.tasks(episode.task_or_id):
            continue
        found.training += 1
        found.tasks.setdefault(episode.task_or_id)
        trusted = episode.reward is None and bool(episode.events)
        if trusted or episode.succeeded:
            found.on_trust += trusted
            found.chosen.append(index)
    return found
