"""The recorded writes whose consent is judged, each with what was said before it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from stretto.episodes.episode import Episode, ToolCall
from stretto.evaluate.guards import ending_of, is_elsewhere, writes
from stretto.guards.confirm import consent_rule, word_list_passes
from stretto.guards.evidence import Group
from stretto.guards.facts import Exchange
from stretto.guards.guard import Guards
from stretto.guards.proposal import Flag


class Judged(NamedTuple):
    """A write whose consent is judged."""

    place: int
    """Its session's place among all; two may go by one id."""
    episode: str
    task: str
    ended: Group
    group: Group
    call: ToolCall
    exchange: Exchange
    is_listed: bool
    """Whether the word list takes the reply for a yes."""
    flags: list[Flag]
    """Its arguments that look like another record's."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The writes of some sessions that are judged."""

    writes: tuple[Judged, ...]
    sessions: Counter[Group]
    """How many sessions ended so."""
    unreturned: int
    """Writes without a result, which are not counted."""
    elsewhere: int
    """Sessions that say they are of another domain, which are not counted."""


def gather(guards: Guards, episodes: Iterable[Episode]) -> Gathered:
    """The writes that a `.confirmed` rule is about, in one pass over the episodes."""
    found: list[Judged] = []
    sessions: Counter[Group] = Counter()
    unreturned = elsewhere = 0
    for place, episode in enumerate(episodes):
        if is_elsewhere(guards, episode):
            elsewhere += 1
            continue
        sessions[ending_of(episode)] += 1
        for write in _judged(guards, episode, place):
            if write is None:
                unreturned += 1
            else:
                found.append(write)
    return Gathered(tuple(found), sessions, unreturned, elsewhere)


def _judged(guards: Guards, episode: Episode, place: int) -> Iterator[Judged | None]:
    """An episode's judged writes, in order; None for one without a result."""
    ended = ending_of(episode)
    for write in writes(guards, episode):
        rule = consent_rule(guards, write.call)
        if rule is None:
            continue
        group = write.became(ended)
        if group is None:
            yield None
            continue
        is_listed = word_list_passes(write.rulings, rule)
        yield Judged(
            place, episode.id, episode.task, ended, group, write.call, write.exchange,
            is_listed, write.flags,
        )  # fmt: skip
