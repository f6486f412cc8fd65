"""Held-out decisions under a local model, beside the habit."""

import json
import math

import pytest

from stretto.evaluate.local import Judged, compare, comparison_json


def judged(task: str, agent: str, taken: str, habit: float, local: float) -> Judged:
    """A decision between `a` and `b`, by the chance that each gave to `a`."""
    chances = {
        name: {"a": p, "b": 1 - p} for name, p in (("habit", habit), ("local", local))
    }
    return Judged(task, agent, taken, chances)


DECISIONS = [
    judged("1", "x", "a", habit=0.5, local=0.8),
    judged("1", "x", "b", habit=0.9, local=0.6),
    judged("2", "y", "b", habit=0.2, local=0.0),
    judged("3", "y", "a", habit=0.0, local=0.5),
]


def test_the_figures_are_those_worked_by_hand():
    found = compare(DECISIONS)

    habit = -(math.log(0.5) + math.log(0.1) + math.log(0.8) + math.log(1e-6)) / 4
    local = -(math.log(0.8) + math.log(0.4) + math.log(0.5)) / 4
    assert (found.decisions, found.tasks) == (4, 3)
    assert found.scores["habit"].log_loss == pytest.approx(habit)
    assert found.scores["local"].log_loss == pytest.approx(local)
    assert found.scores["habit"].agreement == 0.5
    assert found.scores["local"].agreement == 0.75
    # tenths of the top probability: .8 and .6 and 1 and .5, of which .6 was not taken
    assert found.scores["local"].ece == pytest.approx((0.2 + 0.6 + 0.0 + 0.5) / 4)
    assert found.gains["local"][0] == pytest.approx(habit - local)
    assert found.agents["x"][0] == 2
    assert found.agents["x"][1]["local"] == pytest.approx(-math.log(0.8 * 0.4) / 2)


def test_an_interval_holds_its_mean_and_is_absent_for_one_task():
    found = compare(DECISIONS)
    gain, interval = found.gains["local"]

    assert interval is not None
    assert interval.low < gain < interval.high
    assert compare(DECISIONS[:2]).gains["local"][1] is None


def test_a_comparison_is_json():
    told = json.loads(json.dumps(comparison_json(compare(DECISIONS))))

    assert told["gains"]["local"]["mean"] == compare(DECISIONS).gains["local"][0]
    assert told["agents"]["y"]["decisions"] == 2
