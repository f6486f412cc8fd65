"""Figures as SVG text: of audits, replays, simulations and guards, and of measures."""

from collections.abc import Mapping, Sequence
from statistics import mean

import matplotlib

from stretto.report.canvas import INK, KEY, LINE, SOFT, WARN, axes, short, svg
from stretto.report.measured import (
    by_order,
    coverage,
    heat_map,
    series,
    shares_by_name,
)

__all__ = [
    "by_order",
    "coverage",
    "failures_by_rule",
    "heat_map",
    "reliability",
    "saved_against_detours",
    "series",
    "shares_by_name",
    "sites_apart",
    "spread",
    "surprise_by_site",
]

N_COLOURS = 8
"""How many sites get a colour and a name: those that move the sums most."""


def reliability(bins: Sequence[tuple[float, float, int]]) -> str:
    """
    A calibration curve over a histogram of its decisions.

    Args:
        bins: Mean probability, agreement and decisions of each tenth that has any.
    """
    figure, (curve, counts) = axes(3.9, 2, ratios=(3, 1))
    curve.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    p = [b[0] for b in bins]
    curve.plot(p, [b[1] for b in bins], color=KEY, marker="o", markersize=4)
    curve.set_ylim(-0.03, 1.03)
    curve.set_ylabel("share that agreed")
    curve.tick_params(labelbottom=False)
    counts.bar(p, [b[2] for b in bins], width=0.06, color=KEY)
    counts.set_ylabel("decisions")
    counts.set_xlabel("probability of the likeliest option")
    for plot in (curve, counts):
        plot.set_xlim(0, 1)
    return svg(figure)


def surprise_by_site(sites: Sequence[tuple[str, float, int]]) -> str:
    """
    Bars of the mean surprise at each site, the most decided on top.

    Args:
        sites: Name, mean surprise in nats, and decisions.
    """
    figure, (plot,) = axes(0.9 + 0.3 * max(len(sites), 1), 1)
    places = range(len(sites))
    plot.barh(places, [s[1] for s in sites], color=KEY, height=0.62)
    plot.set_yticks(places, [short(s[0]) for s in sites])
    plot.invert_yaxis()
    plot.set_xlabel("mean surprise, nats a decision")
    for place, (_, nats, n) in enumerate(sites):
        plot.annotate(
            f"n = {n}", (nats, place), (4, 0), textcoords="offset points",
            va="center", fontsize=8, color=SOFT,
        )  # fmt: skip
    plot.margins(x=0.15)
    return svg(figure)


def saved_against_detours(points: Sequence[tuple[float, int, int]]) -> str:
    """
    Turns saved and detours made as the threshold rises.

    Args:
        points: Threshold, turns saved, detours.
    """
    figure, (plot,) = axes(3.4, 1)
    plot.plot([p[2] for p in points], [p[1] for p in points], color=LINE, zorder=1)
    plot.scatter([p[2] for p in points], [p[1] for p in points], color=KEY, zorder=2)
    for close in _close(points):
        (first, *_), (last, *_) = close[0], close[-1]
        label = f"{first:g}" if first == last else f"{first:g} to {last:g}"
        corner = max(p[2] for p in close), min(p[1] for p in close)
        plot.annotate(
            label, corner, (5, -10), textcoords="offset points", fontsize=8, color=SOFT
        )
    plot.set_xlabel("detours")
    plot.set_ylabel("LLM turns saved")
    plot.margins(0.1)
    plot.set_ylim(bottom=min(0, *plot.get_ylim()))
    return svg(figure)


def sites_apart(
    lines: Mapping[str, Sequence[tuple[int, int]]], here: tuple[int, int]
) -> str:
    """
    Turns saved and detours as each site's threshold moves alone.

    Args:
        lines: By site: detours and turns saved, thresholds rising.
        here: The same without a change.
    """
    figure, (plot,) = axes(3.8, 1)
    colours = matplotlib.color_sequences["tab10"]
    moved = sorted(lines, key=lambda site: -_reach(lines[site], here))
    for place, site in enumerate(moved):
        style = {"color": colours[place]} if place < N_COLOURS else {"color": LINE}
        points = lines[site]
        plot.plot(
            [p[0] for p in points], [p[1] for p in points], marker="o", markersize=3,
            linewidth=1, label=short(site) if place < N_COLOURS else None, **style,
            zorder=2 if place < N_COLOURS else 1,
        )  # fmt: skip
    plot.scatter([here[0]], [here[1]], color=INK, marker="x", zorder=3, label="as is")
    plot.set_xlabel("detours")
    plot.set_ylabel("LLM turns saved")
    plot.margins(0.1)
    plot.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return svg(figure)


