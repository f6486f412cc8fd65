"""The version is looked at before anything else, and says what the file may hold."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from stretto.binding.sources import Bindings
from stretto.canonical import Json
from stretto.errors import FormatError, VersionError
from stretto.files import Node
from stretto.flow.flow import Flow, Surprise
from stretto.flow.wire import flow_json, parse_flow, read_flow
from stretto.flow.wire.bindings import VERSION_2
from tests.claims import claim
from tests.conftest import shared
from tests.flow.maximal import BINDINGS, MAXIMAL
from tests.flow.strategies import flows

PLAIN = replace(
    MAXIMAL,
    bindings=Bindings(BINDINGS.args, BINDINGS.sources, BINDINGS.agreed),
    thresholds={},
    surprise=None,
)
"""The maximal flow with nothing of version 2."""

LATER: dict[str, Callable[[Flow], Flow]] = {
    "thresholds": lambda flow: replace(flow, thresholds={"get_user": 0.2}),
    "surprise": lambda flow: replace(flow, surprise=Surprise(5, 2.0)),
    **{
        f"bindings.{name}": lambda flow, name=name: replace(
            flow,
            bindings=replace(flow.bindings, **{name: getattr(BINDINGS, name)}),
        )
        for name in VERSION_2
    },
}


def document(flow: Flow, **changes: object) -> Node:
    file: dict[str, Any] = {**flow_json(flow), **changes}
    return Node(file, "x.flow.json")


def test_a_flow_with_none_of_the_later_fields_is_version_1() -> None:
    assert flow_json(PLAIN)["stretto_flow"] == 1


@claim("version:two", "thresholds:version")
@pytest.mark.parametrize("name", LATER)
def test_a_flow_with_a_single_later_field_is_version_2(name: str) -> None:
    flow = LATER[name](PLAIN)

    assert flow_json(flow)["stretto_flow"] == 2
    assert parse_flow(document(flow)) == flow


@claim("reach:version")
def test_reach_leaves_the_version_as_it_is() -> None:
    assert PLAIN.reach is not None
    assert flow_json(PLAIN)["stretto_flow"] == 1


@settings(max_examples=10, deadline=None)
@given(flows())
def test_the_version_is_2_exactly_where_something_of_it_is_held(flow: Flow) -> None:
    file: Any = flow_json(flow)
    held = [file.get("thresholds"), file.get("surprise")]
    held += [file["bindings"].get(name) for name in VERSION_2]

    assert file["stretto_flow"] == (2 if any(held) else 1)


@claim("version:old-with-new")
@pytest.mark.parametrize("name", LATER)
def test_a_version_1_file_that_holds_a_later_field_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match=f"`{name}`") as refused:
        parse_flow(document(LATER[name](PLAIN), stretto_flow=1))

    assert (
        refused.value.hint == "set `stretto_flow` to 2, or delete what version 1 lacks"
    )


def test_a_version_1_file_may_hold_a_later_field_that_is_empty() -> None:
    assert parse_flow(document(PLAIN, stretto_flow=1, thresholds={})) == PLAIN


def test_a_version_2_file_need_not_hold_a_later_field() -> None:
    assert parse_flow(document(PLAIN, stretto_flow=2)) == PLAIN


@claim("version:first")
@pytest.mark.parametrize("found", [0, 3, 99, "1", 1.0, True, [1]])
def test_another_version_is_refused_with_both_named(found: Json) -> None:
    with pytest.raises(VersionError) as refused:
        parse_flow(Node({"stretto_flow": found}, "x.flow.json"))

    assert repr(found) in str(refused.value)
    assert "versions 1 and 2" in str(refused.value)
    assert refused.value.reads == (1, 2)
    assert refused.value.hint is not None


@claim("version:first")
def test_the_version_is_looked_at_before_any_other_field() -> None:
    with pytest.raises(VersionError):
        parse_flow(document(MAXIMAL, stretto_flow=3, provenance="nonsense"))


def test_an_object_that_is_nothing_known_lacks_the_version() -> None:
    with pytest.raises(VersionError, match="has no `stretto_flow` field"):
        parse_flow(Node({"name": "x"}, "x.json"))


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("stretto_arbiter", "an arbiter"),
        ("stretto_procedure", "a procedure"),
        ("fugue_program", "a program"),
        ("simulations", "τ²-bench results"),
    ],
)
def test_another_kind_of_file_is_called_by_its_name(field: str, what: str) -> None:
    with pytest.raises(FormatError, match=f"is {what}, not a flow") as refused:
        parse_flow(Node({field: 1}, "x.json"))

    assert refused.value.hint == "`stretto learn` makes a flow from recorded sessions"


def test_a_session_log_of_many_lines_is_called_one(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text('{"stretto_mcp_log":2,"session":"s"}\n{"t_ms":1}\n', "utf-8")

    with pytest.raises(FormatError, match="is a session log, not a flow"):
        read_flow(log)


def test_a_published_session_log_and_arbiter_are_called_what_they_are() -> None:
    log = next(shared("reference/logs/shop").iterdir())

    with pytest.raises(FormatError, match="is a session log, not a flow"):
        read_flow(log)
    with pytest.raises(FormatError, match="is an arbiter, not a flow"):
        read_flow(shared("reference/arbiters/retail.json"))


@pytest.mark.parametrize("value", [[], "flow", 1, None])
def test_json_that_is_no_object_is_no_flow(value: Json) -> None:
    with pytest.raises(FormatError, match="a flow is one"):
        parse_flow(Node(value, "x.json"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "is not JSON"),
        (b'{"a', "is not JSON: Unterminated string starting at line 1, column 2$"),
        (b"\xff", "is not UTF-8"),
        (b"", "is not JSON"),
        (b"[1]\n[2]\n", "is not JSON"),
    ],
)
def test_a_file_that_is_no_json_is_refused(
    content: bytes, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.flow.json"
    path.write_bytes(content)

    with pytest.raises(FormatError, match=why):
        read_flow(path)


def test_a_file_that_is_not_there_is_missed(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_flow(tmp_path / "x.flow.json")
