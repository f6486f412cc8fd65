"""JSON with comments, edited in place."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.hosts.jsonc import JSONC
from stretto.hosts.syntax import CannotEdit
from tests.hosts.texts import WORDS, gaps, jsonc, values

OBJECTS = st.dictionaries(st.sampled_from(WORDS), values(), max_size=4)


def with_value(whole: dict, path: list, value: object) -> dict:
    """A copy of `whole` with `value` at `path`."""
    key, *rest = path
    inner = with_value(whole.get(key, {}), rest, value) if rest else value
    return {**whole, key: inner}


@given(values=OBJECTS, data=st.data())
@settings(max_examples=60, deadline=None)
def test_comments_and_trailing_commas_change_nothing_of_what_is_read(values, data):
    text = data.draw(gaps()) + data.draw(jsonc(values)) + data.draw(gaps())

    assert JSONC.parse(text) == values


@given(values=OBJECTS, new=values(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_new_value_leaves_every_other_value_and_every_comment(values, new, data):
    text = data.draw(gaps()) + data.draw(jsonc(values)) + data.draw(gaps())
    objects = [key for key, value in values.items() if isinstance(value, dict)]
    above = data.draw(st.sampled_from([[], ["none"], *([key] for key in objects)]))
    path = [*above, "new"]

    after = JSONC.put(text, tuple(path), new)

    assert JSONC.parse(after) == with_value(values, path, new)
    assert Counter(JSONC.comments(after)) == Counter(JSONC.comments(text))


@given(values=OBJECTS.filter(bool), new=values(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_value_put_in_anothers_place_leaves_the_others(values, new, data):
    text = data.draw(jsonc(values))
    key = data.draw(st.sampled_from(sorted(values)))

    assert JSONC.parse(JSONC.put(text, (key,), new)) == {**values, key: new}


@given(values=OBJECTS)
@settings(max_examples=30, deadline=None)
def test_what_is_spelled_reads_back_under_its_path(values):
    assert JSONC.parse(JSONC.spelled(("a", "b"), values)) == {"a": {"b": values}}


def test_a_member_is_added_behind_the_last_ones_comment_and_indented_like_it():
    text = '{\n\t"servers": {\n\t\t"a": {}, // mine\n\t\t/* end */\n\t},\n}\n'

    after = JSONC.put(text, ("servers", "b"), {"url": "x"})

    assert after == (
        '{\n\t"servers": {\n\t\t"a": {}, // mine\n\t\t"b": {\n\t\t\t"url": "x"\n\t\t}\n'
        "\t\t/* end */\n\t},\n}\n"
    )


def test_lines_end_as_the_files_do():
    after = JSONC.put('{\r\n  "a": 1\r\n}\r\n', ("b",), {"c": 2})

    assert after.count("\n") == after.count("\r\n") == 6


@pytest.mark.parametrize("text", ["", " \n", "// nothing yet\n", "/* nothing */"])
def test_a_file_with_nothing_in_it_gets_an_object(text: str):
    after = JSONC.put(text, ("servers", "a"), {})

    assert JSONC.parse(text) == {}
    assert JSONC.parse(after) == {"servers": {"a": {}}}
    assert JSONC.comments(after) == JSONC.comments(text)


def test_nothing_is_put_into_what_is_no_object():
    with pytest.raises(CannotEdit, match="`servers` is no object"):
        JSONC.put('{"servers": []}', ("servers", "a"), {})


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "token": "s3cret" "b"}', "line 2, column 21"),
        ('{"token": s3cret}', "line 1, column 11"),
        ('["s3cret"]', "no object"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("[" * 10**5, "nested too deep"),
    ],
)
def test_what_is_broken_is_told_by_its_place_and_not_quoted(text: str, where: str):
    with pytest.raises(ValueError, match=where) as told:
        JSONC.parse(text)

    assert "s3cret" not in str(told.value)


def test_the_last_of_two_members_with_one_name_is_the_one_that_counts():
    after = JSONC.put('{"a": 1, "a": 2}', ("a",), 3)

    assert after == '{"a": 1, "a": 3}'
    assert json.loads(after) == {"a": 3}
