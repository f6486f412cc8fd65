import json

import pytest

from stretto.binding.values import is_keyish, parse, scalars
from stretto.episodes.content import MAX_DEPTH
from tests.claims import claim


@claim("bindings:text")
@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("123", 123),
        ('"x"', "x"),
        (' {"a": 1} ', {"a": 1}),
        ("null", None),
        ("u_1", "u_1"),
        (" u_1 ", " u_1 "),
        ("u_1\n", "u_1\n"),
        ("a\r\n\n  b \n", ["a", "b"]),
        ("", ""),
        (" \n ", " \n "),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_content_is_json_or_lines_or_one_string(content, value):
    assert parse(content) == value


@pytest.mark.parametrize(
    "content",
    ["NaN", "-Infinity", '{"a": NaN}', "[1e999]", "[-1e999]", "[" + "9" * 5000 + "]"],
)
def test_a_number_json_does_not_have_makes_the_content_text(content):
    assert parse(content) == content


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500, 10_000, 200_000])
def test_content_nested_too_deep_is_text(depth):
    for content in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        assert parse(content) == content


def test_content_nested_as_deep_as_allowed_is_json():
    for content in (
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        '{"a":' * MAX_DEPTH + '"["' + "}" * MAX_DEPTH,
    ):
        assert parse(content) == json.loads(content)


def test_many_containers_side_by_side_are_not_deep():
    content = json.dumps([{"a": []}] * 10_000)

    assert parse(content) == json.loads(content)


def test_scalars_are_strings_and_numbers_at_any_depth_and_nothing_else():
    value = {"A": [" Ab ", 5, 5.0, {"x": "CD"}], "on": True, "off": None, "e": 1e-5}

    assert scalars(value) == {"ab", "5", "5.0", "cd", "0.00001"}


@claim("bindings:keyish")
def test_a_key_has_four_characters_and_an_ascii_digit():
    assert [
        v for v in ("W1", "W10", "W100", "word", "wor٣", "1234") if is_keyish(v)
    ] == [
        "W100",
        "1234",
    ]
