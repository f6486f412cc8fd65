"""Which sites a flow may act at, by what its lookups would have been worth there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from stretto.canonical import text
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
)
from stretto.episodes.manifest import Kind
from stretto.evaluate.intervals import wilson_lower
from stretto.flow.caps import PER_CALL
from stretto.flow.decide import decide
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import Lookup
from stretto.flow.flow import Bar, Flow, Promotion, SiteRecord
from stretto.flow.moment import Transcript

MAX_ROUNDS = 8
"""How often the sites are scored again with the chains that a promotion leaves."""

Chains = Callable[[str], bool]
"""Whether a flow that made a lookup at a site is asked again."""


@dataclass(slots=True)
class Tally:
    """What was seen of one site."""

    decisions: int = 0
    lookups: int = 0
    used: int = 0
    tasks: set[str] = field(default_factory=set)

    def record(self, bar: Bar) -> SiteRecord:
        """The site's record, and whether it meets the bar."""
        lower = wilson_lower(self.used, self.lookups)
        share = self.used / self.lookups if self.lookups else 0.0
        meets = share >= bar.min_used and lower >= bar.min_lower
        return SiteRecord(
            self.decisions,
            self.lookups,
            self.used,
            len(self.tasks),
            lower,
            meets and len(self.tasks) >= bar.min_tasks,
        )


class Promoted(NamedTuple):
    """A promotion, and what it was scored on."""

    promotion: Promotion
    episodes: int
    served: int
    """Lookups that a flow made while the sessions were recorded; none is scored."""
    rounds: int


@dataclass(frozen=True, slots=True)
class Scoring:
    """How sessions are scored for a promotion."""

    flow: Flow
    """Free to act at every site that its own thresholds leave on."""
    decider: Decider
    threshold: float
    is_fresh: bool = False
    """Whether a lookup counts as used only before the agent's next write."""

    def add(
        self, episode: Episode, sites: dict[str, Tally], asks_again: Chains
    ) -> None:
        """Score a session: the flow behind every result that something follows."""
        for position, event in enumerate(episode.events[:-1]):
            if isinstance(event, ToolResult):
                self._behind(episode, position, event, sites, asks_again)

    def _behind(
        self,
        episode: Episode,
        position: int,
        result: ToolResult,
        sites: dict[str, Tally],
        asks_again: Chains,
    ) -> None:
        prefix = replace(episode, events=episode.events[: position + 1])
        view, pending = prefix.after(result.call_id)
        if not any(c.id == result.call_id for turn in prefix.turns for c in turn.calls):
            return
        later = list(self._later(episode, result.call_id))
        transcript = Transcript.of(self.flow, view.events)
        for n in range(PER_CALL):
            moment = transcript.moment(pending)
            found = decide(self.flow, moment, self.decider, threshold=self.threshold)
            if not found.probabilities:
                return
            site = str(found.site)
            tally = sites.setdefault(site, Tally())
            tally.decisions += 1
            if not isinstance(found.action, Lookup):
                return
            tally.lookups += 1
            tally.tasks.add(episode.task_or_id)
            match = next((c for c in later if _makes(c[0], found.action)), None)
            if match is None:
                return
            tally.used += 1
            if match[1] is None or not asks_again(site):
                return
            for event in _made(found.action, match[1], n):
                transcript.add(event, scored=False)

    def _later(
        self, episode: Episode, call_id: str
    ) -> Iterator[tuple[ToolCall, ToolResult | None]]:
        """The agent's calls after the turn of a call, with their results."""
        results = episode.results()
        turns = iter(episode.turns)
        for turn in turns:
            if any(call.id == call_id for call in turn.calls):
                break
        for turn in turns:
            for call in turn.calls:
                if self.is_fresh and self.flow.manifest.kind(call.tool) is Kind.WRITE:
                    return
                if not call.is_lookup:
                    yield call, results.get(call.id)


def _makes(call: ToolCall, lookup: Lookup) -> bool:
    """Whether a call is of the lookup's tool and passes all that the lookup does."""
    passed = call.arguments if isinstance(call.arguments, dict) else {}
    return call.tool == lookup.tool and all(
        argument in passed and text(passed[argument]) == text(value)
        for argument, value in lookup.arguments.items()
    )


def _made(lookup: Lookup, result: ToolResult, n: int) -> Sequence[Event]:
    name = f"stretto-{n + 1}"
    call = ToolCall(name, lookup.tool, dict(lookup.arguments))
    return AssistantTurn(calls=(call,)), replace(result, call_id=name, tool=lookup.tool)


def promote(
    flow: Flow,
    episodes: Iterable[Episode],
    decider: Decider,
    *,
    bar: Bar | None = None,
    is_fresh: bool = False,
) -> Promoted:
    """
    The promotion of a flow by recorded sessions.

    Each lookup it would have made is *used* if the agent made it in a later turn. At
    first the flow goes on after every lookup that was; then only where it is promoted,
    again and again until the promotion stays as it is.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    bar = bar or Bar()
    episodes = list(episodes)
    scoring = Scoring(replace(flow, promoted=None), decider, bar.threshold, is_fresh)
    records = _scored(scoring, episodes, bar, lambda _: True)
    rounds = 1
    while rounds <= MAX_ROUNDS:
        promoted = _promoted(records)
        again = _scored(scoring, episodes, bar, promoted.__contains__)
        rounds += 1
        unchanged, records = _promoted(again) == promoted, again
        if unchanged:
            break
    served = sum(
        call.is_lookup for e in episodes for turn in e.turns for call in turn.calls
    )
    return Promoted(Promotion(bar, records), len(episodes), served, rounds)


def _scored(
    scoring: Scoring, episodes: Iterable[Episode], bar: Bar, asks_again: Chains
) -> dict[str, SiteRecord]:
    sites: dict[str, Tally] = {}
    for episode in episodes:
        scoring.add(episode, sites, asks_again)
    return {site: sites[site].record(bar) for site in sorted(sites)}


def _promoted(records: dict[str, SiteRecord]) -> AbstractSet[str]:
    return {site for site, record in records.items() if record.promoted}
