"""A measurement beside its baseline, taken in the same run on the same machine."""

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture


def beside(
    benchmark: BenchmarkFixture,
    run: Callable[[], Any],
    *,
    baseline: Callable[[], Any],
    named: str,
    times: int = 1,
    bar: float | None = None,
) -> None:
    """
    Measure `run`, and print how many times as long the baseline takes.

    Args:
        baseline: Run first, again and again for a second, and the fastest run counts;
            one that takes longer runs once, its compile counted if it has one.
        named: What the baseline is.
        times: How often the baseline is needed to do what `run` does.
        bar: The ratio aimed for.
    """
    took = _fastest(baseline) * times
    benchmark(run)
    fastest = benchmark.stats.stats.min
    benchmark.extra_info |= {
        "baseline": named,
        "baseline_s": took,
        "ratio": took / fastest,
        "bar": bar,
    }
    aimed = "" if bar is None else f" (aimed for: {bar:,.0f})"
    print(
        f"\n{benchmark.name}: {fastest:.3g} s; {named}: {took:.3g} s; "
        f"{took / fastest:,.1f} times as long{aimed}"
    )


def _fastest(run: Callable[[], Any]) -> float:
    spent, fastest = 0.0, inf
    while spent < 1.0:
        began = perf_counter()
        run()
        took = perf_counter() - began
        spent, fastest = spent + took, min(fastest, took)
    return fastest
