"""What can be drawn, so that reports name no plotting library and need none as text."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol, cast


class Drawing(Protocol):
    """Figures as SVG text; `stretto.report.figures` says what each takes."""

    def reliability(self, bins: Sequence[tuple[float, float, int]]) -> str:
        """A calibration curve."""

    def surprise_by_site(self, sites: Sequence[tuple[str, float, int]]) -> str:
        """Bars of surprise."""

    def saved_against_detours(self, points: Sequence[tuple[float, int, int]]) -> str:
        """A curve of thresholds."""

    def sites_apart(
        self, lines: Mapping[str, Sequence[tuple[int, int]]], here: tuple[int, int]
    ) -> str:
        """A curve for each site."""

    def front(
        self,
        points: Sequence[tuple[int, int]],
        by_hand: Sequence[tuple[str, int, int]],
    ) -> str:
        """A front of settings, and some that are not on it."""

    def learning(self, points: Sequence[tuple[int, float, int]]) -> str:
        """A learning curve."""

    def spread(self, draws: Sequence[float], seen: float, label: str) -> str:
        """A histogram with one value marked."""

    def failures_by_rule(self, rules: Sequence[tuple[str, float, float]]) -> str:
        """Bars of how often rules fail a write."""

    def shares_by_name(
        self, bars: Sequence[tuple[str, float, float, float]], label: str
    ) -> str:
        """Bars of shares with their intervals."""

    def by_order(self, points: Sequence[tuple[int, float, float]]) -> str:
        """Bits and hits by the steps of history."""

    def coverage(self, points: Sequence[tuple[float, float, float]]) -> str:
        """Coverage and agreement by threshold."""

    def heat_map(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Sequence[Sequence[float | None]],
    ) -> str:
        """Shares by two names."""

    def series(
        self, lines: Sequence[tuple[str, Sequence[float | None], Sequence[int]]]
    ) -> str:
        """Values from session to session, with where they changed."""


def drawing() -> Drawing:
    """The figures; matplotlib is imported here, and only when a page is wanted."""
    return cast(Drawing, importlib.import_module("stretto.report.figures"))
