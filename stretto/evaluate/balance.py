"""Sums in rows, one a task or a draw, and what turns and detours come to in each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stretto.evaluate.intervals import Floats
from stretto.evaluate.outlay import Column, Sum


class TokenPrices(NamedTuple):
    """What tokens cost beside uncached input; as they stand, input alone counts."""

    output: float = 0.0
    read: float = 1.0
    """Input that the cache held."""
    write: float = 1.0
    """Input that the cache is given."""


INPUT = TokenPrices()


class Means(NamedTuple):
    """Row by row; NaN where there is nothing to take a mean of."""

    turns: Floats
    detours: Floats
    beta: Floats
    delta: Floats

    @property
    def theta(self) -> Floats:
        """θ*."""
        return _mean(self.delta, self.beta + self.delta)


@dataclass(frozen=True)
class Balance:
    """Sums by row and column, and what a token costs."""

    columns: Sequence[Column]
    rows: Floats
    prices: TokenPrices

    @cached_property
    def places(self) -> Mapping[Column, int]:
        """Where each sum stands."""
        return {column: place for place, column in enumerate(self.columns)}

    @cached_property
    def sites(self) -> list[str]:
        """The sites with a ceiling turn or a detour."""
        what = (Sum.CEILING, Sum.DETOURS)
        return sorted({c.site for c in self.columns if c.what in what})

    @cached_property
    def looked_up(self) -> Mapping[tuple[str, str], list[str]]:
        """By agent and site: the tools that detours looked up."""
        found: dict[tuple[str, str], list[str]] = {}
        for column in self.columns:
            if column.what is Sum.DETOURS:
                found.setdefault((column.agent, column.site), []).append(column.tool)
        return found

    def of(self, agent: str, what: Sum, site: str = "", tool: str = "") -> Floats:
        """One sum, row by row."""
        place = self.places.get(Column(agent, what, site, tool))
        return np.zeros(len(self.rows)) if place is None else self.rows[:, place]

    def tokens(self, agent: str) -> Floats:
        """Tokens a character."""
        return _ratio(self.of(agent, Sum.GROWN), self.of(agent, Sum.ADDED))

    def saved(self, agent: str, site: str) -> Floats:
        """What the site's ceiling turns come to."""
        output, read, write = self.prices
        once = self.of(agent, Sum.CALLS_ONCE, site)
        again = self.of(agent, Sum.CALLS_AGAIN, site)
        return (
            read * self.of(agent, Sum.PROMPT, site)
            + output * self.of(agent, Sum.OUTPUT, site)
            + self.tokens(agent) * (write * once + read * again)
        )

    def wasted(self, agent: str, site: str) -> Floats:
        """What the site's detours come to."""
        characters = np.zeros(len(self.rows))
        for tool in self.looked_up.get((agent, site), ()):
            length = _ratio(
                self.of(agent, Sum.RESULT, tool=tool),
                self.of(agent, Sum.RESULTS, tool=tool),
            )
            characters += self.of(agent, Sum.DETOURS, site, tool) * length
        return self.tokens(agent) * characters * self._stay(agent, site)

    def means(self, agents: Sequence[str], sites: Sequence[str]) -> Means:
        """β, δ and what they are means over."""
        turns, detours, saved, wasted = (np.zeros(len(self.rows)) for _ in range(4))
        for agent in agents:
            for site in sites:
                turns += self.of(agent, Sum.CEILING, site)
                saved += self.saved(agent, site)
                wasted += self.wasted(agent, site)
                for tool in self.looked_up.get((agent, site), ()):
                    detours += self.of(agent, Sum.DETOURS, site, tool)
        return Means(turns, detours, _mean(saved, turns), _mean(wasted, detours))

    def _stay(self, agent: str, site: str) -> Floats:
        """What a token costs that stays from a result at the site to the end."""
        calls = self.of(agent, Sum.PASSED, site)
        once = _ratio(self.of(agent, Sum.LEFT_ONCE, site), calls)
        again = _ratio(self.of(agent, Sum.LEFT_AGAIN, site), calls)
        return self.prices.write * once + self.prices.read * again


def _mean(part: Floats, whole: Floats) -> Floats:
    """NaN where there is no whole."""
    return np.where(whole > 0, _ratio(part, whole), np.nan)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
