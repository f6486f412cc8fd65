"""
Which record the customer meant, at recorded writes: the model's pick and the agent's.

Both are held to what the task expects of that write; a pick that the task expects
nothing of is not asked about.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn, Episode, UserMessage
from stretto.episodes.manifest import Manifest
from stretto.errors import OracleError
from stretto.evaluate.guards import is_elsewhere
from stretto.guards.guard import Guards
from stretto.guards.match import (
    Decision,
    Matched,
    Picks,
    decisions,
    expected_picks,
    match_request,
    read_match,
)
from stretto.oracle.ask import ask
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request
from stretto.oracle.wording import Wording

CONFIDENT = 0.9
"""From this confidence on, a pick counts as a confident one."""


class Tally(StrEnum):
    """What is counted of the picks of a kind."""

    CHOICES = "choices"
    NOT_OFFERED = "not_offered"
    """What is expected is not among the candidates."""
    ANSWERED = "answered"
    MODEL_RIGHT = "model_right"
    AGENT_RIGHT = "agent_right"
    """Of all choices, answered or not."""
    DIFFER = "differ"
    """The model picks another record than the agent."""
    DIFFER_AGENT_WRONG = "differ_agent_wrong"
    CONFIDENT_DIFFER = "confident_differ"
    CONFIDENT_AGENT_WRONG = "confident_agent_wrong"


class Asked(NamedTuple):
    """A pick that is asked about."""

    episode: str
    task: str
    decision: Decision
    expected: tuple[frozenset[str], ...]
    said: tuple[str, ...]
    """The customer's messages by then."""

    @property
    def is_agent_right(self) -> bool:
        """Whether the agent picked as expected."""
        return self.decision.picked in self.expected

    @property
    def is_offered(self) -> bool:
        """Whether something that is expected could be picked."""
        offered = self.decision.candidates.keys()
        return any(picks <= offered for picks in self.expected)


@dataclass(frozen=True, slots=True)
class Matchable:
    """The picks of some sessions."""

    picks: tuple[Asked, ...]
    sessions: int
    without_task: int
    """Sessions that do not say what their task expects."""
    unexpected: int
    """Picks of which the task expects nothing, which are not asked about."""


@dataclass(slots=True)
class MatchAudit:
    """What was picked, by kind."""

    matchable: Matchable
    counts: Counter[tuple[Picks, Tally]] = field(default_factory=Counter)

    def total(self, tally: Tally) -> int:
        """A count over all kinds."""
        return sum(self.counts[picks, tally] for picks in Picks)


def gather_picks(guards: Guards, episodes: Iterable[Episode]) -> Matchable:
    """The picks to ask about, in one pass over the episodes."""
    found: list[Asked] = []
    sessions = without_task = unexpected = 0
    for episode in episodes:
        if is_elsewhere(guards, episode):
            continue
        sessions += 1
        if episode.expected is None:
            without_task += 1
            continue
        for pick in _picks(guards, episode):
            if pick.expected:
                found.append(pick)
            else:
                unexpected += 1
    return Matchable(tuple(found), sessions, without_task, unexpected)


def match_requests(
    found: Matchable, model: str, wording: Wording, manifest: Manifest
) -> Iterator[Request]:
    """What is asked about the picks, one request each."""
    for pick in found.picks:
        yield _request(pick, model, wording, manifest)


def audit_match(
    found: Matchable, oracle: Oracle, wording: Wording, manifest: Manifest
) -> MatchAudit:
    """
    What the picks come to, by answers.

    Args:
        oracle: Whoever answers; what it raises leaves a pick without an answer.
        manifest: Whose documentation tells what a write does.
    """
    audit = MatchAudit(found)
    for pick in found.picks:
        request = _request(pick, oracle.model, wording, manifest)
        try:
            matched = read_match(ask(oracle, request), pick.decision)
        except OracleError:
            matched = None
        holds = _held(pick, matched)
        kind = pick.decision.picks
        audit.counts.update((kind, tally) for tally, is_so in holds.items() if is_so)
    return audit


def _held(pick: Asked, matched: Matched | None) -> Mapping[Tally, bool]:
    is_answered = matched is not None
    differs = matched is not None and matched.picked != pick.decision.picked
    is_sure = matched is not None and matched.confidence >= CONFIDENT
    is_wrong = not pick.is_agent_right
    return {
        Tally.CHOICES: True,
        Tally.NOT_OFFERED: not pick.is_offered,
        Tally.ANSWERED: is_answered,
        Tally.MODEL_RIGHT: matched is not None and matched.picked in pick.expected,
        Tally.AGENT_RIGHT: pick.is_agent_right,
        Tally.DIFFER: differs,
        Tally.DIFFER_AGENT_WRONG: differs and is_wrong,
        Tally.CONFIDENT_DIFFER: differs and is_sure,
        Tally.CONFIDENT_AGENT_WRONG: differs and is_sure and is_wrong,
    }


def _picks(guards: Guards, episode: Episode) -> Iterator[Asked]:
    facts, said = guards.facts(), list[str]()
    for event in episode.events:
        if isinstance(event, UserMessage) and event.text:
            said.append(event.text)
        for call in event.calls if isinstance(event, AssistantTurn) else ():
            for decision in decisions(facts, call):
                expected = expected_picks(decision, episode.expected or ())
                yield Asked(episode.id, episode.task, decision, expected, tuple(said))
        facts.take(event)


def _request(pick: Asked, model: str, wording: Wording, manifest: Manifest) -> Request:
    docs = manifest.docs.get(pick.decision.call.tool)
    summary = "" if docs is None else docs.summary
    return match_request(model, pick.decision, pick.said, wording, summary=summary)
