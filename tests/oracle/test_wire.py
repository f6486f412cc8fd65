"""Requests and responses as JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from stretto.canonical import in_order
from stretto.errors import FormatError
from stretto.files import parse_json
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.check import check_request, check_response
from stretto.oracle.question import Request, request_json
from stretto.oracle.wire import read_request, read_response, response_json
from tests.oracle.strategies import answered


@settings(max_examples=60, deadline=None)
@given(answered())
def test_what_is_written_is_read_back_and_answers_its_request(pair) -> None:
    request, response = pair
    text = json.dumps(response_json(response), indent=2)

    assert read_response(parse_json(text, "it")) == response
    assert read_request(parse_json(request.data, "it")).key == request.key
    check_request(request)
    check_response(request, response)


@settings(max_examples=40, deadline=None)
@given(answered())
def test_a_dumped_request_with_all_its_keys_sorted_has_its_own_key(pair) -> None:
    request: Request = pair[0]
    dumped = json.dumps(request_json(request), sort_keys=True)

    assert read_request(parse_json(dumped, "it")).key == request.key


def test_a_response_is_written_in_the_published_order() -> None:
    response = Response(
        "m", {"b": ChoiceAnswer("x", {"y": 0, "x": 1}), "a": NoulAnswer(1)}
    )

    assert in_order(response_json(response)) == (
        '{"model":"m","answers":{"a":{"type":"noul","noul":1.0},"b":{"type":"choice",'
        '"choice":"x","probabilities":{"x":1.0,"y":0.0},"confidence":0.0}},'
        '"usage":{"input_tokens":0,"output_tokens":0}}'
    )


def test_usage_and_confidence_may_be_left_out_and_other_fields_are_not_read() -> None:
    answer = {"type": "choice", "choice": "a", "probabilities": {"a": 1}, "new": 3}
    given = {"model": "m", "answers": {"q": answer}, "id": "abc"}

    found = read_response(parse_json(json.dumps(given), "it"))

    assert found == Response("m", {"q": ChoiceAnswer("a", {"a": 1.0})})


NOUL = {"type": "noul", "instructions": "?"}


@pytest.mark.parametrize(
    ("question", "cause"),
    [
        ({**NOUL, "type": "maybe"}, "should be noul, choice or score"),
        ({**NOUL, "criteria": {"true": "y"}}, "has no `false`"),
        ({**NOUL, "criteria": {"true": "", "false": "", "or": ""}}, "unknown field"),
        ({**NOUL, "instructions": "x" * 20_001}, "20,001 characters"),
        (
            {**NOUL, "type": "choice", "criteria": {str(n): "" for n in range(256)}},
            "has 256 options, more than 255",
        ),
        ({**NOUL, "type": "score", "criteria": [""] * 11}, "has 11 levels"),
        ({**NOUL, "type": "choice", "criteria": {"x" * 1001: ""}}, "a name of 1001"),
    ],
)
def test_a_question_of_no_known_shape_is_refused_with_its_place(
    question: Any, cause: str
) -> None:
    request = {"model": "m", "state": None, "questions": {"q": question}}

    with pytest.raises(FormatError, match=r"questions\.q") as error:
        read_request(parse_json(json.dumps(request), "it"))

    assert cause in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"model":"m"}',
        '{"model":"m","answers":[]}',
        '{"model":"m","answers":{"q":{"type":"noul","noul":"0.5"}}}',
        '{"model":"m","answers":{"q":{"type":"noul","noul":NaN}}}',
        '{"model":"m","answers":{"q":{"type":"noul","noul":1e999}}}',
        '{"model":"m","answers":{"q":{"type":"choice","choice":"a"}}}',
        '{"model":"m","answers":{},"usage":{"input_tokens":-1}}',
        '{"model":"m","answers":' + "[" * 100_000,
        "\ud800",
    ],
)
def test_a_response_of_another_shape_is_an_error_that_names_where(text: str) -> None:
    with pytest.raises(FormatError, match=r"^it"):
        read_response(parse_json(text.encode(errors="surrogatepass"), "it"))
