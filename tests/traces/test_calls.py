"""Call ids made unique, and arguments made comparable."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.content import MAX_DEPTH
from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult
from stretto.traces.calls import (
    CallIds,
    Sent,
    answered,
    arguments,
    parsed_arguments,
)
from stretto.traces.decode import Unreadable
from stretto.traces.ledger import Ledger
from stretto.traces.names import Names


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def test_the_nth_use_of_an_id_carries_its_number_from_the_second_on():
    ids = CallIds(ledger := Ledger())

    assert [ids.sent("c", "f") for _ in range(3)] == ["c", "c#2", "c#3"]
    assert ledger.counts["renamed calls"] == 2


def test_a_result_belongs_to_the_last_call_sent_with_its_id():
    ids = CallIds(Ledger())
    ids.sent("c", "first")
    ids.sent("c", "second")

    assert ids.last("c") == Sent("c#2", "second")
    assert ids.last("d") is None


def test_ids_that_are_no_text_are_told_apart():
    ids = CallIds(Ledger())

    assert [ids.sent(id, "f") for id in (1, True, None, [1])] == [
        "1",
        "true",
        "",
        "[1]",
    ]
    assert ids.last([1]) == Sent("[1]", "f")


@given(st.lists(st.sampled_from(["a", "a#2", "a#2#2", "a#3", "b"])))
def test_names_given_out_are_never_given_out_again(asked):
    names = Names()

    given_out = [names.unique(name) for name in asked]

    assert len(set(given_out)) == len(given_out)
    assert all(got.startswith(name) for got, name in zip(given_out, asked, strict=True))


def test_arguments_have_their_keys_sorted_at_every_depth():
    value = {"b": 1, "a": [{"d": 1.5, "c": None}]}

    found = arguments(value)

    assert list(found) == ["a", "b"]
    assert list(found["a"][0]) == ["c", "d"]
    assert found == value
    assert list(arguments({"b": 1, "a": "x"})) == ["a", "b"]


@pytest.mark.parametrize("value", [None, "text", 7, [], {}, [{"a": 1}]])
def test_arguments_need_not_be_an_object(value):
    assert arguments(value) == value


def test_arguments_may_be_nested_so_deep_and_no_deeper():
    arguments(nested(MAX_DEPTH - 1))

    for depth in (MAX_DEPTH, 900, 100_000):
        with pytest.raises(Unreadable, match="nested deeper than 128"):
            arguments(nested(depth))


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_arguments_hold_no_number_that_json_cannot_write(number):
    with pytest.raises(Unreadable, match="beyond a float"):
        arguments({"a": [number]})


@pytest.mark.parametrize(
    "text",
    ["", "{", "{'a': 1}", '{"a": NaN}', '{"a": 1e999}', "[" * 10_000, '{"a": 1} x'],
)
def test_argument_text_that_cannot_be_read_stays_text_and_is_counted(text):
    ledger = Ledger()

    assert parsed_arguments(text, ledger) == text
    assert ledger.counts["unparsed arguments"] == 1
    assert not ledger.problems


def test_argument_text_is_read_as_json_with_lone_surrogates_replaced():
    ledger = Ledger()

    found = parsed_arguments('{"b": "\\ud83d", "a": 1}', ledger)

    assert found == {"a": 1, "b": "\ufffd"}
    assert list(found) == ["a", "b"]
    assert ledger.counts["replaced surrogates"] == 1


def test_a_call_without_a_result_is_dropped_and_its_turn_is_kept():
    ledger = Ledger()
    one, two = ToolCall("1", "f", {}), ToolCall("2", "f", {})
    result = ToolResult("2", "f", False, "done")

    kept = answered([AssistantTurn(None, (one, two)), result], ledger)

    assert kept == (AssistantTurn(None, (two,)), result)
    assert answered([AssistantTurn("Hm.", (one,))], ledger) == (AssistantTurn("Hm."),)
    assert ledger.counts["dropped calls"] == 2
