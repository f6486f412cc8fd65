"""
The fastest of several runs of the benchmarks, and a table of them.

On a machine that others use too, the fastest of several runs says most about the code;
a benchmark and what it is beside are each taken from the run that was fastest at it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Measured = dict[str, Any]


def merged(runs: Iterable[Mapping[str, Measured]]) -> dict[str, Measured]:
    """The fastest of each benchmark, by name."""
    found: dict[str, Measured] = {}
    for run in runs:
        for name, measured in run.items():
            best = found.setdefault(name, {**measured})
            for time in {"min", "median", "baseline_s"} & measured.keys():
                best[time] = min(best[time], measured[time])
    for measured in found.values():
        if "baseline_s" in measured:
            measured["ratio"] = float(f"{measured['baseline_s'] / measured['min']:.3g}")
    return found


def table(measured: Mapping[str, Measured]) -> str:
    """The benchmarks that stand beside something, as Markdown."""
    head = "| what | fastest | each | beside | which takes | target |"
    rows = [_row(name, m) for name, m in measured.items() if "baseline_s" in m]
    return "\n".join([head, "|---|--:|--:|---|--:|--:|", *rows]) + "\n"


def _row(name: str, measured: Measured) -> str:
    of = measured.get("n")
    each = "" if of is None else _time(measured["min"] / of)
    bar = "" if measured["bar"] is None else f"≥ {_times(measured['bar'])}"
    cells = [
        name.split("::test_")[1].translate(_SPOKEN),
        _time(measured["min"]),
        each,
        measured["baseline"],
        _times(measured["ratio"]),
        bar,
    ]
    return f"| {' | '.join(cells)} |"


_SPOKEN = str.maketrans({"_": " ", "[": " (", "]": ")"})


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 10 else f"{ratio:.2g} ×"


def _time(seconds: float) -> str:
    for unit, length in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
