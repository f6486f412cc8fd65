"""Answers at another temperature, and the temperature that fits."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stretto.errors import FormatError, VersionError
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, ScoreAnswer
from stretto.oracle.check import check_response
from stretto.oracle.mock import Mock
from stretto.oracle.question import Noul, Request
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.temperature import (
    Case,
    Temperatures,
    Tempered,
    at_temperature,
    fit_temperature,
    read_temperatures,
    tempered,
)
from tests.oracle.strategies import answered

temperatures = st.floats(0.05, 20)
distributions = st.lists(st.floats(0.01, 1), min_size=2, max_size=5).map(
    lambda weights: [w / sum(weights) for w in weights]
)


@given(answered(), temperatures)
def test_a_tempered_answer_still_answers_its_request_with_the_same_pick(
    pair, t
) -> None:
    request, response = pair
    oracle = Tempered(ScriptedOracle(lambda _: response.answers), Temperatures(t, t, t))
    found = oracle.ask(request)

    check_response(request, found)
    for id, answer in response.answers.items():
        if isinstance(answer, ChoiceAnswer):
            assert found.answers[id].choice == answer.choice
    assert (oracle.name, oracle.model) == ("scripted", "scripted")


@given(distributions, temperatures)
def test_another_temperature_scales_the_log_odds(p, t) -> None:
    found = at_temperature(p, t)

    for before, after in zip(p, found, strict=True):
        assert math.log(after / found[0]) == pytest.approx(
            math.log(before / p[0]) / t, abs=1e-9
        )
    assert math.fsum(found) == pytest.approx(1.0)


def test_what_is_certain_stays_certain() -> None:
    assert at_temperature([0.0, 1.0], 5.0) == [0.0, 1.0]
    assert at_temperature([0.0, 0.0], 5.0) == [0.0, 0.0]
    assert tempered(NoulAnswer(1.0), Temperatures(3.0)) == NoulAnswer(1.0)


def test_each_type_of_question_has_its_own_temperature() -> None:
    by = Temperatures(noul=2.0, choice=1.0, score=0.5)

    assert tempered(NoulAnswer(0.9), by).noul == pytest.approx(0.75)
    choice = ChoiceAnswer("a", {"a": 0.9, "b": 0.1})
    assert tempered(choice, by) == choice
    score = tempered(ScoreAnswer(0.25, {"0": 0.75, "1": 0.25}), by)
    assert score.score == pytest.approx(0.1)


def test_the_fit_is_exact_where_the_answer_is_known() -> None:
    """Nine to one that is right three times in four: log 9 / log 3 = 2."""
    cases = [Case((0.9, 0.1), 0)] * 75 + [Case((0.9, 0.1), 1)] * 25

    assert fit_temperature(cases) == pytest.approx(2.0, rel=1e-5)
    assert fit_temperature([]) == 1.0


def test_a_model_that_is_always_right_is_trusted_as_far_as_allowed() -> None:
    assert fit_temperature([Case((0.6, 0.4), 0)] * 9) == pytest.approx(0.05, rel=1e-4)
    assert fit_temperature([Case((0.6, 0.4), 1)] * 9) == pytest.approx(20, rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(distributions, st.integers(0, 1)), min_size=3, max_size=20))
def test_no_temperature_of_a_grid_does_better_than_the_fit(drawn) -> None:
    cases = [Case(p, actual) for p, actual in drawn]
    assume(any(max(p) - min(p) > 0.01 for p, _ in drawn))

    def loss(t: float) -> float:
        return -sum(math.log(at_temperature(c.chances, t)[c.actual]) for c in cases)

    grid = [0.05 * 400 ** (i / 200) for i in range(201)]
    assert loss(fit_temperature(cases)) <= min(map(loss, grid)) + 1e-9


def test_a_file_is_read_and_held_to_its_range(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    good = {"stretto_temperatures": 1, "noul": 1.5, "choice": 2, "score": 1}

    path.write_text(json.dumps(good))
    assert read_temperatures(path) == Temperatures(1.5, 2.0, 1.0)
    for bad in (0, 0.01, 21, "1", None):
        path.write_text(json.dumps({**good, "choice": bad}))
        with pytest.raises(FormatError, match="choice"):
            read_temperatures(path)
    path.write_text(json.dumps({**good, "stretto_temperatures": 2}))
    with pytest.raises(VersionError):
        read_temperatures(path)


def test_calibrating_asks_for_the_same_price() -> None:
    oracle = Tempered(Mock(), Temperatures())

    assert oracle.price(Request("m", {}, {"n": Noul("?")})) == 0.0
