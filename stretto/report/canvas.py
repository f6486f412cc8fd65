"""Axes to draw on, and a drawing as SVG text: the same for the same numbers."""

import io
import re

import matplotlib

matplotlib.use("svg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, SOFT, LINE, KEY, WARN = "#1c2330", "#5b6474", "#dfe3ea", "#2b5fa8", "#c2571a"
WIDTH = 6.4
"""Inches; the page scales it."""

_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def axes(
    height: float, rows: int, *, ratios: tuple[int, ...] = (1,)
) -> tuple[Figure, list[Axes]]:
    """
    A figure of `rows` plots, one above the other, without a frame.

    Args:
        height: In inches.
        ratios: The plots' heights, one to another.
    """
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = figure.subplots(rows, 1, squeeze=False, height_ratios=ratios)
    plots = [row[0] for row in grid]
    for each in plots:
        each.spines[["top", "right"]].set_visible(False)
        each.spines[["left", "bottom"]].set_color(LINE)
        each.tick_params(colors=SOFT, labelsize=8)
        each.xaxis.label.set(color=INK, size=9)
        each.yaxis.label.set(color=INK, size=9)
    return figure, plots


def svg(figure: Figure) -> str:
    """The figure as an `<svg>` element, its text as text, without a date or ids."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "stretto"}):
        figure.savefig(out, format="svg", metadata=_NO_METADATA)
    return re.sub(r"^.*?(?=<svg)", "", out.getvalue(), count=1, flags=re.DOTALL)


def short(name: str) -> str:
    """A name that fits beside a plot."""
    return name if len(name) <= 34 else f"{name[:33]}…"
