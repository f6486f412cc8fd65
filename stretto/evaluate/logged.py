"""Decisions as a log has them, with what each option came to, and rules for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.episodes.site import Site
from stretto.flow.deciders.protocol import Chances
from stretto.flow.options import within_reach


class Labels(NamedTuple):
    """What a lookup came to, or would have; all zero for handing back."""

    lookups: float = 0.0
    used: float = 0.0
    detours: float = 0.0
    turns: float = 0.0
    """The share it was of the first later turn that held it."""


class Option(NamedTuple):
    """A lookup as the log has it."""

    tool: str
    p: float
    habit: float
    chance: float | None
    """That of its arguments; None where it did not bind."""
    labels: Labels


@dataclass(frozen=True, slots=True)
class Logged:
    """One decision of a flow that explored, with every option's labels."""

    site: str
    decider: str
    epsilon: float
    greedy: str | None
    """What the flow would have taken; None for handing back."""
    taken: str | None
    propensity: float
    """How likely it was to take what it took."""
    options: Sequence[Option]
    session: str = ""
    """The one it was taken in; empty where nobody says."""
    is_live: bool = False
    """Whether lookups were made, so that only what was taken has a label to go by."""

    def option(self, tool: str) -> Option:
        """The option of a tool it offers."""
        return next(option for option in self.options if option.tool == tool)

    def chance_to_take(self, tool: str) -> float:
        """How likely the flow was to take a lookup it offers."""
        if tool == self.taken:
            return self.propensity
        others = [o for o in self._reachable() if o.tool != self.greedy]
        if tool == self.greedy:
            return 1.0 - self.epsilon if others else 1.0
        total = sum(o.p for o in others)
        found = sum(o.p for o in others if o.tool == tool)
        return self.epsilon * found / total if total else 0.0

    def chance_of(self, act: str | None) -> float:
        """How likely it was to take a lookup, or to hand back for None."""
        if act is not None:
            return self.chance_to_take(act)
        if self.taken is None:
            return self.propensity
        return 0.0 if self.greedy is not None else 1.0 - self.epsilon

    def _reachable(self) -> list[Option]:
        """The options it can take: those that bind, with any probability."""
        site = Site(self.site.removesuffix(" (error)"), False)
        allowed = within_reach(site, tuple(o.tool for o in self.options))
        return [
            o
            for o in self.options
            if o.tool in allowed and o.chance is not None and o.p > 0
        ]


@dataclass(frozen=True, slots=True)
class Target:
    """Another rule: a decider whose probabilities are in the log, and a threshold."""

    name: str
    decider: str
    threshold: float
    chances: Chances

    def acts(self, decision: Logged) -> str | None:
        """The lookup that the rule makes there; None where it hands back."""
        site = Site(decision.site.removesuffix(" (error)"), False)
        allowed = within_reach(site, tuple(o.tool for o in decision.options))
        weighed = [
            (o, o.p if self.decider == decision.decider else o.habit)
            for o in decision.options
            if o.tool in allowed
        ]
        if self.chances is Chances.INDEPENDENT:
            scored = [(o, p, p * o.chance) for o, p in weighed if o.chance is not None]
            scored = [s for s in scored if s[1] >= self.threshold and s[1] > 0]
            best = max(scored, key=lambda s: s[2], default=None)
        else:
            likeliest = max(weighed, key=lambda w: w[1], default=None)
            if likeliest is None or likeliest[0].chance is None or likeliest[1] <= 0:
                return None
            option, p = likeliest
            assert option.chance is not None
            best = (option, p, min(p, p * option.chance))
        return None if best is None or best[2] < self.threshold else best[0].tool
