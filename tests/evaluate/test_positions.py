"""How much a model favours an option for where it stands."""

import math

import pytest

from stretto.evaluate.positions import positions, turned
from stretto.oracle.mock import Mock
from stretto.oracle.question import Choice, Noul, Request
from stretto.oracle.scripted import ScriptedOracle
from tests.oracle.test_order import OPTIONS, favouring

TRUTH = dict(zip(OPTIONS, (0.05, 0.5, 0.2, 0.15, 0.1), strict=True))


def requests(n, options=OPTIONS):
    for state in range(n):
        yield Request("m", state, {"next": Choice("?", options), "go": Noul("?")})


def measured(oracle, asked):
    return positions(turned(asked, oracle, 7), oracle)


def test_the_mock_gives_the_first_place_what_it_is_made_to_give():
    found = measured(Mock(), requests(3))

    assert [found.above(place).value for place in range(5)] == pytest.approx(
        [0.4, -0.1, -0.1, -0.1, -0.1]
    )
    assert found.above(-1).value == pytest.approx(-0.1)
    assert found.changed.value == 1.0
    assert found.distance == pytest.approx(0.4)


def test_a_pull_that_is_put_in_is_found_in_the_first_place_and_no_other_sign():
    found = measured(favouring(TRUTH, 1.5), requests(6))

    pulled = math.exp(1.5)
    first = sum(p * pulled / (1 + p * (pulled - 1)) for p in TRUTH.values()) / 5
    assert found.above(0).value == pytest.approx(first - 0.2)
    assert found.above(0).interval.low > 0
    assert all(found.above(place).interval.high < 0 for place in range(1, 5))
    assert found.changed.value == 1.0  # `read_2` first has more than `read_1` second


@pytest.mark.parametrize("pull", [0.0, 1e-9])
def test_opinions_however_strong_are_no_bias(pull):
    found = measured(favouring(TRUTH, pull), requests(6))

    assert [found.above(n).value for n in range(5)] == pytest.approx([0] * 5, abs=1e-9)
    assert found.changed.value == 0.0
    assert found.distance == pytest.approx(0.0, abs=1e-9)


def test_places_are_those_of_the_choices_that_have_them():
    two = {"read_0": "", "read_1": ""}
    found = measured(Mock(), [*requests(2), *requests(1, two)])

    assert (found.places, len(found.moved)) == (5, 3)
    assert found.above(0).value == pytest.approx((0.4 + 0.4 + 0.1) / 3)
    assert found.above(2).whole == 2


def test_a_choice_without_every_answer_is_left_out_and_counted():
    def answer(request):
        first = sorted(request.questions["next"].criteria)[0]
        return {} if first.endswith("read_2") else Mock().ask(request).answers

    found = measured(ScriptedOracle(answer), requests(2))

    assert (found.unanswered, found.moved) == (2, [])


def test_what_is_no_choice_or_has_too_many_options_is_not_asked():
    many = {f"o{n:02}": "" for n in range(17)}

    assert not [*turned(requests(1, many), Mock(), 7)]
    [one] = turned(requests(1), Mock(), 7)
    assert all(turn.request.questions.keys() == {"next"} for turn in one.turns)
