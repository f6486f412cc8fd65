"""A guard: one rule of a domain's written policy, checked before a call of a tool."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Self, TypeAlias

from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Facts
from stretto.guards.sources import Sources
from stretto.guards.verdict import Outcome, Verdict, unknown
from stretto.plugins import Registry

Check: TypeAlias = Callable[[Facts, ToolCall], Verdict]


class Ruling(NamedTuple):
    """What one guard said of one call."""

    guard: "Guard"
    verdict: Verdict
    has_broken: bool = False
    """Whether the check raised, so that its verdict is unknown."""

    @property
    def refuses(self) -> bool:
        """Whether the call is not to be made."""
        return self.guard.enforced and self.verdict.outcome is Outcome.FAIL

    @property
    def reason(self) -> str:
        """Why, with the rule it goes by."""
        return f"{self.verdict.reason} (policy check {self.guard.rule})"


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule."""

    rule: str
    """Its id, `DOMAIN.NAME`."""
    policy: str
    """What the policy asks for, in one sentence."""
    tools: frozenset[str]
    """The tools whose calls it is about."""
    verdict: Check
    enforced: bool = True
    """Whether a failure refuses the call; otherwise it is only logged."""

    def check(self, facts: Facts, call: ToolCall) -> Ruling:
        """What it says of a call; a check that raises does not know."""
        try:
            return Ruling(self, self.verdict(facts, call))
        except Exception as bug:  # a mistake in a rule must not cost anybody a call
            why = f"the check broke: {type(bug).__name__}: {bug}"
            return Ruling(self, unknown(why), has_broken=True)


def rule(
    name: str, tools: Iterable[str], policy: str, *, enforced: bool = True
) -> Callable[[Check], Guard]:
    """Makes a function of facts and a call the guard of that name."""
    return lambda check: Guard(name, policy, frozenset(tools), check, enforced)


@dataclass(frozen=True, slots=True)
class Guards:
    """A domain's guards, and where their facts are found."""

    domain: str
    rules: tuple[Guard, ...]
    sources: Sources
    trusted: frozenset[str] | None = None
    """The only tools whose results are facts; None for every tool."""
    now: datetime | None = None
    """What time it is in the domain; None for the time of the check."""

    @property
    def tools(self) -> frozenset[str]:
        """The tools that any of the guards is about."""
        return frozenset().union(*(guard.tools for guard in self.rules))

    def facts(self) -> Facts:
        """The facts of a session in which nothing has happened."""
        return Facts(self.sources, trusted=self.trusted, now=self.now)

    def check(self, facts: Facts, call: ToolCall) -> list[Ruling]:
        """What each guard that the call's tool has says of it, in order."""
        return [g.check(facts, call) for g in self.rules if call.tool in g.tools]

    def at(self, now: datetime | None) -> Self:
        """The same guards, at that time."""
        return replace(self, now=now)

    def logged(self) -> Self:
        """The same guards, none of them enforced."""
        rules = tuple(replace(guard, enforced=False) for guard in self.rules)
        return replace(self, rules=rules)

    def trusting(self, tools: Iterable[str]) -> Self:
        """The same guards, with no other tools' results for facts."""
        return replace(self, trusted=frozenset(tools))


def refusal(rulings: Sequence[Ruling]) -> str | None:
    """Why a call is refused; None where no enforced rule is broken."""
    return "; ".join(ruling.reason for ruling in rulings if ruling.refuses) or None


GUARDS = Registry[Guards]("stretto.guards")
