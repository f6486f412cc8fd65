"""Values found and replaced inside JSON bytes."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.http.spelling import elements, found, members, spliced

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.floats(0, 1)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["id", "method", "params", "é"]), VALUES)


def spelled(value: object, indent: int | None) -> bytes:
    return json.dumps(value, indent=indent, ensure_ascii=False).encode(
        errors="surrogatepass"
    )


@settings(max_examples=40, deadline=None)
@given(OBJECTS, st.sampled_from([None, 2]))
def test_members_are_spelled_as_they_stand(
    value: dict[str, object], indent: int | None
) -> None:
    found_ = {key.encode("latin-1").decode(): v for key, v in _parsed(value, indent)}

    assert found_ == value


def _parsed(value: dict[str, object], indent: int | None) -> list[tuple[str, object]]:
    raw = members(spelled(value, indent))
    return [(k, json.loads(v.decode(errors="surrogatepass"))) for k, v in raw.items()]


@given(st.binary())
def test_nothing_is_found_in_what_is_no_json(message: bytes) -> None:
    assert spliced(b"<" + message, {("id",): b"1"}) == b"<" + message
    assert members(b"<" + message) == {}
    assert elements(b"<" + message) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(VALUES), st.sampled_from([None, 2]))
def test_elements_are_spelled_as_they_stand(
    value: list[object], indent: int | None
) -> None:
    raw = elements(spelled(value, indent))

    assert raw is not None
    assert [json.loads(e.decode(errors="surrogatepass")) for e in raw] == value


def test_everything_but_the_value_stays_as_it_was() -> None:
    message = b' {"x": 1e2, "id" :1.0 ,"\\u0069d":7,"params":{"_meta":{"a":"\xff"}}}\n'

    after = spliced(message, {("id",): b'"n"', ("params", "_meta", "a"): b"[]"})

    assert after == (
        b' {"x": 1e2, "id" :1.0 ,"\\u0069d":"n","params":{"_meta":{"a":[]}}}\n'
    )


def test_what_is_not_there_is_not_added() -> None:
    message = b'{"id":1,"params":[]}'

    assert spliced(message, {("params", "_meta", "a"): b"1", ("x",): b"2"}) == message
    assert found(message, ("params", "_meta")) is None
    assert found(message, ("id",)) == b"1"
