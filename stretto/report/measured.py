"""Figures of measures: shares, foresight, and series over sessions."""

from collections.abc import Sequence

from stretto.report.canvas import INK, KEY, LINE, SOFT, WARN, axes, short, svg

N_DOTS = 150
"""How many sessions have room for dots of the usual size."""


def shares_by_name(bars: Sequence[tuple[str, float, float, float]], label: str) -> str:
    """
    Bars of shares, each with its interval.

    Args:
        bars: Name, share, and the interval's ends, all in 0..1.
    """
    figure, (plot,) = axes(0.9 + 0.34 * max(len(bars), 1), 1)
    places = range(len(bars))
    plot.barh(
        places, [100 * bar[1] for bar in bars], color=KEY, height=0.62, alpha=0.75
    )
    for place, (_, value, low, high) in enumerate(bars):
        plot.plot([100 * low, 100 * high], [place, place], color=INK, linewidth=1.2)
        plot.annotate(
            f"{value:.1%}", (100 * max(value, high), place), (5, 0),
            textcoords="offset points", va="center", fontsize=8, color=SOFT,
        )  # fmt: skip
    plot.set_yticks(places, [short(bar[0]) for bar in bars])
    plot.invert_yaxis()
    plot.set_xlabel(label)
    plot.margins(x=0.12)
    plot.set_xlim(left=0)
    return svg(figure)


def by_order(points: Sequence[tuple[int, float, float]]) -> str:
    """
    How far the next action can be foretold from so many steps before it.

    Args:
        points: Steps of history, mean bits, and the share of first guesses that hit.
    """
    figure, (bits, hits) = axes(3.9, 2, ratios=(1, 1))
    orders = [point[0] for point in points]
    for plot, place, spelled in ((bits, 1, "{:.2f}"), (hits, 2, "{:.0%}")):
        values = [float(point[place]) for point in points]
        plot.plot(orders, values, color=KEY, marker="o", markersize=4)
        for order, value in zip(orders, values, strict=True):
            plot.annotate(
                spelled.format(value), (order, value), (0, 7),
                textcoords="offset points", ha="center", fontsize=8, color=SOFT,
            )  # fmt: skip
        plot.set_ylim(0, 1.3 * max(values, default=1.0) or 1.0)
        plot.set_xticks(orders)
    bits.set_ylabel("bits a step")
    bits.tick_params(labelbottom=False)
    hits.set_ylabel("first guess right")
    hits.set_xlabel("steps of history")
    return svg(figure)


def coverage(points: Sequence[tuple[float, float, float]]) -> str:
    """
    What a habit covers as the threshold rises, and how often it is then right.

    Args:
        points: Threshold, share of steps covered, and the share of those that agreed;
            the last is left out where nothing is covered.
    """
    figure, (plot,) = axes(3.2, 1)
    sure = [point for point in points if point[1] > 0]
    for of, place, colour, name in (
        (points, 1, KEY, "steps covered"),
        (sure, 2, WARN, "of those, agreed"),
    ):
        x, y = [p[0] for p in of], [p[place] for p in of]
        plot.plot(x, y, color=colour, marker="o", markersize=4)
        if of:
            at = min(1, len(of) - 1)
            plot.annotate(
                name, (x[at], y[at]), (6, 7), textcoords="offset points",
                fontsize=9, color=colour,
            )  # fmt: skip
    plot.set_xticks([p[0] for p in points], [f"{p[0]:g}" for p in points])
    plot.set_ylim(0, 1.08)
    plot.set_ylabel("share")
    plot.set_xlabel("threshold on the likeliest action's probability")
    return svg(figure)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
) -> str:
    """
    Shares by two names, darker where they are larger.

    Args:
        cells: By row and column, in 0..1; None where there is nothing to show.
    """
    figure, (plot,) = axes(1.3 + 0.36 * len(rows), 1)
    known = [cell for row in cells for cell in row if cell is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell is None:
                continue
            depth = 0.12 + 0.88 * (cell - low) / (high - low or 1.0)
            plot.fill_between([x, x + 1], y, y + 1, color=KEY, alpha=depth, linewidth=0)
            plot.annotate(
                f"{100 * cell:.0f}", (x + 0.5, y + 0.5), ha="center", va="center",
                fontsize=9, color="white" if depth > 0.55 else INK,
            )  # fmt: skip
    plot.set_yticks([y + 0.5 for y in range(len(rows))], [short(r) for r in rows])
    plot.set_xticks(
        [x + 0.5 for x in range(len(columns))], [short(c) for c in columns],
        rotation=25, ha="right",
    )  # fmt: skip
    plot.set_xlim(0, len(columns))
    plot.set_ylim(len(rows), 0)
    plot.spines[["left", "bottom"]].set_visible(False)
    plot.tick_params(length=0)
    plot.set_ylabel("habit of")
    plot.set_xlabel("held-out sessions of")
    return svg(figure)


def series(
    lines: Sequence[tuple[str, Sequence[float | None], Sequence[int]]],
) -> str:
    """
    Values from session to session, one plot above the other, with where they changed.

    Args:
        lines: Name, the value of each session if it has one, and the places of changes.
    """
    figure, plots = axes(1.5 * len(lines) + 0.5, len(lines), ratios=(1,) * len(lines))
    is_long = any(len(values) > N_DOTS for _, values, _ in lines)
    size, width = (1.2, 0.3) if is_long else (3, 0.8)
    for plot, (name, values, changes) in zip(plots, lines, strict=True):
        known = [(at, value) for at, value in enumerate(values) if value is not None]
        plot.plot(
            [at for at, _ in known], [value for _, value in known], color=KEY,
            marker="o", markersize=size, linewidth=width,
        )  # fmt: skip
        for start in changes:
            plot.axvline(start - 0.5, color=WARN, linewidth=1.5)
        plot.set_ylabel(name)
        plot.set_ylim(bottom=0)
        plot.set_xlim(-1, len(values))
        plot.grid(axis="y", color=LINE, linewidth=0.6)
    for plot in plots[:-1]:
        plot.tick_params(labelbottom=False)
    plots[-1].set_xlabel("session, in the order they took place")
    return svg(figure)