def front(
    points: Sequence[tuple[int, int]], by_hand: Sequence[tuple[str, int, int]]
) -> str:
    """
    The settings that no other one beats, and those chosen by hand.

    Args:
        points: Detours and turns saved.
        by_hand: Name, detours and turns saved.
    """
    figure, (plot,) = axes(3.6, 1)
    ordered = sorted(points)
    x, y = [p[0] for p in ordered], [p[1] for p in ordered]
    plot.step(x, y, where="post", color=LINE, zorder=1)
    plot.scatter(x, y, color=KEY, s=16, zorder=2)
    for name, detours, saved in by_hand:
        plot.scatter([detours], [saved], color=WARN, marker="x", zorder=3)
        plot.annotate(
            name, (detours, saved), (6, -10), textcoords="offset points",
            fontsize=8, color=WARN,
        )  # fmt: skip
    plot.set_xlabel("detours")
    plot.set_ylabel("LLM turns saved")
    plot.margins(0.1)
    plot.set_ylim(bottom=min(0, *plot.get_ylim()))
    return svg(figure)


def learning(points: Sequence[tuple[int, float, int]]) -> str:
    """
    The share of turns saved, and below it the detours, by tasks learned from.

    Args:
        points: Tasks, share of turns saved and detours of each draw.
    """
    figure, (saved, wasted) = axes(4.4, 2, ratios=(3, 2))
    sizes = sorted({p[0] for p in points})
    for plot, place, scale in ((saved, 1, 100), (wasted, 2, 1)):
        means = [mean(scale * p[place] for p in points if p[0] == n) for n in sizes]
        plot.plot(sizes, means, color=KEY, linewidth=1.2)
        values = [scale * p[place] for p in points]
        plot.scatter([p[0] for p in points], values, color=SOFT, s=10, zorder=2)
        plot.set_xscale("log", base=2)
        plot.set_xticks(sizes, map(str, sizes))
        plot.minorticks_off()
        plot.set_ylim(bottom=min(0, *plot.get_ylim()))
    saved.set_ylabel("% of turns saved")
    saved.tick_params(labelbottom=False)
    wasted.set_ylabel("detours")
    wasted.set_xlabel("tasks learned from")
    return svg(figure)


def spread(draws: Sequence[float], seen: float, label: str) -> str:
    """
    A histogram of simulated values, with the recorded one marked.

    Args:
        draws: One value a simulated run.
        seen: The recorded value.
    """
    figure, (plot,) = axes(2.8, 1)
    plot.hist(draws, bins=40, color=KEY)
    plot.axvline(seen, color=WARN, linewidth=2)
    plot.annotate(
        "recorded", (seen, 1), (5, -10), xycoords=("data", "axes fraction"),
        textcoords="offset points", fontsize=9, color=WARN,
    )  # fmt: skip
    plot.set_xlabel(label)
    plot.set_ylabel("simulated runs")
    return svg(figure)


def failures_by_rule(rules: Sequence[tuple[str, float, float]]) -> str:
    """
    Bars of how often each rule fails an accepted write, two to a rule.

    Args:
        rules: Name, share of successful and share of failed sessions, in 0 to 1.
    """
    figure, (plot,) = axes(0.9 + 0.36 * max(len(rules), 1), 1)
    places = range(len(rules))
    for shift, at, color, label in (
        (-0.18, 1, WARN, "sessions that succeeded"),
        (0.18, 2, KEY, "sessions that failed"),
    ):
        shares = [100 * float(rule[at]) for rule in rules]
        where = [place + shift for place in places]
        plot.barh(where, shares, color=color, height=0.34, label=label)
    plot.set_yticks(places, [short(rule[0]) for rule in rules])
    plot.invert_yaxis()
    plot.set_xlabel("% with a failure")
    plot.set_xlim(0, max(1.0, plot.get_xlim()[1]))
    plot.legend(
        fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2
    )
    return svg(figure)


def _close(
    points: Sequence[tuple[float, int, int]],
) -> list[list[tuple[float, int, int]]]:
    """The points, thresholds rising, in runs that have room for one label only."""
    width = 0.03 * (max(p[2] for p in points) - min(p[2] for p in points))
    runs: list[list[tuple[float, int, int]]] = []
    for point in sorted(points):
        if runs and abs(point[2] - runs[-1][0][2]) <= width:
            runs[-1].append(point)
        else:
            runs.append([point])
    return runs


def _reach(points: Sequence[tuple[int, int]], here: tuple[int, int]) -> int:
    return max(abs(x - here[0]) + abs(y - here[1]) for x, y in points)
