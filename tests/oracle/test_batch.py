"""Many requests: priced beforehand, asked at once, given up on when most fail."""

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import AnswerMissing, FormatError, OracleError
from stretto.files import parse_json
from stretto.oracle.answer import Answer, NoulAnswer, Response
from stretto.oracle.batch import (
    AT_ONCE,
    Asked,
    Estimate,
    ask_all,
    check_budget,
    distinct,
    estimate,
)
from stretto.oracle.cache import Cache
from stretto.oracle.cached import Cached
from stretto.oracle.dump import dump_lines, read_requests
from stretto.oracle.question import Noul, Request
from stretto.oracle.scripted import ScriptedOracle
from tests.oracle.strategies import REQUESTS

YES: Mapping[str, Answer] = {"n": NoulAnswer(1.0)}


def requests(n: int) -> list[Request]:
    return [Request("m", i, {"n": Noul("?")}) for i in range(n)]


def failing(*states: int) -> ScriptedOracle:
    """Fails on these states, and answers yes to the others."""

    def answer(request: Request) -> Mapping[str, Answer]:
        if request.state in states:
            raise OracleError(f"not {request.state}")
        return YES

    return ScriptedOracle(answer)


class Priced:
    """A cent each."""

    name, model = "priced", "m"

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        return Response("m", YES)

    def price(self, request: Request) -> float:  # noqa: ARG002
        return 0.01


def test_each_distinct_request_is_asked_once_in_the_order_of_keys() -> None:
    given = [*requests(5), *requests(5)]
    keys = sorted({request.key for request in given})

    assert [*distinct(given)] == keys
    assert [*distinct(given, 3)] == keys[:3]
    assert [*distinct(given, 0)] == []


def test_every_request_has_an_outcome_whatever_became_of_it() -> None:
    asked = Asked("m")
    todo = distinct(requests(50))
    for outcome in ask_all(failing(3, 4, 5), todo):
        asked.add(outcome)

    assert len(asked.responses) == 47
    assert sorted(map(str, asked.errors.values())) == ["not 3", "not 4", "not 5"]
    assert asked.ask(requests(1)[0]).answers == YES
    with pytest.raises(OracleError, match="not 3"):
        asked.ask(requests(5)[3])
    with pytest.raises(AnswerMissing):
        asked.ask(Request("m", "another", {"n": Noul("?")}))


def test_as_many_as_allowed_are_under_way_at_once_and_no_more() -> None:
    together = threading.Barrier(AT_ONCE)
    lock, under_way, most = threading.Lock(), 0, 0

    def answer(_: Request) -> Mapping[str, Answer]:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait(timeout=10)
        with lock:
            under_way -= 1
        return YES

    outcomes = [*ask_all(ScriptedOracle(answer), distinct(requests(3 * AT_ONCE)))]

    assert len(outcomes) == 3 * AT_ONCE
    assert most == AT_ONCE


@pytest.mark.parametrize(
    ("good", "n_bad", "ends_after"),
    [
        (0, 19, None),  # too few
        (0, 25, 20),
        (20, 20, None),  # only half
        (19, 30, 39),  # the twentieth failure is the first of more than half
    ],
)
def test_it_is_given_up_once_twenty_and_most_have_failed(
    good: int, n_bad: int, ends_after: int | None
) -> None:
    order = [Request("m", f"{i}", {"n": Noul("?")}) for i in range(good + n_bad)]
    todo = {f"{i:03}": request for i, request in enumerate(order)}
    bad = {request.state for request in order[good:]}
    asked = 0

    def answer(request: Request) -> Mapping[str, Answer]:
        nonlocal asked
        asked += 1
        if request.state in bad:
            raise OracleError("down")
        return YES

    found = []
    outcomes = ask_all(ScriptedOracle(answer), todo, at_once=1)
    if ends_after is None:
        found += outcomes
        assert len(found) == good + n_bad
        return
    with pytest.raises(OracleError, match=r"requests failed.*the last: down"):
        found.extend(outcomes)
    assert len(found) == ends_after
    assert asked <= ends_after + 10


def test_whoever_stops_listening_stops_the_asking_and_keeps_what_came(tmp_path) -> None:
    asked, go = [], threading.Semaphore(12)

    def answer(request: Request) -> Mapping[str, Answer]:
        go.acquire()
        asked.append(request.key)
        return YES

    cached = Cached(ScriptedOracle(answer), Cache(tmp_path))
    outcomes = ask_all(cached, distinct(requests(100)))
    came = [next(outcomes).key for _ in range(10)]
    outcomes.close()
    go.release(100)

    assert {*came} <= {*cached.cache.listed()}
    assert len(asked) <= 12 + 2 * AT_ONCE


def test_what_is_kept_costs_nothing_and_is_still_counted(tmp_path: Path) -> None:
    todo = distinct(requests(10))
    cached = Cached(Priced(), Cache(tmp_path))
    tokens = sum(len(request.data) // 4 for request in todo.values())

    assert estimate(cached, todo) == Estimate(10, tokens, pytest.approx(0.10))
    for request in [*todo.values()][:4]:
        cached.ask(request)
    assert estimate(cached, todo) == Estimate(10, tokens, pytest.approx(0.06))
    assert estimate(failing(), todo).dollars == 0


def test_a_budget_is_refused_only_above_it() -> None:
    check_budget(Estimate(1, 1, 1.0), 1.0)
    with pytest.raises(OracleError, match=r"about \$1\.25, and the budget is \$1\.00"):
        check_budget(Estimate(1, 1, 1.25), 1.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(REQUESTS, max_size=4))
def test_dumped_requests_are_read_back_with_or_without_their_keys(drawn) -> None:
    todo = distinct(drawn)
    lines = [parse_json(line, "dump") for line in dump_lines(todo)]

    assert [request.key for request in read_requests(lines)] == [*todo]
    assert [r.key for r in read_requests(line["request"] for line in lines)] == [*todo]


def test_a_line_whose_key_is_another_requests_is_refused() -> None:
    [first, second] = dump_lines(distinct(requests(2)))
    wrong = first[:9] + second[9:72] + first[72:]

    with pytest.raises(FormatError, match="is not the request's"):
        [*read_requests([parse_json(wrong, "dump:1")])]
