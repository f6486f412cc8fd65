"""A replay with one site's threshold changed at a time."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from stretto.report.document import Figure, Heading, Part, Prose, table
from stretto.report.drawing import Drawing

ALONE = (
    "Each row changes one site's threshold and leaves every other as it is: turns "
    "saved and detours, and by how much the change moves them. A site "
    "whose threshold changes nothing is left out."
)


class Point(NamedTuple):
    """What a replay came to with one site's threshold changed and no other."""

    threshold: float
    """Above 1 the flow is off at the site."""
    turns_saved: int
    lookups: int
    detours: int


def site_parts(
    here: tuple[int, int], sites: Mapping[str, Sequence[Point]], draw: Drawing | None
) -> list[Part]:
    """
    What changing each site's threshold alone comes to.

    Args:
        here: The turns saved and the detours with none changed.
    """
    saved, detours = here
    moved = {
        site: stretches
        for site, points in sites.items()
        if (stretches := _stretches(points, (saved, detours)))
    }
    rows = [
        (
            site, _span(stretch), stretch[0].turns_saved,
            f"{stretch[0].turns_saved - saved:+}", stretch[0].detours,
            f"{stretch[0].detours - detours:+}",
        )
        for site, stretches in moved.items()
        for stretch in stretches
    ]  # fmt: skip
    headers = ("site", "threshold", "turns saved", "change", "detours", "change")
    parts: list[Part] = [Heading("Sites"), Prose(ALONE)]
    if draw is not None:
        lines = {
            site: [(p.detours, p.turns_saved) for p in sites[site]] for site in moved
        }
        picture = draw.sites_apart(lines, (detours, saved))
        parts.append(Figure(picture, "Each line moves one site's threshold alone."))
    return [*parts, table(headers, rows, text=2)]


def _stretches(
    points: Sequence[Point], here: tuple[int, int]
) -> list[tuple[Point, ...]]:
    """Neighbouring thresholds that change things, and change them alike."""
    grouped = groupby(points, key=lambda p: (p.turns_saved, p.detours))
    return [tuple(stretch) for came_to, stretch in grouped if came_to != here]


def _span(stretch: Sequence[Point]) -> str:
    names = ["off" if p.threshold > 1 else f"{p.threshold:g}" for p in stretch]
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
