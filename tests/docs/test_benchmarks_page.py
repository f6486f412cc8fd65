"""The page of benchmarks: its numbers are measured, its reading is written by hand."""

import json

import pytest

from benchmarks.fastest import merged, table
from benchmarks.fastest_page import renewed
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "results" / "benchmarks.md").read_text(encoding="utf-8")

RUN = {
    "date": "2026-12-01",
    "machine": {"cpu": "a CPU", "cores": 2, "system": "Linux", "python": "3.11.7"},
    "versions": {"numpy": "2.4.6", "jax": "0.10.2", "numpyro": "0.22.0"},
    "load": 0.1,
    "runs": 3,
}


def measured(seconds: float, baseline: float) -> dict[str, object]:
    return {
        "min": seconds,
        "median": 2 * seconds,
        "baseline": "a loop",
        "baseline_s": baseline,
        "ratio": baseline / seconds,
        "bar": None,
    }


def test_the_pages_table_is_of_the_baseline() -> None:
    text = (ROOT / "benchmarks" / "baseline.json").read_text(encoding="utf-8")

    assert f"\n{table(json.loads(text)['seconds'])}\n" in PAGE


def test_a_renewed_page_has_new_numbers_above_the_same_reading() -> None:
    seconds = {"test_a.py::test_one_way_beside_another": measured(0.004, 0.1)}
    page = renewed(PAGE, {**RUN, "seconds": seconds})

    assert "Measured on 1 December 2026, on 2 cores (a CPU, load 0.1 before)" in page
    assert "the fastest of three runs of" in page
    assert "| one way beside another | 4 ms |  | a loop | 25 × |  |\n\n## What" in page
    assert page.split("## What")[1] == PAGE.split("## What")[1]
    assert renewed(page, {**RUN, "seconds": seconds}) == page


def test_a_page_without_a_reading_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="What the numbers say"):
        renewed("# Benchmarks\n", {**RUN, "seconds": {}})


def test_a_benchmark_and_what_it_is_beside_are_each_of_their_fastest_run() -> None:
    [found] = merged(
        [{"a": measured(0.004, 0.1)}, {"a": measured(0.002, 0.3)}]
    ).values()

    assert (found["min"], found["median"], found["baseline_s"]) == (0.002, 0.004, 0.1)
    assert found["ratio"] == 50.0
