from hypothesis import given
from hypothesis import strategies as st

from stretto.binding.paths import Leaf, at, find, under
from tests.binding import literal
from tests.claims import claim

keys = st.sampled_from(["a", "b", "id", "a.b", "c[0]", ""])
texts = st.sampled_from(["x", "y", "a", ""])
values = st.recursive(
    texts | st.integers(0, 2) | st.booleans() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=12,
)


@claim("bindings:paths")
def test_a_string_is_found_at_every_place_keys_in_order():
    value = {"b": ["x", "y"], "a": {"c": "x"}}

    assert list(find(value, "x")) == ["$.a.c", "$.b[*]"]


def test_a_number_is_never_found():
    assert list(find({"a": 5, "b": [5.0, True]}, "5")) == []


def test_a_value_carries_the_other_strings_of_its_object():
    value = [
        {"id": "a", "n": "N1", "q": 3},
        {"id": "b", "n": "N2", "of": {"x": "deep"}},
    ]

    assert at(value, "$[*].id") == (Leaf("a", ("N1",)), Leaf("b", ("N2",)))


def test_an_array_element_and_a_whole_result_have_no_siblings():
    assert at({"ids": ["a", "b"], "n": "N"}, "$.ids[*]") == (Leaf("a"), Leaf("b"))
    assert at("a", "$") == (Leaf("a"),)


def test_a_sibling_equal_to_the_value_is_not_another():
    assert at({"id": "a", "alias": "a", "n": "N"}, "$.id") == (Leaf("a", ("N",)),)


def test_a_key_with_a_dot_is_written_and_then_read_as_two_keys():
    value = {"a.b": "x"}

    assert list(find(value, "x")) == ["$.a.b"]
    assert at(value, "$.a.b") == ()
    assert at({"a.b": "x", "a": {"b": "y"}}, "$.a.b") == (Leaf("y", ()),)


def test_a_path_that_cannot_be_read_leads_nowhere():
    value = {"a": ["x"], "": "y"}

    for path in ("", "a", "$a", "$.a[0]", "$.a[", "$.a[*]x", "$[*", "$.b", "$.a.b"):
        assert at(value, path) == ()
    assert at(value, "$.") == (Leaf("y"),)


def test_a_value_under_a_name_is_found_at_any_depth_keys_in_order():
    value = [
        {"z": {"id": "3"}, "id": "1", "n": "N"},
        {"id": ["no"], "a": [{"id": "4"}]},
    ]

    assert list(under(value, "id")) == [Leaf("1", ("N",)), Leaf("3"), Leaf("4")]


@given(values, texts)
def test_paths_are_what_the_definition_says(value, wanted):
    assert list(find(value, wanted)) == literal.find(value, wanted)
    for path in literal.find(value, wanted):
        leaves = [(leaf.value, list(leaf.siblings)) for leaf in at(value, path)]
        assert leaves == literal.at(value, path)
