"""Figures as SVG text, drawn without a display and the same for the same numbers."""

import io
import re
from collections.abc import Mapping, Sequence
from statistics import mean

import matplotlib

matplotlib.use("svg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, SOFT, LINE, KEY, WARN = "#1c2330", "#5b6474", "#dfe3ea", "#2b5fa8", "#c2571a"
WIDTH = 6.4
"""Inches; the page scales it."""

N_COLOURS = 8
"""How many sites get a colour and a name: those that move the sums most."""

_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def reliability(bins: Sequence[tuple[float, float, int]]) -> str:
    """
    A calibration curve over a histogram of its decisions.

    Args:
        bins: Mean probability, agreement and decisions of each tenth that has any.
    """
    figure, (curve, counts) = _axes(3.9, 2, ratios=(3, 1))
    curve.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    p = [b[0] for b in bins]
    curve.plot(p, [b[1] for b in bins], color=KEY, marker="o", markersize=4)
    curve.set_ylim(-0.03, 1.03)
    curve.set_ylabel("share that agreed")
    curve.tick_params(labelbottom=False)
    counts.bar(p, [b[2] for b in bins], width=0.06, color=KEY)
    counts.set_ylabel("decisions")
    counts.set_xlabel("probability of the likeliest option")
    for axes in (curve, counts):
        axes.set_xlim(0, 1)
    return _svg(figure)


def surprise_by_site(sites: Sequence[tuple[str, float, int]]) -> str:
    """
    Bars of the mean surprise at each site, the most decided on top.

    Args:
        sites: Name, mean surprise in nats, and decisions.
    """
    figure, (axes,) = _axes(0.9 + 0.3 * max(len(sites), 1), 1)
    places = range(len(sites))
    axes.barh(places, [s[1] for s in sites], color=KEY, height=0.62)
    axes.set_yticks(places, [_short(s[0]) for s in sites])
    axes.invert_yaxis()
    axes.set_xlabel("mean surprise, nats a decision")
    for place, (_, nats, n) in enumerate(sites):
        axes.annotate(
            f"n = {n}", (nats, place), (4, 0), textcoords="offset points",
            va="center", fontsize=8, color=SOFT,
        )  # fmt: skip
    axes.margins(x=0.15)
    return _svg(figure)


def saved_against_detours(points: Sequence[tuple[float, int, int]]) -> str:
    """
    Turns saved and detours made as the threshold rises.

    Args:
        points: Threshold, turns saved, detours.
    """
    figure, (axes,) = _axes(3.4, 1)
    axes.plot([p[2] for p in points], [p[1] for p in points], color=LINE, zorder=1)
    axes.scatter([p[2] for p in points], [p[1] for p in points], color=KEY, zorder=2)
    for detours, stacked in _stacked(points).items():
        (first, *_), (last, *_) = stacked[0], stacked[-1]
        label = f"{first:g}" if first == last else f"{first:g} to {last:g}"
        lowest = min(saved for _, saved, _ in stacked)
        axes.annotate(
            label, (detours, lowest), (5, -10), textcoords="offset points",
            fontsize=8, color=SOFT,
        )  # fmt: skip
    axes.set_xlabel("detours")
    axes.set_ylabel("LLM turns saved")
    axes.margins(0.1)
    axes.set_ylim(bottom=min(0, *axes.get_ylim()))
    return _svg(figure)


def sites_apart(
    lines: Mapping[str, Sequence[tuple[int, int]]], here: tuple[int, int]
) -> str:
    """
    Turns saved and detours as each site's threshold moves alone.

    Args:
        lines: By site: detours and turns saved, thresholds rising.
        here: The same without a change.
    """
    figure, (axes,) = _axes(3.8, 1)
    colours = matplotlib.color_sequences["tab10"]
    moved = sorted(lines, key=lambda site: -_reach(lines[site], here))
    for place, site in enumerate(moved):
        style = {"color": colours[place]} if place < N_COLOURS else {"color": LINE}
        points = lines[site]
        axes.plot(
            [p[0] for p in points], [p[1] for p in points], marker="o", markersize=3,
            linewidth=1, label=_short(site) if place < N_COLOURS else None, **style,
            zorder=2 if place < N_COLOURS else 1,
        )  # fmt: skip
    axes.scatter([here[0]], [here[1]], color=INK, marker="x", zorder=3, label="as is")
    axes.set_xlabel("detours")
    axes.set_ylabel("LLM turns saved")
    axes.margins(0.1)
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _svg(figure)


def front(
    points: Sequence[tuple[int, int]], by_hand: Sequence[tuple[str, int, int]]
) -> str:
    """
    The settings that no other one beats, and those chosen by hand.

    Args:
        points: Detours and turns saved.
        by_hand: Name, detours and turns saved.
    """
    figure, (axes,) = _axes(3.6, 1)
    ordered = sorted(points)
    x, y = [p[0] for p in ordered], [p[1] for p in ordered]
    axes.step(x, y, where="post", color=LINE, zorder=1)
    axes.scatter(x, y, color=KEY, s=16, zorder=2)
    for name, detours, saved in by_hand:
        axes.scatter([detours], [saved], color=WARN, marker="x", zorder=3)
        axes.annotate(
            name, (detours, saved), (6, -10), textcoords="offset points",
            fontsize=8, color=WARN,
        )  # fmt: skip
    axes.set_xlabel("detours")
    axes.set_ylabel("LLM turns saved")
    axes.margins(0.1)
    axes.set_ylim(bottom=min(0, *axes.get_ylim()))
    return _svg(figure)


def learning(points: Sequence[tuple[int, float, int]]) -> str:
    """
    The share of turns saved, and below it the detours, by tasks learned from.

    Args:
        points: Tasks, share of turns saved and detours of each draw.
    """
    figure, (saved, wasted) = _axes(4.4, 2, ratios=(3, 2))
    sizes = sorted({p[0] for p in points})
    for axes, place, scale in ((saved, 1, 100), (wasted, 2, 1)):
        means = [mean(scale * p[place] for p in points if p[0] == n) for n in sizes]
        axes.plot(sizes, means, color=KEY, linewidth=1.2)
        values = [scale * p[place] for p in points]
        axes.scatter([p[0] for p in points], values, color=SOFT, s=10, zorder=2)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, map(str, sizes))
        axes.minorticks_off()
        axes.set_ylim(bottom=min(0, *axes.get_ylim()))
    saved.set_ylabel("% of turns saved")
    saved.tick_params(labelbottom=False)
    wasted.set_ylabel("detours")
    wasted.set_xlabel("tasks learned from")
    return _svg(figure)


