"""
What a saved turn and a detour cost, in tokens, and the threshold that follows.

A lookup wanted with probability p gains pβ and loses (1 − p)δ, so it pays from
θ* = δ / (β + δ). β is the mean over ceiling turns of the prompt and of the calls for
every turn they would stay in it; δ is the mean over a replay's detours of the mean
result of the tool for the mean number of turns left at the site.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stretto.errors import StrettoError
from stretto.evaluate.balance import INPUT, Balance, TokenPrices
from stretto.evaluate.intervals import (
    N_DRAWS,
    SEED,
    Floats,
    Interval,
    drawn_sums,
    percentiles,
)
from stretto.evaluate.outlay import Sum, Sums
from stretto.flow.flow import Flow
from stretto.flow.options import MAX_THRESHOLD

ENOUGH = 20
"""The ceiling turns, and the detours, that a site's own threshold takes by default."""

DECIMALS = 4
"""Of a threshold that is written."""


class Estimate(NamedTuple):
    """A number, and its interval over tasks; None where there is nothing to go by."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Cost:
    """A saved turn against a detour, in tokens of uncached input."""

    ceiling_turns: int
    """The turns that β is a mean of: those that recorded their prompt."""
    detours: int
    beta: Estimate
    delta: Estimate
    threshold: Estimate
    """θ*."""

    def own(self, at_least: int = ENOUGH) -> float | None:
        """θ*, where there are so many ceiling turns and detours to figure it from."""
        enough = min(self.ceiling_turns, self.detours) >= at_least
        return self.threshold.value if enough else None


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of all sessions together, of each agent and at each site."""

    pooled: Cost
    agents: Mapping[str, Cost]
    sites: Mapping[str, Cost]
    characters: Mapping[str, float]
    """By agent: characters a token of its prompts."""
    prices: TokenPrices
    without_usage: tuple[str, ...]
    """The agents left out, since their sessions record no growing prompts."""


def costs(
    tasks: Sequence[str],
    sums: Sequence[Sums],
    prices: TokenPrices = INPUT,
    *,
    draws: int = N_DRAWS,
    seed: int = SEED,
) -> Costs:
    """
    The costs, from each episode's task and sums (`outlay`).

    Every agent's tokens are counted by its own characters a token; then β is the mean
    over all ceiling turns and δ that over all detours. A bootstrap draw figures
    everything anew, characters a token included, on the tasks drawn.

    Raises:
        StrettoError: no session records how many tokens its prompts had.
    """
    every = {column for of in sums for column in of}
    counted = {c.agent for c in every if c.what is Sum.GROWN}
    if not counted:
        raise StrettoError(
            "the sessions record no tokens, which a saved turn is counted in",
            hint="docs/how-to/choose-a-threshold.md estimates them from the texts",
        )
    used = sorted(column for column in every if column.agent in counted)
    rows = np.array([[of.get(column, 0.0) for column in used] for of in sums])
    by_task, drawn = drawn_sums(tasks, rows, draws=draws, seed=seed)
    whole = Balance(used, by_task.sum(axis=0, keepdims=True), prices)
    three = (whole, Balance(used, by_task, prices), Balance(used, drawn, prices))
    agents, sites = sorted(counted), whole.sites
    return Costs(
        pooled=_cost(*three, agents, sites),
        agents={agent: _cost(*three, [agent], sites) for agent in agents},
        sites={site: _cost(*three, agents, [site]) for site in sites},
        characters={a: float(1 / whole.tokens(a)[0]) for a in agents},
        prices=prices,
        without_usage=tuple(sorted({c.agent for c in every} - counted)),
    )


def thresholds(
    flow: Flow, found: Costs, *, by_site: bool = True, at_least: int = ENOUGH
) -> dict[str, float]:
    """
    θ* as a flow's `thresholds`, at each of its sites; one switched off stays off.

    A site has its own where there are `at_least` ceiling turns and detours to figure it
    from, and else the pooled one.

    Raises:
        StrettoError: there is no pooled θ*.
    """
    pooled = found.pooled.threshold.value
    if pooled is None:
        raise StrettoError(
            "there is no θ* to write: the replay made no detour, or no turn could "
            "have been spared",
            hint="a lower --threshold makes more detours",
        )
    off = {s: value for s, value in flow.thresholds.items() if value > MAX_THRESHOLD}
    names = {*map(str, flow.sites.next), *flow.thresholds}
    if flow.sites.every_read:
        names.update(found.sites)
    found_at = dict.fromkeys(sorted(names), pooled)
    for site in names & found.sites.keys() if by_site else ():
        own = found.sites[site].own(at_least)
        found_at[site] = pooled if own is None else own
    return {site: round(value, DECIMALS) for site, value in found_at.items()} | off


def _cost(
    whole: Balance,
    by_task: Balance,
    drawn: Balance,
    agents: Sequence[str],
    sites: Sequence[str],
) -> Cost:
    """The cost of some agents at some sites, with intervals from the draws."""
    now, drawn_means = whole.means(agents, sites), drawn.means(agents, sites)
    tasks = by_task.means(agents, sites)
    saved_in = int(np.count_nonzero(tasks.turns))
    wasted_in = int(np.count_nonzero(tasks.detours))
    return Cost(
        int(now.turns[0]),
        int(now.detours[0]),
        _estimate(now.beta, drawn_means.beta, saved_in),
        _estimate(now.delta, drawn_means.delta, wasted_in),
        _estimate(now.theta, drawn_means.theta, min(saved_in, wasted_in)),
    )


def _estimate(now: Floats, drawn: Floats, tasks: int) -> Estimate:
    """A value with its draws' interval; without one for fewer than two tasks."""
    value = float(now[0])
    if np.isnan(value):
        return Estimate(None, None)
    return Estimate(value, percentiles(drawn) if tasks > 1 else None)
