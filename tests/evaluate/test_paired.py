"""Deciders on the same sessions, with intervals over tasks."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from stretto.episodes.site import Site
from stretto.evaluate.calibration import calibration, expected_calibration_error
from stretto.evaluate.decisions import Scored
from stretto.evaluate.intervals import difference_interval, share_interval
from stretto.evaluate.paired import MEASURES, Session, Sums
from stretto.evaluate.rows import Row


def scored(p: float, actual: str) -> Scored:
    """A decision that gave `a` this probability, `other` a tenth, the rest to hand."""
    shares = {"a": p, "other": 0.1, "respond": 0.9 - p}
    return Scored(Site("get", False), shares, actual)


def row(task: str, turns: int, saved: int, lookups: int, detours: int) -> Row:
    """A replay's row in which only what is tabled varies."""
    counts = dict.fromkeys(Row.__slots__[1:], 0)
    counts |= {"turns": turns, "turns_saved": saved}
    return Row(task=task, **counts | {"lookups": lookups, "detours": detours})


ONE: Sequence[Session] = [
    ("2", [scored(0.6, "a"), scored(0.6, "respond")], row("2", 9, 3, 5, 1)),
    ("10", [scored(0.85, "a")], row("10", 7, 0, 2, 2)),
    ("2", [scored(0.2, "other")], row("2", 4, 1, 1, 0)),
    ("3", [scored(0.4, "respond")], row("3", 5, 2, 2, 0)),
]
OTHER: Sequence[Session] = [
    ("2", [scored(0.5, "a"), scored(0.3, "respond")], row("2", 9, 2, 3, 1)),
    ("10", [scored(0.7, "a")], row("10", 7, 1, 2, 1)),
    ("2", [scored(0.3, "other")], row("2", 4, 0, 0, 0)),
    ("3", [scored(0.5, "respond")], row("3", 5, 0, 4, 3)),
]


def parts(sessions: Sequence[Session]) -> list[tuple[str, Scored]]:
    """Every decision with its task."""
    return [(str(task), each) for task, scores, _ in sessions for each in scores]


def test_the_measures_are_those_worked_by_hand():
    sums = Sums.of(ONE)
    found = {name: sums.estimate(name).value for name in MEASURES}

    surprise = [-math.log(p) for p in (0.6, 0.3, 0.85, 0.5)]
    assert sums.tasks == ("10", "2", "3")
    assert found["decisions"] == 5
    assert found["agreement"] == 3 / 5
    assert found["log loss offered"] == pytest.approx(sum(surprise) / 4)
    assert found["log loss"] == pytest.approx((sum(surprise) - math.log(0.1)) / 5)
    # .6 twice, one of them taken; .85 and .5 taken; .7 not
    off = abs(1.2 - 1) + abs(0.85 - 1) + abs(0.5 - 1) + 0.7
    assert found["ECE"] == pytest.approx(off / 5)
    assert (found["turns saved"], found["share saved"]) == (6, 6 / 25)
    assert (found["lookups"], found["detours"]) == (10, 3)


def test_the_error_of_calibration_is_the_audit_s():
    tops = [(each.probabilities[each.top], each.agreed) for _, each in parts(OTHER)]

    expected = expected_calibration_error(calibration(tops))
    assert Sums.of(OTHER).estimate("ECE").value == pytest.approx(expected)


def test_intervals_are_those_of_shares_and_of_differences():
    one, other = Sums.of(ONE), Sums.of(OTHER)
    tasks = [task for task, _, _ in ONE]
    saved, turns = ([getattr(r, n) for *_, r in ONE] for n in ("turns_saved", "turns"))
    fewer = [r.turns_saved for *_, r in OTHER]
    named = [task for task, _ in parts(ONE)]
    agreed = [float(each.agreed) for _, each in parts(ONE)]

    share = share_interval(tasks, saved, turns)
    assert one.estimate("share saved").interval == pytest.approx(share)
    agreement = share_interval(named, agreed, [1.0] * len(agreed))
    assert one.estimate("agreement").interval == pytest.approx(agreement)
    more = one.beyond(other, "turns saved")
    assert more.value == 3
    assert more.interval == pytest.approx(difference_interval(tasks, saved, fewer))


def test_a_difference_is_paired_by_the_task():
    one, other = Sums.of(ONE), Sums.of(reversed(ONE))

    for measure in MEASURES:
        difference = one.beyond(other, measure)
        assert difference.value == pytest.approx(0)
        assert difference.interval == pytest.approx((0, 0))


def test_one_task_has_no_interval_and_other_tasks_no_difference():
    alone = Sums.of(ONE[:1])

    assert alone.estimate("turns saved").interval is None
    assert alone.beyond(alone, "ECE").interval is None
    with pytest.raises(ValueError, match="different tasks"):
        alone.beyond(Sums.of(ONE), "ECE")


def test_a_draw_without_a_decision_is_left_out_of_a_ratio():
    sums = Sums.of([("1", [], row("1", 2, 1, 1, 0)), ONE[1]])

    agreement = sums.estimate("agreement")
    assert agreement.interval == (1, 1)
    assert np.isnan(Sums.of([("1", [], ONE[1][2])]).estimate("agreement").value)
