"""Which sites a flow may act at, by what its lookups would have been worth there."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from stretto.evaluate.corrected import LEVEL, Evidence, evidence, holm
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
    outcomes: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """By task: of each lookup, whether the agent used it."""

    def record(self, bar: Bar, found: Evidence | None) -> SiteRecord:
        """
        The site's record, and whether it meets the bar.

        Args:
            found: What the tasks say, Holm's correction included; None without lookups.
        """
        lookups = sum(map(len, self.outcomes.values()))
        used = sum(map(sum, self.outcomes.values()))
        tasks, lower = len(self.outcomes), wilson_lower(used, lookups)
        meets = (
            found is not None
            and used / lookups >= bar.min_used
            and lower >= bar.min_lower
            and tasks >= bar.min_tasks
            and (not bar.by_task or _at_least(found.lower, bar.min_lower))
            and (not bar.holm or _at_most(found.corrected, LEVEL))
        )
        return SiteRecord(self.decisions, lookups, used, tasks, lower, meets)


class Scored(NamedTuple):
    """The sites of one round of scoring."""

    records: dict[str, SiteRecord]
    evidence: dict[str, Evidence]
    """Of the sites with lookups."""

    @property
    def promoted(self) -> AbstractSet[str]:
        """The sites that meet the bar."""
        return {site for site, record in self.records.items() if record.promoted}


class Promoted(NamedTuple):
    """A promotion, and what it was scored on."""

    promotion: Promotion
    episodes: int
    served: int
    """Lookups that a flow made while the sessions were recorded; none is scored."""
    rounds: int
    evidence: Mapping[str, Evidence]
    """By site with lookups: what the tasks say of it, each weighing the same."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How sessions are scored for a promotion."""

    flow: Flow
    """Free to act at every site that its own thresholds leave on."""
    decider: Decider
    bar: Bar

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
            at = self.bar.threshold
            found = decide(self.flow, moment, self.decider, threshold=at)
            if not found.probabilities:
                return
            site = str(found.site)
            tally = sites.setdefault(site, Tally())
            tally.decisions += 1
            if not isinstance(found.action, Lookup):
                return
            match = next((c for c in later if _makes(c[0], found.action)), None)
            tally.outcomes[episode.task_or_id].append(match is not None)
            if match is None or match[1] is None or not asks_again(site):
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
                is_write = self.flow.manifest.kind(call.tool) is Kind.WRITE
                if is_write and self.bar.before_write:
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
    scoring = Scoring(replace(flow, promoted=None), decider, bar)
    found = _scored(scoring, episodes, lambda _: True)
    rounds = 1
    while rounds <= MAX_ROUNDS:
        again = _scored(scoring, episodes, found.promoted.__contains__)
        rounds += 1
        unchanged, found = again.promoted == found.promoted, again
        if unchanged:
            break
    served = sum(
        call.is_lookup for e in episodes for turn in e.turns for call in turn.calls
    )
    promotion = Promotion(bar, found.records)
    return Promoted(promotion, len(episodes), served, rounds, found.evidence)


def _scored(
    scoring: Scoring, episodes: Iterable[Episode], asks_again: Chains
) -> Scored:
    sites: dict[str, Tally] = {}
    for episode in episodes:
        scoring.add(episode, sites, asks_again)
    ordered = {site: sites[site] for site in sorted(sites)}
    found = evidence_of(ordered, scoring.bar)
    records = {s: t.record(scoring.bar, found.get(s)) for s, t in ordered.items()}
    return Scored(records, found)


def evidence_of(sites: Mapping[str, Tally], bar: Bar) -> dict[str, Evidence]:
    """
    What the tasks say of each site with lookups.

    Tested are the sites with as many tasks as the bar wants: no other can be promoted,
    whatever its lookups came to, so that none has to be corrected for.
    """
    found = {
        site: evidence(site, tally.outcomes, bar.min_lower)
        for site, tally in sites.items()
        if tally.outcomes
    }
    enough = [s for s in found if len(sites[s].outcomes) >= bar.min_tasks]
    corrected = holm({site: found[site].p for site in enough})
    return {s: replace(of, corrected=corrected.get(s)) for s, of in found.items()}


def _at_least(value: float | None, least: float) -> bool:
    return value is not None and value >= least


def _at_most(value: float | None, most: float) -> bool:
    return value is not None and value <= most
