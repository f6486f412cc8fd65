"""Guards against recorded sessions: what they would have said of every write."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, ToolResult
from stretto.evaluate.intervals import Interval, share_interval
from stretto.guards.evidence import Evidence, Group, Three
from stretto.guards.facts import Exchange
from stretto.guards.guard import Guard, Guards, Ruling, refusal
from stretto.guards.proposal import Choices, Flag
from stretto.guards.verdict import Outcome

N_EXAMPLES = 3
"""How many failures of each rule an audit names, of each group of writes."""
ENDED = (Group.SUCCESSFUL, Group.FAILED, Group.UNGRADED)
"""The groups of accepted writes, which are also the ways that sessions end."""


class Firing(NamedTuple):
    """A write that a rule fails."""

    episode: str
    task: str
    group: Group
    tool: str
    reason: str


@dataclass(slots=True)
class RuleCounts:
    """What one rule said of the writes that it is about."""

    guard: Guard
    verdicts: Counter[tuple[Group, Outcome]] = field(default_factory=Counter)
    episodes: Counter[Group] = field(default_factory=Counter)
    """The sessions with an accepted write that it fails, by how they ended."""
    firings: list[Firing] = field(default_factory=list)
    """The first of its failures in each group."""
    broken: int = 0
    """How often its check raised."""

    def of(self, group: Group) -> Three:
        """The writes of a group."""
        return Three(*(self.verdicts[group, outcome] for outcome in Outcome))


class Session(NamedTuple):
    """How a session ended, and whether it would have been refused an accepted write."""

    task: str
    ended: Group
    is_refused: bool


class Write(NamedTuple):
    """A call that guards are about, and what they said of it."""

    call: ToolCall
    result: ToolResult | None
    rulings: list[Ruling]
    flags: list[Flag]
    """Its arguments that look like another record's."""
    exchange: Exchange
    """What was said last before it."""

    def became(self, ending: Group) -> Group | None:
        """Its group in a session that ended so; None where it never returned."""
        if self.result is None:
            return None
        return Group.REFUSED if self.result.error else ending


@dataclass(slots=True)
class GuardAudit:
    """Every write of some sessions, checked against what came before it."""

    guards: Guards
    rules: dict[str, RuleCounts]
    sessions: list[Session] = field(default_factory=list)
    writes: Counter[Group] = field(default_factory=Counter)
    unanswered: int = 0
    """Writes without a result, which are not counted."""
    elsewhere: int = 0
    """Sessions that say they are of another domain, which are not counted."""
    flagged: Counter[Group] = field(default_factory=Counter)
    """The writes with an argument that looks like another record's."""
    flags: list[Firing] = field(default_factory=list)
    """The first of them in each group."""
    _digests: list[bytes] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Of the sessions, in whichever order they were read."""
        return hashlib.sha256(b"".join(sorted(self._digests))).hexdigest()

    def ended(self, group: Group) -> int:
        """How many sessions ended so."""
        return sum(session.ended is group for session in self.sessions)

    def refused(self, group: Group) -> int:
        """In how many of them an enforced rule fails an accepted write."""
        return sum(s.is_refused for s in self.sessions if s.ended is group)

    def refused_share(self, group: Group) -> Interval | None:
        """The 95% interval, over tasks, of their share; None for too few tasks."""
        those = [s for s in self.sessions if s.ended is group]
        tasks, parts = [s.task for s in those], [s.is_refused for s in those]
        return share_interval(tasks, parts, [1] * len(those))

    def evidence(self, rule: str, digest: str) -> Evidence:
        """What a rule file keeps of this audit."""
        counts = {group: self.rules[rule].of(group) for group in Group}
        return Evidence(digest, self.digest, len(self.sessions), counts)

    def add(self, episode: Episode, *, n_examples: int = N_EXAMPLES) -> None:
        """Check an episode's writes."""
        if is_elsewhere(self.guards, episode):
            self.elsewhere += 1
            return
        ending, is_refused, failing = ending_of(episode), False, set()
        for write in writes(self.guards, episode):
            group = write.became(ending)
            if group is None:
                self.unanswered += 1
                continue
            self._count(episode, write, group, n_examples)
            if group is ending:
                failing |= {r.guard.rule for r in write.rulings if _fails(r)}
                is_refused |= refusal(write.rulings) is not None
        for rule in failing:
            self.rules[rule].episodes[ending] += 1
        self.sessions.append(Session(episode.task_or_id, ending, is_refused))
        self._digests.append(_digest(episode))

    def _count(
        self, episode: Episode, write: Write, group: Group, n_examples: int
    ) -> None:
        fires = _firing(episode, write, group)
        for ruling in write.rulings:
            counts = self.rules[ruling.guard.rule]
            counts.verdicts[group, ruling.verdict.outcome] += 1
            counts.broken += ruling.has_broken
            if _fails(ruling) and _are_fewer(counts.firings, group, n_examples):
                counts.firings.append(fires(ruling.verdict.reason))
        self.writes[group] += 1
        if write.flags:
            self.flagged[group] += 1
            if _are_fewer(self.flags, group, n_examples):
                told = ", ".join(
                    f"{flag.argument} {flag.value}" for flag in write.flags
                )
                self.flags.append(fires(told))


