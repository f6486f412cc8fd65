"""Choices in other orders of their options, and answers averaged over them."""

import math
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.errors import OracleError
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response, Usage
from stretto.oracle.batch import estimate
from stretto.oracle.check import check_response
from stretto.oracle.local.clues import clues
from stretto.oracle.local.oracle import Local
from stretto.oracle.mock import Mock
from stretto.oracle.order import Orders, Shuffled, turns
from stretto.oracle.paid import price
from stretto.oracle.question import Choice, Noul, Request
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.temperature import Temperatures, Tempered
from tests.oracle.local.models import model_of
from tests.oracle.strategies import NAMES, QUESTIONS

OPTIONS = {f"read_{n}": f"Read {n}." for n in range(5)}
REQUEST = Request(
    "m", {"a": 1}, {"next": Choice("Which?", OPTIONS), "go": Noul("Go on?")}
)


def favouring(truth, pull):
    """Whoever knows the truth, and gives the option that stands first `pull` nats."""

    def answer(request):
        found = {}
        for id, question in request.questions.items():
            if not isinstance(question, Choice):
                found[id] = NoulAnswer(0.7)
                continue
            names = sorted(question.criteria)
            weights = [truth[name.split(" ")[-1]] for name in names]
            weights[0] *= math.exp(pull)
            total = math.fsum(weights)
            p = {n: w / total for n, w in zip(names, weights, strict=True)}
            likeliest = max(p, key=p.__getitem__)
            found[id] = ChoiceAnswer(likeliest, p, p[likeliest])
        return found

    return ScriptedOracle(answer)


def test_every_option_stands_in_every_place_once():
    asked = turns(REQUEST, Orders())

    orders = [[*turn.orders["next"].values()] for turn in asked]
    for place in zip(*orders, strict=True):
        assert sorted(place) == sorted(OPTIONS)
    assert len({turn.request.key for turn in asked}) == len(OPTIONS)
    for turn in asked:
        shown = [*turn.request.data.decode().split('"criteria":{')[1:]][-1]
        stood = [name for name in OPTIONS if name in shown]
        assert sorted(stood, key=shown.index) == [*turn.orders["next"].values()]


def test_an_order_is_of_the_seed_and_the_request_and_of_nothing_else():
    first = [turn.request for turn in turns(REQUEST, Orders(2))]

    other = Request("m", {"a": 2}, REQUEST.questions)
    named = Request("m", {"a": 1}, {**REQUEST.questions, "more": Noul("?")})
    assert [turn.request for turn in turns(REQUEST, Orders(2))] == first
    assert [turn.orders for turn in turns(REQUEST, Orders(2, 8))] != [
        turn.orders for turn in turns(REQUEST, Orders(2))
    ]
    assert len({str(turns(one, Orders(1))[0].orders) for one in (other, named)}) == 2
    drawn = sorted(
        OPTIONS,
        key=lambda option: sha256(
            f"7\n{REQUEST.key}\nnext\n{option}".encode()
        ).digest(),
    )
    assert [*turns(REQUEST, Orders(1))[0].orders["next"].values()] == drawn


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_no_order_comes_twice_and_what_is_no_choice_is_asked_once(n):
    asked = turns(REQUEST, Orders(n))

    assert len({str(turn.orders) for turn in asked}) == len(asked) == min(n, 5)
    assert [("go" in turn.request.questions) for turn in asked] == [
        True,
        *[False] * (len(asked) - 1),
    ]


@given(st.dictionaries(NAMES, QUESTIONS, min_size=1, max_size=3), st.integers(1, 4))
def test_any_request_is_answered_as_one_that_was_asked_once(questions, n):
    request = Request("m", None, questions)

    found = Shuffled(Mock(), Orders(n)).ask(request)

    check_response(request, found)
    assert found.answers.keys() == request.questions.keys()


def test_who_goes_by_the_first_place_alone_has_no_opinion_left():
    found = Shuffled(Mock()).ask(REQUEST)

    assert found.answers["next"].probabilities == pytest.approx(
        dict.fromkeys(OPTIONS, 0.2)
    )
    assert found.answers["go"] == NoulAnswer(0.5)


def test_an_average_over_all_orders_is_nearer_to_the_truth_than_one():
    truth = dict(zip(OPTIONS, (0.05, 0.5, 0.2, 0.15, 0.1), strict=True))
    oracle = favouring(truth, 1.5)

    def off(p):
        return sum(abs(p[option] - truth[option]) for option in OPTIONS)

    plain = oracle.ask(REQUEST).answers["next"].probabilities
    found = Shuffled(oracle).ask(REQUEST).answers["next"]

    assert off(found.probabilities) < off(plain) / 2
    assert found.choice == "read_1"
    assert math.fsum(found.probabilities.values()) == pytest.approx(1)


def test_without_a_pull_nothing_changes():
    truth = dict(zip(OPTIONS, (0.05, 0.5, 0.2, 0.15, 0.1), strict=True))

    found = Shuffled(favouring(truth, 0.0), Orders(3)).ask(REQUEST)

    assert found.answers["next"].probabilities == pytest.approx(truth)


def test_what_is_asked_is_estimated_and_priced_in_every_order():
    class Charging(Mock):
        def price(self, _):
            return 1.0

    shuffled = Shuffled(Charging(), Orders(3))
    oracle = Tempered(shuffled, Temperatures(2.0, 2.0, 2.0))

    assert estimate(oracle, {REQUEST.key: REQUEST}).requests == 3
    assert price(oracle, REQUEST) == 3.0
    assert [part.key for part in oracle.parts(REQUEST)] == [
        turn.request.key for turn in turns(REQUEST, Orders(3))
    ]


def test_tokens_are_those_of_all_orders_and_the_version_that_of_the_first():
    class Using(Mock):
        def ask(self, request, *, budget_s=None):
            told = Mock.ask(self, request, budget_s=budget_s)
            return Response("mock-2", told.answers, Usage(10, 1))

    found = Shuffled(Using(), Orders(3)).ask(REQUEST)

    assert (found.model, found.usage) == ("mock-2", Usage(30, 3))


def test_all_orders_share_the_time_that_there_is():
    with pytest.raises(OracleError, match="before every order was asked"):
        Shuffled(Mock()).ask(REQUEST, budget_s=0.0)


def test_a_model_of_ones_own_is_asked_once_by_the_options_names():
    state = {"customer_request": "Read 3."}
    request = Request(
        "local", state, {"next": Choice("Which?", OPTIONS | {"respond": ""})}
    )
    local = Local.of(model_of(clues(state, OPTIONS | {"respond": ""})))

    assert Shuffled(local).ask(request) == local.ask(request)
    assert Shuffled(local).parts(request) == [request]
    turned = [turn.request for turn in turns(request, Orders(), numbered=False)]
    plain = local.ask(request).answers["next"].probabilities
    for other in turned:
        assert local.ask(other).answers["next"].probabilities == pytest.approx(plain)
