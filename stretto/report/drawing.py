"""What can be drawn, so that reports name no plotting library and need none as text."""

import importlib
from collections.abc import Sequence
from typing import Protocol, cast


class Drawing(Protocol):
    """Figures as SVG text; `stretto.report.figures` says what each takes."""

    def reliability(self, bins: Sequence[tuple[float, float, int]]) -> str:
        """A calibration curve."""

    def surprise_by_site(self, sites: Sequence[tuple[str, float, int]]) -> str:
        """Bars of surprise."""

    def saved_against_detours(self, points: Sequence[tuple[float, int, int]]) -> str:
        """A curve of thresholds."""

    def spread(self, draws: Sequence[float], seen: float, label: str) -> str:
        """A histogram with one value marked."""

    def failures_by_rule(self, rules: Sequence[tuple[str, float, float]]) -> str:
        """Bars of how often rules fail a write."""


def drawing() -> Drawing:
    """The figures; matplotlib is imported here, and only when a page is wanted."""
    return cast(Drawing, importlib.import_module("stretto.report.figures"))
