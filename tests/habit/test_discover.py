import json

from stretto.episodes.content import Output
from stretto.habit.discover import Candidate, Outputs, candidates, discover, number
from stretto.habit.features import MISSING, Field
from tests.claims import claim


def outputs(*values, tool="get"):
    found = Outputs()
    for value in values:
        assert found.add(json.dumps(value))
    return {tool: found}


def test_an_output_suggests_lengths_and_scalars_down_to_the_second_key():
    output = Output(
        {
            "status": "open",
            "note": None,
            "items": [1],
            "address": {"state": "TX", "geo": {"lat": 1}, "lines": ["a"]},
        }
    )

    assert set(candidates(output)) == {
        Field("Scalar", "status"),
        Field("Scalar", "note"),
        Field("Len", "items"),
        Field("Scalar", "address.state"),
    }


def test_a_list_suggests_its_own_length_and_a_scalar_suggests_nothing():
    assert list(candidates(Output([{"a": 1}]))) == [Field("Len", "")]
    assert list(candidates(Output("u_1"))) == []


def test_a_field_is_kept_where_two_to_eight_values_tell_outputs_apart():
    seen = outputs(
        *({"constant": 1, "id": i, "eight": i % 8, "nine": i % 9} for i in range(18))
    )

    assert discover(seen) == [Candidate("get", Field("Scalar", "eight"))]


def test_an_output_without_the_field_counts_as_a_value_of_its_own():
    assert discover(outputs({"a": 1}, {})) == [Candidate("get", Field("Scalar", "a"))]


def test_a_field_that_nearly_all_outputs_share_is_left_out():
    often, rare = {"a": 1}, {"a": 2}

    assert discover(outputs(*[often] * 49, rare)) == [
        Candidate("get", Field("Scalar", "a"))
    ]
    assert discover(outputs(*[often] * 50, rare)) == []


def test_candidates_are_sorted_by_tool_with_scalars_before_lengths():
    one, two = {"b": 1, "c": [], "a": [1]}, {"b": 2, "c": [1], "a": []}

    found = discover(outputs(one, two) | outputs([], [1], tool="find"))

    assert found == [
        Candidate("find", Field("Len", "")),
        Candidate("get", Field("Scalar", "b")),
        Candidate("get", Field("Len", "a")),
        Candidate("get", Field("Len", "c")),
    ]


@claim("map:ids")
def test_combinations_are_numbered_from_one_in_sorted_order_tool_by_tool():
    seen = outputs({"a": "y", "b": []}, {"a": "x"}, {"a": "y", "b": [1]})
    seen |= outputs([], tool="find")
    chosen = [
        Candidate("get", Field("Len", "b")),
        Candidate("find", Field("Len", "")),
        Candidate("get", Field("Scalar", "a")),
    ]

    features = number(chosen, seen)

    assert features.fields == {
        "find": (Field("Len", ""),),
        "get": (Field("Scalar", "a"), Field("Len", "b")),
    }
    assert features.ids == {
        ("find", ("0",)): 1,
        ("get", ("x", MISSING)): 1,
        ("get", ("y", "0")): 2,
        ("get", ("y", "1")): 3,
    }


@claim("map:ids", "map:unseen")
def test_combinations_past_the_sixty_third_have_no_number():
    seen = outputs(*({"a": f"{i:02}"} for i in range(70)))

    features = number([Candidate("get", Field("Scalar", "a"))], seen)

    assert features.feature("get", '{"a": "62"}') == 63
    assert features.feature("get", '{"a": "63"}') == 0
