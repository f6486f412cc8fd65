"""The arithmetic of the table of deciders, on a toy of two."""

import pytest

from benchmarks.deciders_table import (
    HABIT,
    Case,
    Found,
    Measured,
    rows,
    spelled,
    verdict,
    within,
)
from stretto.evaluate.intervals import Interval
from stretto.evaluate.paired import Estimate, Sums
from stretto.evaluate.rows import Totals
from stretto.evaluate.setting import OFF
from tests.evaluate.test_paired import ONE, OTHER, row


def totals(saved: int, detours: int) -> Totals:
    """Totals in which only turns saved and detours are not 0."""
    counts = dict.fromkeys(Totals.__slots__, 0)
    return Totals(**counts | {"turns_saved": saved, "detours": detours})


def found(one: Sums, habit: Sums) -> Found:
    """A decider beside the habit, with the one's chosen threshold the habit's first."""
    deciders = {
        HABIT: Measured(habit, 0.4, habit, {}),
        "reach": Measured(one, 0.5, habit, {}),
    }
    return Found(Case("toy"), 4, 3, 3, 5, 4, 3, deciders)


SUMS = found(Sums.of(ONE), Sums.of(OTHER))


def test_the_threshold_saves_the_most_of_those_with_few_enough_detours():
    at = {0.1: totals(9, 8), 0.2: totals(7, 5), 0.3: totals(7, 4), 0.4: totals(6, 0)}

    assert within(at, 8) == 0.1
    assert within(at, 7) == 0.3  # as many turns as at 0.2, for fewer detours
    assert within(at | {0.35: totals(7, 4)}, 7) == 0.35  # of equals, the surer
    assert within(at, 3) == 0.4
    assert within({0.1: totals(9, 8)}, 3) == OFF


def test_a_difference_is_to_the_habit_at_the_threshold_of_its_kind():
    assert SUMS.beyond("reach", "turns saved").value == 6 - 3
    assert SUMS.beyond("reach", "turns saved", is_chosen=True).value == 0
    assert [cells[:2] for cells in rows(SUMS, ["turns saved"], is_chosen=True)] == [
        ["habit", "3 [0, 6]"],  # 0 and 6 are a draw in 27 each
        ["reach", "3 [0, 6]"],
        ["reach − habit", "0 [0, 0]"],
    ]


@pytest.mark.parametrize(
    ("estimate", "measure", "sign", "text"),
    [
        (Estimate(0.5036, Interval(0.48, 0.5254)), "agreement", "",
         "50.4% [48.0, 52.5]"),
        (Estimate(-0.02, Interval(-0.031, 0.0)), "agreement", "+", "−2.0 [−3.1, 0.0]"),
        (Estimate(0.8, Interval(0.75, 1.0)), "log loss", "", "0.800 [0.750, 1.000]"),
        (Estimate(-0.0001, None), "ECE", "+", "0.000"),
        (Estimate(1200.0, Interval(-3.4, 1500)), "lookups", "+",
         "+1,200 [−3, +1,500]"),
    ],
)  # fmt: skip
def test_numbers_are_spelled(estimate: Estimate, measure: str, sign: str, text: str):
    assert spelled(estimate, measure, sign=sign) == text


def test_a_case_counts_for_whichever_side_its_interval_leaves_out():
    few = Sums.of([(str(i), [], row(str(i), 9, 1, 3, 1)) for i in range(4)])
    many = Sums.of([(str(i), [], row(str(i), 9, 2, 5, 2 + i % 2)) for i in range(4)])
    cases = [found(many, few), found(few, many), found(few, few)]

    assert verdict(cases[:1], "reach", "turns saved", is_chosen=False) == "1 · 0"
    assert verdict(cases, "reach", "turns saved", is_chosen=False) == "1 · 1"
    assert verdict(cases[:1], "reach", "detours", is_chosen=False) == "0 · 1"
    assert verdict(cases, "reach", "turns saved", is_chosen=True) == "0 · 0"
