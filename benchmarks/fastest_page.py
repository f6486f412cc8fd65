"""`benchmarks.md`: the numbers of `baseline.json`, above what was written of them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from benchmarks.fastest import table

READING = "## What the numbers say"
"""Where the part of the page begins that is written by hand."""

NUMBERS = {1: "one run", 2: "two runs", 3: "three runs", 4: "four runs"}


def renewed(page: str, baseline: Mapping[str, Any]) -> str:
    """
    The page with the numbers of a baseline.

    Raises:
        ValueError: the page has no part that is written by hand, which would be lost.
    """
    return f"{_opening(baseline)}\n{table(baseline['seconds'])}\n{_reading(page)}"


def _reading(page: str) -> str:
    _, heading, text = page.partition(f"\n{READING}\n")
    if not heading:
        raise ValueError(f"the page has no heading {READING!r}")
    return heading.lstrip() + text


def _opening(baseline: Mapping[str, Any]) -> str:
    machine, versions = baseline["machine"], baseline["versions"]
    day = date.fromisoformat(baseline["date"])
    runs = baseline["runs"]
    return _OPENING.format(
        day=f"{day.day} {day:%B %Y}",
        cores=machine["cores"],
        cpu=machine["cpu"],
        load=baseline["load"],
        python=machine["python"],
        runs=NUMBERS.get(runs, f"{runs} runs"),
        **versions,
    )


_OPENING = """\
# Benchmarks

Here you can see how long things take, each beside what it replaces or rests on.

Measured on {day}, on {cores} cores ({cpu}, load {load} before), with \
Python {python}, NumPy {numpy}, JAX {jax} and NumPyro {numpyro}, on CPU alone.
The numbers are the fastest of {runs} of

    python -m pytest -o addopts= benchmarks --benchmark-only --benchmark-json=RUN.json

merged, and written here, by `make baseline`.
`-o addopts=` leaves out the check of array shapes that the tests run under, which \
would slow everything that uses JAX down, NumPyro most.
Expect other absolute numbers elsewhere, and ratios within a third of these.

"Which takes" is how many times as long the thing beside it takes.
A target below 1 is a cost that is allowed: 0.33 × is three times as long as parsing.
"""