def spread(draws: Sequence[float], seen: float, label: str) -> str:
    """
    A histogram of simulated values, with the recorded one marked.

    Args:
        draws: One value a simulated run.
        seen: The recorded value.
    """
    figure, (axes,) = _axes(2.8, 1)
    axes.hist(draws, bins=40, color=KEY)
    axes.axvline(seen, color=WARN, linewidth=2)
    axes.annotate(
        "recorded", (seen, 1), (5, -10), xycoords=("data", "axes fraction"),
        textcoords="offset points", fontsize=9, color=WARN,
    )  # fmt: skip
    axes.set_xlabel(label)
    axes.set_ylabel("simulated runs")
    return _svg(figure)


def _axes(
    height: float, rows: int, *, ratios: tuple[int, ...] = (1,)
) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = figure.subplots(rows, 1, squeeze=False, height_ratios=ratios)
    axes = [row[0] for row in grid]
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
        each.spines[["left", "bottom"]].set_color(LINE)
        each.tick_params(colors=SOFT, labelsize=8)
        each.xaxis.label.set(color=INK, size=9)
        each.yaxis.label.set(color=INK, size=9)
    return figure, axes


def _stacked(
    points: Sequence[tuple[float, int, int]],
) -> dict[int, list[tuple[float, int, int]]]:
    """The points by their detours, thresholds rising: those stand above one another."""
    found: dict[int, list[tuple[float, int, int]]] = {}
    for point in sorted(points):
        found.setdefault(point[2], []).append(point)
    return found


def _reach(points: Sequence[tuple[int, int]], here: tuple[int, int]) -> int:
    return max(abs(x - here[0]) + abs(y - here[1]) for x, y in points)


def _short(name: str) -> str:
    return name if len(name) <= 34 else f"{name[:33]}…"


def _svg(figure: Figure) -> str:
    """The figure as an `<svg>` element, its text as text, without a date or ids."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "stretto"}):
        figure.savefig(out, format="svg", metadata=_NO_METADATA)
    return re.sub(r"^.*?(?=<svg)", "", out.getvalue(), count=1, flags=re.DOTALL)
