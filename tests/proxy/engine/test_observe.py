"""What a line is taken for: what the session log keeps as a message, or nothing."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stretto.proxy.entry import verbatim
from stretto.proxy.observe import (
    era,
    is_complete,
    is_success,
    is_task,
    observed,
    spelled,
)
from tests.proxy.engine.desk import Desk
from tests.proxy.engine.shop import call, desk, error, result


@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf{}")
@example(b'{"a": NaN}')
@example(b'{"a": 1e999}')
@example(b'{"a": "\\ud83d"}')
@example(b"[" * 100_000)
@example(b'{"a":' * 200 + b"1" + b"}" * 200)
@example(b"9" * 5_000)
@settings(max_examples=80, deadline=None)
def test_a_line_is_a_message_only_where_the_log_has_one(line: bytes):
    found = observed(line)

    assert found is None or verbatim(line) is not None
    at = desk()
    at.host_says(line + b"\n")
    at.server_says(line + b"\n")
    assert at.host == at.server == [line + b"\n"]
    assert at.engine.counts["failed"] == 0


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"", b"  \r\n"])
def test_blanks_around_a_message_are_no_part_of_it(end: bytes):
    assert observed(b' \t{"id": 1}' + end) == {"id": 1}


def test_of_repeated_keys_the_last_counts():
    assert observed(b'{"id": 1, "id": 2}\n') == {"id": 2}


def test_a_line_that_the_log_cuts_is_not_looked_into():
    assert observed(b'"' + b"x" * (16 * 2**20) + b'"') is None


values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9)
    | st.sampled_from(["tools/call", "a"]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(
            ["id", "method", "params", "result", "error", "name", "arguments",
             "content", "requestId", "tools", "cursor", "_meta", "isError"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=8,
)  # fmt: skip


@given(st.lists(st.tuples(st.booleans(), values), max_size=6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_odd_messages_pass_and_break_nothing(said: list, commit: bool):
    at: Desk = desk(commit=commit)
    for is_hosts, value in said:
        (at.host_says if is_hosts else at.server_says)(json.dumps(value).encode())

    assert at.engine.counts["failed"] == 0
    assert at.notes == []


def test_the_era_of_a_request_is_told_without_its_progress_token():
    about = {"io.modelcontextprotocol/clientCapabilities": {}}
    request = call(1)
    assert era(request) == {}

    request["params"]["_meta"] = {"progressToken": 1, **about}

    assert era(request) == about
    assert era({"params": {"_meta": 7}}) == era({"params": []}) == era({}) == {}


@pytest.mark.parametrize(
    ("response", "complete", "success"),
    [
        (result(1), True, True),
        (result(1, isError=False), True, True),
        (result(1, isError=None), True, True),
        (result(1, isError=True), True, False),
        (result(1, isError="yes"), True, False),
        (result(1, resultType="complete"), True, True),
        (result(1, resultType="input_required"), False, False),
        (result(1, resultType="task"), False, False),
        (result(1, inputRequests={}), False, False),
        (result(1, task={}), False, False),
        (error(1), False, False),
        ({"result": {}, "error": {}}, False, False),
        ({"result": []}, False, False),
        ({"result": {}}, True, True),
    ],
)
def test_what_a_response_is(response: dict, complete: bool, success: bool):
    assert is_complete(response) is complete
    assert is_success(response) is success


def test_a_call_with_a_task_asks_for_a_handle():
    request = call(1)
    assert not is_task(request)
    request["params"]["task"] = {}
    assert is_task(request)


def test_own_messages_are_ascii_on_one_line_with_sorted_keys():
    assert spelled({"b": "é\n\u2028", "a": 1}) == b'{"a":1,"b":"\\u00e9\\n\\u2028"}\n'
