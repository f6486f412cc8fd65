import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.content import Output, parse
from stretto.habit.features import MISSING, NO_FEATURES, FeatureMap, Field
from tests.claims import claim

ORDER = Output(
    {
        "status": "pending",
        "paid": True,
        "total": 12.5,
        "n": 3,
        "note": None,
        "items": [{"id": 1}],
        "none": [],
        "many": [1, 2, 3],
        "address": {"state": "TX", "lines": ["a", "b"]},
    }
)


@claim("map:scalar", "map:len")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Field("Scalar", "status"), "pending"),
        (Field("Scalar", "paid"), "true"),
        (Field("Scalar", "total"), "12.5"),
        (Field("Scalar", "n"), "3"),
        (Field("Scalar", "address.state"), "TX"),
        (Field("Len", "none"), "0"),
        (Field("Len", "items"), "1"),
        (Field("Len", "many"), "2+"),
        (Field("Len", "address.lines"), "2+"),
    ],
)
def test_a_field_reads_a_scalar_as_text_and_an_array_as_its_length_to_two(field, value):
    assert field.read(ORDER) == value


@pytest.mark.parametrize(
    "field",
    [
        Field("Scalar", "note"),
        Field("Scalar", "absent"),
        Field("Scalar", "items"),
        Field("Scalar", "address"),
        Field("Scalar", "status.code"),
        Field("Scalar", ""),
        Field("Len", "status"),
        Field("Len", "address"),
        Field("Len", ""),
    ],
)
def test_a_field_an_output_lacks_or_holds_as_another_kind_is_missing(field):
    assert field.read(ORDER) == MISSING


@claim("map:len")
def test_the_empty_path_is_the_whole_output():
    assert Field("Len", "").read(Output(["a"])) == "1"
    assert Field("Scalar", "").read(Output("ok")) == "ok"


@claim("map:unseen")
def test_a_feature_is_the_number_of_the_fields_values_together():
    features = FeatureMap(
        {"get": (Field("Scalar", "a"), Field("Len", "b"))},
        {("get", ("x", "2+")): 1, ("get", ("x", MISSING)): 2},
    )

    assert features.feature("get", '{"a": "x", "b": [1, 2]}') == 1
    assert features.feature("get", '{"a": "x"}') == 2
    assert features.feature("get", '{"a": "y"}') == 0
    assert features.feature("find", '{"a": "x"}') == 0
    assert features.feature("get", "not found") == 0
    assert NO_FEATURES.feature("get", '{"a": "x"}') == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        "Error: none",
        "{'a': 1}",
        "{} {}",
        "NaN",
        '{"a": Infinity}',
        "-Infinity",
        "1e999",
        "9" * 5000,
        "[" * 100_000,
    ],
)
def test_what_is_not_json_is_text(content):
    assert parse(content) is None


def test_null_is_json():
    assert parse(" null ") == Output(None)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text()
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_is_json_is_parsed_as_it_is(value):
    assert parse(json.dumps(value)) == Output(value)
