"""JSON text that is hashed and compared."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.canonical import compact, number, sort_keys, text

STATE = {
    "zeta": [3, 1.50, 0.00001, 0.000001, 1e16, 2.0, -0.0],
    "alpha": {
        "name": "Zoë → 東京",
        "b": {"y": None, "x": True},
        "a": 'tab\t"q" \\ / unit\u001f',
    },
    "Beta": 18446744073709551616,
}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=15,
)


def test_a_state_is_spelled_as_the_published_cache_key_has_it():
    assert compact(STATE) == (
        '{"Beta":1.8446744073709552e19,'
        '"alpha":{"a":"tab\\t\\"q\\" \\\\ / unit\\u001f","b":{"x":true,"y":null},'
        '"name":"Zoë → 東京"},'
        '"zeta":[3,1.5,0.00001,1e-6,1e16,2.0,-0.0]}'
    )


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1e-5, "0.00001"),
        (-1.25e-5, "-0.0000125"),
        (9.9e-6, "9.9e-6"),
        (1e15, "1000000000000000.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (1e16, "1e16"),
        (1.5e300, "1.5e300"),
        (5e-324, "5e-324"),
        (-(2**63), "-9223372036854775808"),
        (-(2**63) - 1, "-9.223372036854776e18"),
        (2**64 - 1, "18446744073709551615"),
        (2**64, "1.8446744073709552e19"),
    ],
)
def test_a_number_is_spelled_as_the_published_files_have_it(value, spelled):
    assert number(value) == spelled
    assert compact([value]) == f"[{spelled}]"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_plain_between_a_hundred_thousandth_and_ten_to_the_sixteen(x):
    spelled = number(x)

    assert float(spelled) == x
    assert math.copysign(1, float(spelled)) == math.copysign(1, x)
    assert ("e" in spelled) == (x != 0 and not 1e-5 <= abs(x) < 1e16)
    assert "+" not in spelled
    assert ".e" not in spelled


@given(json_values)
def test_reading_compact_text_gives_the_value_back(value):
    assert json.loads(compact(value)) == value


@given(json_values)
def test_compact_text_does_not_depend_on_the_order_of_keys(value):
    assert compact(sort_keys(value)) == compact(value)
    assert list(json.loads(compact({"b": value, "a": value}))) == ["a", "b"]


def test_keys_are_sorted_by_code_point_at_every_depth():
    value = {"é": 1, "z": [{"b": 1, "B": 2}], "Z": 3, "😀": 4, "\uffff": 5}

    assert list(sort_keys(value)) == ["Z", "z", "é", "\uffff", "😀"]
    assert list(sort_keys(value)["z"][0]) == ["B", "b"]


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [-math.inf]}])
def test_what_json_has_no_number_for_has_no_text(value):
    with pytest.raises(ValueError, match="JSON"):
        compact(value)


def test_only_quotes_backslashes_and_controls_are_escaped():
    every = "".join(map(chr, [*range(0x20), 0x22, 0x2F, 0x5C, 0x7F, 0xE9, 0x2028]))

    assert compact(every) == (
        '"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r'
        "\\u000e\\u000f\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018"
        '\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f\\"/\\\\\x7fé\u2028"'
    )


def test_text_is_a_string_itself_and_any_other_values_json():
    assert text("a b") == "a b"
    assert text(["a b", 1.0]) == '["a b",1.0]'
    assert text(None) == "null"