def audit_guards(
    guards: Guards, episodes: Iterable[Episode], *, n_examples: int = N_EXAMPLES
) -> GuardAudit:
    """What the guards say of every write, in one pass over the episodes."""
    found = GuardAudit(guards, {g.rule: RuleCounts(g) for g in guards.rules})
    for episode in episodes:
        found.add(episode, n_examples=n_examples)
    return found


def writes(guards: Guards, episode: Episode) -> Iterator[Write]:
    """
    An episode's writes, each with what its guards say, given what came before.

    A turn's calls are all checked before any of their results is known.
    """
    facts, results, tools = guards.facts(), episode.results(), guards.tools
    choices = Choices(facts)
    for event in episode.events:
        for call in event.calls if isinstance(event, AssistantTurn) else ():
            if call.tool in tools:
                rulings = guards.check(facts, call)
                flags = choices.flags(call)
                yield Write(call, results.get(call.id), rulings, flags, facts.exchange)
        facts.take(event)


def is_elsewhere(guards: Guards, episode: Episode) -> bool:
    """Whether an episode says that it is of another domain than the guards."""
    return bool(episode.domain and guards.domain and episode.domain != guards.domain)


def ending_of(episode: Episode) -> Group:
    """The group of an episode's accepted writes."""
    if episode.reward is None:
        return Group.UNGRADED
    return Group.SUCCESSFUL if episode.succeeded else Group.FAILED


def _fails(ruling: Ruling) -> bool:
    return ruling.verdict.outcome is Outcome.FAIL


def _are_fewer(firings: Iterable[Firing], group: Group, than: int) -> bool:
    """Whether less of a group is kept."""
    return sum(firing.group is group for firing in firings) < than


def _firing(episode: Episode, write: Write, group: Group) -> Callable[[str], Firing]:
    def fires(reason: str) -> Firing:
        return Firing(episode.id, episode.task, group, write.call.tool, reason)

    return fires


def _digest(episode: Episode) -> bytes:
    """Of everything in an episode that an audit goes by."""
    whole = hashlib.sha256(_encoded([episode.task, ending_of(episode)]))
    for event in episode.events:
        match event:
            case AssistantTurn(text, calls):
                made: list[Json] = [[c.id, c.tool, c.arguments] for c in calls]
                whole.update(_encoded(["assistant", text, made]))
            case ToolResult(call_id, tool, error, content):
                whole.update(_encoded(["result", call_id, tool, error, content]))
            case _:
                whole.update(_encoded(["user", event.text]))
    return whole.digest()


def _encoded(value: list[Json]) -> bytes:
    return compact(value).encode(errors="surrogatepass") + b"\n"
