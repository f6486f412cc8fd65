"""Headers that repeat the body."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.canonical import Json
from stretto.proxy.http.message import VERSION_KEY, Message
from stretto.proxy.http.mirrored import (
    decoded,
    marked,
    mismatch,
    mismatched_parameter,
)

CALL = {
    "id": 1,
    "method": "tools/call",
    "params": {"name": "größe", "_meta": {VERSION_KEY: "2026-07-28"}},
}
NAME = "=?base64?" + base64.b64encode("größe".encode()).decode() + "?="
RIGHT = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": NAME,
}
SCHEMA: Json = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "where": {"properties": {"deep": {"type": "boolean", "x-mcp-header": "Deep"}}},
        "n": {"type": "integer", "x-mcp-header": "N"},
        "free": {"type": "string"},
    }
}


def pairs(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def wrong(headers: list[tuple[bytes, bytes]], call: object = CALL) -> bool:
    return mismatch(Message.of(json.dumps(call).encode()), headers) is not None


def test_headers_that_say_what_the_body_says_are_right() -> None:
    assert not wrong(pairs(RIGHT))
    assert not wrong(pairs({**RIGHT, "mcp-method": "  tools/call "}))


@pytest.mark.parametrize("name", RIGHT)
def test_each_has_to_be_there_once_and_say_it_exactly(name: str) -> None:
    missing = {key: value for key, value in RIGHT.items() if key != name}

    assert wrong(pairs(missing))
    assert wrong(pairs({**RIGHT, name: RIGHT[name].upper() + "x"}))
    assert wrong([*pairs(RIGHT), (name.encode(), RIGHT[name].encode())])


def test_a_method_without_a_name_needs_none() -> None:
    call = {**CALL, "method": "tools/list"}

    assert not wrong(pairs({**RIGHT, "mcp-method": "tools/list"}), call)


@given(st.text())
def test_an_encoded_value_stands_for_its_text(text: str) -> None:
    try:
        encoded = base64.b64encode(text.encode()).decode()
    except UnicodeEncodeError:
        return
    assert decoded(f"=?base64?{encoded}?=") == text


@pytest.mark.parametrize("payload", ["%%%", "YQ", "YR==", "/w==", "YQ== "])
def test_a_broken_encoding_stands_for_nothing(payload: str) -> None:
    assert decoded(f"=?base64?{payload}?=") is None


def test_a_value_that_only_looks_encoded_is_itself() -> None:
    assert decoded("base64?YQ==") == "base64?YQ=="


def test_marks_are_found_at_any_depth_of_properties() -> None:
    assert [*marked(SCHEMA)] == [
        (("region",), "Region"),
        (("where", "deep"), "Deep"),
        (("n",), "N"),
    ]
    assert [*marked({"properties": []})] == [*marked(None)] == []


ARGUMENTS = {"region": "eu", "where": {"deep": True}, "n": 3, "free": "x"}
REPEATED = {"mcp-param-region": "eu", "mcp-param-deep": "true", "mcp-param-n": "3"}


def test_marked_arguments_are_repeated_and_others_are_not() -> None:
    assert mismatched_parameter(SCHEMA, ARGUMENTS, pairs(REPEATED)) is None
    assert mismatched_parameter(SCHEMA, {"region": None, "free": "x"}, []) is None


@pytest.mark.parametrize("name", REPEATED)
def test_a_marked_argument_has_to_be_repeated_exactly(name: str) -> None:
    missing = {key: value for key, value in REPEATED.items() if key != name}

    for headers in (missing, {**REPEATED, name: "else"}):
        assert name in (mismatched_parameter(SCHEMA, ARGUMENTS, pairs(headers)) or "")


def test_a_header_for_an_argument_that_is_left_out_is_wrong() -> None:
    assert mismatched_parameter(SCHEMA, {}, pairs({"mcp-param-n": "3"})) is not None
