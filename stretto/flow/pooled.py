"""What the agent did after each call, whatever came before it."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import parse
from stretto.flow.flow import Flow
from stretto.habit.backoff import Backoff, Counts


class Called(NamedTuple):
    """A call, by its tool's id and whether it failed."""

    action: int
    failed: bool


Pooled: TypeAlias = Mapping[Called, Counts]
"""The steps after each call; a call that ended its session has none."""

NONE = Counts({}, 0.0)
"""After a call that training never saw."""


def pooled(backoff: Backoff) -> Pooled:
    """The counts of one-step histories, summed over the features of their results."""
    by_action: dict[Called, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    totals: dict[Called, float] = defaultdict(float)
    for level in backoff.levels[1:2]:
        for (code,), counts in level.items():
            symbol = parse(code)
            if symbol is None or symbol.outcome not in (Outcome.OK, Outcome.ERROR):
                continue
            called = Called(symbol.action, symbol.outcome is Outcome.ERROR)
            totals[called] += counts.total
            for action, n in counts.by_action.items():
                by_action[called][action] += n
    return {called: Counts(dict(by_action[called]), n) for called, n in totals.items()}


def called(flow: Flow, site: Site) -> Called:
    """The call at a site, as the habit numbers it."""
    return Called(flow.vocab.id(site.tool), site.failed)


def sites_seen(flow: Flow, steps: Pooled) -> tuple[Site, ...]:
    """The calls of known tools that have a step after them, sorted."""
    tools = (None, *flow.vocab.tools)
    sites = (
        Site(tool, failed)
        for action, failed in steps
        if action < len(tools) and (tool := tools[action]) is not None
    )
    return tuple(sorted(sites))
