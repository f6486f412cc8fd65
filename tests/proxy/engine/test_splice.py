"""Edits of JSON text change what they are to change, and no other byte."""

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.splice import (
    Span,
    edited,
    find,
    items,
    members,
    spelled_value,
    whole,
    with_item,
    with_member,
    without_items,
    without_member,
)

seeds = st.integers(0, 2**32)

SCALARS = (None, True, 0, -1, 1.5, 1e-7, 2**70, "", "a,b", '"]}', "é\n", "\\")
KEYS = ("a", "b", "c", 'q"', "é", "k\\")


def value(random: Random, depth: int = 3) -> object:
    """Any JSON."""
    if depth == 0 or random.random() < 0.4:
        return random.choice(SCALARS)
    return random.choice((array, thing))(random, depth - 1)


def array(random: Random, depth: int = 3) -> list:
    return [value(random, depth) for _ in range(random.randrange(5))]


def thing(random: Random, depth: int = 3) -> dict:
    keys = random.sample(KEYS, random.randrange(len(KEYS)))
    return {key: value(random, depth) for key in keys}


def spaced(said: object, random: Random) -> str:
    """A value as JSON with blanks wherever they may stand."""

    def blank() -> str:
        return random.choice(("", "", " ", "\n\t", "  \r\n"))

    match said:
        case dict():
            pairs = (
                f"{blank()}{json.dumps(k, ensure_ascii=random.random() < 0.5)}"
                f"{blank()}:{spaced(v, random)}"
                for k, v in said.items()
            )
            inside = ",".join(pairs)
            text = f"{{{inside}{blank()}}}"
        case list():
            inside = ",".join(spaced(item, random) for item in said)
            text = f"[{inside}{blank()}]"
        case _:
            text = json.dumps(said, ensure_ascii=random.random() < 0.5)
    return blank() + text + blank()


def kept(before: str, after: str, span: Span) -> bool:
    """Whether all text outside of a value is as it was."""
    start, end = span.start, len(before) - span.end
    return (
        after[:start] == before[:start]
        and after[len(after) - end :] == (before[len(before) - end :])
    )


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_a_member_put_last_is_there_and_all_text_before_it_as_it_was(seed: int):
    random = Random(seed)
    said, new = thing(random), value(random)
    text = spaced(said, random)
    span = whole(text)

    after = edited(text, [with_member(text, span, "new", spelled_value(new))])

    assert json.loads(after) == {**said, "new": new}
    assert list(json.loads(after)) == [*said, "new"]
    assert after.startswith(text[: span.end - 1])


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_an_item_put_last_is_there_and_all_text_before_it_as_it_was(seed: int):
    random = Random(seed)
    said, new = array(random), value(random)
    text = spaced(said, random)
    span = whole(text)

    after = edited(text, [with_item(text, span, spelled_value(new))])

    assert json.loads(after) == [*said, new]
    assert after.startswith(text[: span.end - 1])
    assert after.endswith(text[span.end - 1 :])


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_items_taken_out_are_gone_and_the_others_keep_their_spelling(seed: int):
    random = Random(seed)
    said = array(random)
    text = spaced(said, random)
    out = set(random.sample(range(len(said)), random.randrange(len(said) + 1)))
    before = [text[start:end] for start, end in items(text, whole(text))]

    after = edited(text, without_items(text, whole(text), out))

    left = [text for at, text in enumerate(before) if at not in out]
    assert [after[start:end] for start, end in items(after, whole(after))] == left
    json.loads(after)
    assert out or after == text


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_member_taken_out_is_gone_and_the_others_keep_their_spelling(seed: int):
    random = Random(seed)
    said = thing(random)
    text = spaced(said, random)
    before = [text[m.start : m.value.end] for m in members(text, whole(text))]

    after = edited(text, without_member(text, whole(text), "b"))

    assert json.loads(after) == {k: v for k, v in said.items() if k != "b"}
    left = [text for text in before if not text.startswith('"b"')]
    found = [after[m.start : m.value.end] for m in members(after, whole(after))]
    assert found == left


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_every_value_is_found_where_it_stands(seed: int):
    random = Random(seed)
    said = thing(random)
    text = spaced({"outer": said}, random)

    for key, expected in said.items():
        found = find(text, whole(text), "outer", key)
        assert found is not None
        assert json.loads(text[found.start : found.end]) == expected
    assert find(text, whole(text), "outer", "none") is None
    assert find(text, whole(text), "outer", "a", "none", "deeper") is None


def test_of_repeated_keys_the_last_counts_and_all_are_taken_out():
    text = '{"a": 1, "b": 2, "a": {"x": 1}, "a" : {"x": 2} }'
    found = find(text, whole(text), "a", "x")

    assert found is not None
    assert text[found.start : found.end] == "2"
    assert edited(text, without_member(text, whole(text), "a")) == '{"b": 2 }'


def test_scalars_have_neither_members_nor_items():
    assert [*members("[1]", whole("[1]")), *items("{}", whole("{}"))] == []


def test_what_is_put_in_is_ascii_even_half_a_character():
    assert spelled_value("é\ud83d\u2028") == '"\\u00e9\\ud83d\\u2028"'


def test_an_edit_within_a_value_leaves_what_is_around_it():
    text = ' {"a": [1 , 2], "b": 1e400000000000000000000 , "c": 1.0}\r\n'.replace(
        "1e400000000000000000000", "12345678901234567890123"
    )
    span = find(text, whole(text), "a")
    assert span is not None

    after = edited(text, [with_item(text, span, "3")])

    assert kept(text, after, span)
    assert json.loads(after)["a"] == [1, 2, 3]
