"""Figures as SVG text, drawn without a display and the same for the same numbers."""

import io
import re
from collections.abc import Sequence

import matplotlib

matplotlib.use("svg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, SOFT, LINE, KEY, WARN = "#1c2330", "#5b6474", "#dfe3ea", "#2b5fa8", "#c2571a"
WIDTH = 6.4
"""Inches; the page scales it."""

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


def failures_by_rule(rules: Sequence[tuple[str, float, float]]) -> str:
    """
    Bars of how often each rule fails an accepted write, two to a rule.

    Args:
        rules: Name, share of successful and share of failed sessions, in 0 to 1.
    """
    figure, (axes,) = _axes(0.9 + 0.36 * max(len(rules), 1), 1)
    places = range(len(rules))
    for shift, at, color, label in (
        (-0.18, 1, WARN, "sessions that succeeded"),
        (0.18, 2, KEY, "sessions that failed"),
    ):
        shares = [100 * float(rule[at]) for rule in rules]
        where = [place + shift for place in places]
        axes.barh(where, shares, color=color, height=0.34, label=label)
    axes.set_yticks(places, [_short(rule[0]) for rule in rules])
    axes.invert_yaxis()
    axes.set_xlabel("% with a failure")
    axes.legend(fontsize=8, frameon=False, loc="lower right")
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


def _short(name: str) -> str:
    return name if len(name) <= 34 else f"{name[:33]}…"


def _svg(figure: Figure) -> str:
    """The figure as an `<svg>` element, its text as text, without a date or ids."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "stretto"}):
        figure.savefig(out, format="svg", metadata=_NO_METADATA)
    return re.sub(r"^.*?(?=<svg)", "", out.getvalue(), count=1, flags=re.DOTALL)
