"""Agreement: worked scores, and the summary beside a literal reading of the page."""

from math import log
from random import Random

import pytest

from stretto.evaluate.agreement import THRESHOLDS, Judgement, agreement

OPTIONS = {"a": 0.7, "respond": 0.3}


def test_the_worked_brier_scores():
    assert Judgement("t", "a", OPTIONS, "a").brier == pytest.approx(0.18)
    assert Judgement("t", "a", OPTIONS, "b").brier == pytest.approx(1.58)


def test_a_pick_that_is_no_option_has_no_probability():
    assert Judgement("t", "b", OPTIONS, "a").p == 0.0


def test_the_summary_is_that_of_the_page():
    random = Random(3)
    judged = []
    for n in range(300):
        p = random.random()
        options = {"a": p, "b": (1 - p) / 2, "respond": (1 - p) / 2}
        actual = random.choice(["a", "a", "b", "respond", "c"])
        pick = max(options, key=options.__getitem__)
        judged.append(Judgement(f"t{n % 20}", pick, options, actual))
    found = agreement(judged)
    n = len(judged)
    losses = [-log(max(j.probabilities.get(j.actual, 0), 1e-6)) for j in judged]

    assert found.agreed.part == sum(j.pick == j.actual for j in judged)
    assert found.stop_agreed.part == sum(
        (j.pick == "respond") == (j.actual == "respond") for j in judged
    )
    assert found.log_loss == pytest.approx(sum(losses) / n)
    assert found.brier == pytest.approx(sum(j.brier for j in judged) / n)
    for (threshold, sure, agreed), expected in zip(
        found.curve, THRESHOLDS, strict=True
    ):
        covered = [j for j in judged if j.probabilities[j.pick] >= expected]
        assert threshold == expected
        assert (sure.part, sure.whole) == (len(covered), n)
        assert agreed.part == sum(j.pick == j.actual for j in covered)
    ece = 0.0
    for tenth in range(10):
        of = [j for j in judged if min(int(10 * j.p), 9) == tenth]
        gap = sum(j.p for j in of) - sum(j.pick == j.actual for j in of)
        ece += abs(gap) / n
    assert found.ece == pytest.approx(ece)


def test_no_decisions_have_no_agreement():
    assert agreement([]).agreed.whole == agreement([]).brier == 0
