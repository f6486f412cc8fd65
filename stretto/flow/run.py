"""
A flow's program, given the flow: what its numbers, families and data stand for.

The families are predictives of the habit's counts, in plain Python; the program's
handlers do the rest, whether a run is scored, simulated or served.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.caps import PER_CALL
from stretto.flow.flow import Flow
from stretto.flow.options import options
from stretto.flow.pooled import NONE, Pooled, called, pooled
from stretto.program.ast import Program
from stretto.program.events import Steps
from stretto.program.families import Bernoulli, Categorical, Family
from stretto.program.run import Start, prepare
from stretto.program.standard import DATA
from stretto.program.values import Value


@dataclass(frozen=True, slots=True)
class Numbers:
    """The tools by number, as a program knows them; 0 is handing back."""

    names: tuple[str, ...]

    def of(self, tool: str) -> int:
        """A tool's number; for one the flow does not know, the number after all."""
        return self.names.index(tool) if tool in self.names else len(self.names)

    def tool(self, number: int) -> str | None:
        """The tool of a number; None for handing back and for no known tool."""
        return self.names[number] if 0 < number < len(self.names) else None


def numbers(flow: Flow) -> Numbers:
    """A flow's tools by number: its reads, then the manifest's others, each sorted."""
    reads = sorted(flow.sites.reads)
    others = sorted(set(flow.manifest.tools) - set(reads))
    return Numbers((RESPOND, *reads, *others))


def data(
    tools: Numbers, site: Site, *, max_lookups: int = PER_CALL
) -> dict[str, Value]:
    """What a run after the call at `site` is told."""
    values = (tools.of(site.tool), site.failed, max_lookups)
    return dict(zip(DATA, values, strict=True))


@dataclass(frozen=True, slots=True)
class Decide(Categorical):
    """Which lookup comes next, by number, or 0 to hand back."""

    site: Site | None = None
    """None after no tool the flow knows, where all that is left is handing back."""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Succeeds(Bernoulli):
    """Whether a call succeeds."""

    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Predictives:
    """What follows each call, and how each ends, given the counts so far."""

    decisions: Mapping[tuple[int, bool], Decide]
    outcomes: Mapping[int, Succeeds]

    def decide(self, prev: Value, failed: Value) -> Decide:
        """
        What follows a call, by its number.

        Raises:
            ValueError: the one is no number, or the other no boolean.
        """
        if type(failed) is not bool:
            raise ValueError("whether the call failed is no boolean")
        return self.decisions.get((_number(prev), failed), _NOWHERE)

    def outcome(self, tool: Value) -> Succeeds:
        """
        How a call ends, by its number.

        Raises:
            ValueError: it is no number.
        """
        return self.outcomes.get(_number(tool), _COIN)


_NOWHERE, _COIN = Decide((1.0,)), Succeeds(0.5)
"""For no tool the flow knows."""


def predictives(flow: Flow) -> Predictives:
    """
    A flat Dirichlet's predictive over handing back and the lookups of each site, and a
    flat Beta's over success.

    Both count what the habit saw after the call, whatever its features.
    """
    tools, after = numbers(flow), pooled(flow.habit.base)
    known = list(enumerate(tools.names))[1:]
    decisions = {
        (number, failed): _decide(flow, tools, after, Site(tool, failed))
        for number, tool in known
        for failed in (False, True)
    }
    outcomes = {number: _succeeds(flow, after, tool) for number, tool in known}
    return Predictives(decisions, outcomes)


def families(flow: Flow) -> Mapping[str, Family]:
    """What a flow's program may draw from: `Decide(prev, failed)` and `Outcome(d)`."""
    found = predictives(flow)
    return {
        "Decide": Family(int, 2, found.decide),
        "Outcome": Family(bool, 1, found.outcome),
    }


def _number(value: Value) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value} is no tool's number")
    return value


def _decide(flow: Flow, tools: Numbers, after: Pooled, site: Site) -> Decide:
    seen = after.get(called(flow, site), NONE)
    offered = options(flow, site)
    lookups = [seen.by_action.get(flow.vocab.id(tool), 0.0) for tool in offered]
    counts = [_rounded(n) for n in (max(0.0, seen.total - sum(lookups)), *lookups)]
    probs = [0.0] * (len(tools.names) + 1)
    for number, n in zip((0, *map(tools.of, offered)), counts, strict=True):
        probs[number] += (1 + n) / (len(counts) + sum(counts))
    return Decide(tuple(probs), site, offered)


def _succeeds(flow: Flow, after: Pooled, tool: str) -> Succeeds:
    ok, fail = (
        after.get(called(flow, Site(tool, failed)), NONE).total
        for failed in (False, True)
    )
    return Succeeds((ok + 1) / (ok + fail + 2), tool)


def _rounded(count: float) -> int:
    """Half away from zero, as published programs count."""
    return math.floor(count + 0.5)


@dataclass(frozen=True, slots=True)
class Runner:
    """Starts runs of a flow's program, checked and compiled once."""

    numbers: Numbers
    families: Mapping[str, Family]
    start: Start

    @classmethod
    def of(cls, flow: Flow, program: Program | None = None) -> "Runner":
        """
        The flow's own program, or another in its place.

        Raises:
            ProgramError: the program names something a flow does not have.
        """
        found = families(flow)
        program = flow.program if program is None else program
        return cls(numbers(flow), found, prepare(program, found, DATA))

    def after(self, site: Site, *, max_lookups: int = PER_CALL) -> Steps:
        """A run after a call."""
        return self.start(data(self.numbers, site, max_lookups=max_lookups))
