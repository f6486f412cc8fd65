"""Texts taken apart."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.oracle.local.tokens import (
    MAX_TEXT,
    bucket,
    ids,
    is_id,
    result,
    shape,
    words,
)
from tests.oracle.strategies import JSON

ORDER = json.dumps(
    {
        "order": "#W2378156",
        "status": "pending",
        "items": [{"name": "Desk Lamp", "item": "6086499569", "price": 135.24}],
        "paid": True,
    }
)


def test_words_are_in_lower_case_and_each_comes_once():
    assert words("Order #W12, the ORDER's gift-card") == (
        "order",
        "w12",
        "the",
        "order's",
        "gift-card",
    )


@pytest.mark.parametrize("value", ["#W2378156", "sara_doe_496", "60864", "2024-05-01"])
def test_what_has_a_digit_and_no_blank_may_be_an_id(value):
    assert is_id(value)
    assert ids(f"it is {value}, I think") == (value,)


@pytest.mark.parametrize("value", ["135.24", "-3.5", "pending", "a 1", "x1", "1" * 65])
def test_prices_words_and_what_is_too_short_or_long_are_no_ids(value):
    assert not is_id(value)


def test_ids_of_one_kind_have_one_shape():
    assert shape("#W2378156") == shape("#W1") == "#a9"
    assert shape("sara_doe_496") == "a_a_9"


def test_counts_grow_coarser():
    assert [*map(bucket, (0, 1, 2, 3, 4, 6, 7, 1000))] == [0, 1, 2, 3, 4, 4, 5, 5]


def test_a_result_says_its_ids_and_labels_by_their_keys():
    found = result(ORDER)

    assert found.keys == ("order", "status", "items", "name", "item", "price", "paid")
    assert found.ids == (("order", "#W2378156"), ("item", "6086499569"))
    assert ("status", "pending") in found.labels
    assert ("name", "Desk Lamp") in found.labels
    assert ("price", "135.24") in found.plain
    assert ("price", "135.24") not in found.labels


@given(st.integers(0, len(ORDER)))
def test_a_result_cut_short_says_no_id_that_the_whole_does_not_begin_with(length):
    whole = {value for _, value in result(ORDER).ids}

    for _, value in result(ORDER[:length]).ids:
        assert any(of_whole.startswith(value) for of_whole in whole)


def test_plain_text_has_ids_under_no_key():
    assert result("sara_doe_496").ids == (("", "sara_doe_496"),)


@given(st.text() | JSON.map(json.dumps))
def test_any_text_can_be_taken_apart(text):
    assert result(text).length <= MAX_TEXT
    assert all(word == word.lower() for word in words(text))
    assert all(is_id(id) for id in ids(text))


PIECES = st.text("aZé1５#@.:-_’' \t\x1c\u2003,\"\\\\{}[]\n", max_size=90)
"""Texts of the characters that something is told by."""


def slow_result(text):
    """A result's keys, ids, other values and labels, one definition after the other."""
    scalar = r"(-?[0-9][0-9.eE+-]*|true|false|null)(?=[\s,\]}])"
    string = r'"((?:[^"\\]|\\.)*)"(\s*:)?|"[\s\S]*'
    pairs, key = {}, ""
    for quoted, colon, bare in re.findall(f"{string}|{scalar}", text):
        key = quoted if colon else key
        pairs[key, "" if colon else bare or quoted] = None
    plain = [pair for pair in pairs if len(pair[1]) >= 3 and not is_id(pair[1])]
    return (
        tuple(dict.fromkeys(key for key, _ in pairs)),
        tuple(pair for pair in pairs if is_id(pair[1])),
        tuple(plain),
        tuple(
            p for p in plain if len(p[1]) <= 24 and not re.search("[^A-Za-z_ ]", p[1])
        ),
        len(text),
    )


@given(PIECES)
def test_ids_and_words_are_those_of_the_whole_text_in_order(text):
    tokens = re.findall(r"[#\w](?:[\w#@.:-]{0,62}\w)?", text)
    spoken = re.findall(r"[^\W_]+(?:['’_#-][^\W_]+)*", text.lower())

    assert ids(text) == tuple(dict.fromkeys(filter(is_id, tokens)))
    assert words(text) == tuple(dict.fromkeys(spoken))


@given(JSON.map(json.dumps) | PIECES, st.integers(0, 90))
def test_a_result_is_what_its_definition_says_whole_or_cut(text, cut):
    for told in (f"[{text}", f'{{"k": {text}'[:cut], f'["a1b", {text}]', ORDER[:cut]):
        if told.strip().startswith(("{", "[")):
            assert result(told) == slow_result(told.strip())
