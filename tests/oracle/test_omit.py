"""What is to be left out is nowhere in what is sent."""

import json
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Event, ToolCall, ToolResult
from stretto.errors import StrettoError
from stretto.oracle.omit import LEFT_OUT, Omission, read_omission, result_without
from stretto.oracle.question import Noul, Request
from stretto.oracle.state import Slice
from stretto.traces.reader import read
from tests.conftest import shared

NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES | st.just("*"), min_size=1, max_size=3).map(tuple)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> object:
    """JSON of few names; leaves are filled in by `marked`."""
    kind = draw(st.sampled_from("dddls" if depth else "s"))
    if kind == "d":
        names = draw(st.sets(NAMES, max_size=3))
        return {name: draw(trees(depth - 1)) for name in sorted(names)}
    if kind == "l":
        return draw(st.lists(trees(depth - 1), max_size=2))
    return None


def marked(value, path, paths, leaves):
    """The tree with a leaf of its own at each end, each with whether it is left out."""
    if isinstance(value, dict):
        return {k: marked(v, (*path, k), paths, leaves) for k, v in value.items()}
    if isinstance(value, list):
        return [marked(item, path, paths, leaves) for item in value]
    leaf = f"leaf{len(leaves):04}x"
    leaves[leaf] = any(
        len(path) >= len(given)
        and all(name in (step, "*") for step, name in zip(path, given, strict=False))
        for given in paths
    )
    return leaf


def sent(events: list[Event], omit: tuple[Omission, ...]) -> str:
    state = Slice.of(events, "(none)", omit).json()
    return Request("m", state, {"n": Noul("?")}).data.decode()


@settings(max_examples=60, deadline=None)
@given(trees(), trees(), st.lists(PATHS, min_size=1, max_size=2), st.integers(0, 5))
def test_no_leaf_of_an_omitted_field_is_in_the_bytes_and_every_other_one_is(
    arguments, result, paths, n_later
) -> None:
    leaves: dict[str, bool] = {}
    given = marked({"args": arguments}, (), (), {})  # an object, whatever was drawn
    given = marked(given["args"], (), paths, leaves)
    content = json.dumps(marked(result, (), paths, leaves))
    call = ToolCall("c", "get", given)
    events: list[Event] = [
        AssistantTurn(calls=(call,)),
        ToolResult("c", "get", False, content),
    ]
    events += [
        AssistantTurn(calls=(ToolCall(f"l{i}", "other", {}),)) for i in range(n_later)
    ]

    text = sent(events, tuple(Omission("get", path) for path in paths))

    for leaf, is_omitted in leaves.items():
        if is_omitted:
            assert leaf not in text
        elif n_later < 4 and len(content) <= 1500:
            assert leaf in text


def test_real_results_lose_their_field_and_nothing_else() -> None:
    path = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    address, streets = read_omission("*:address"), set()
    for episode in islice(read([shared(path)]), 20):
        for event in episode.events:
            if not isinstance(event, ToolResult) or '"address1"' not in event.content:
                continue
            record = json.loads(event.content)
            shown = json.loads(result_without(event.content, (address,)))
            assert shown == {k: v for k, v in record.items() if k != "address"}
            streets.add(record["address"]["address1"])

        state = Slice.of(episode.events, "(none)", (address,)).json()
        results = [shown["result"] for shown in state["latest_results"]]
        assert not any(street in result for street in streets for result in results)
    assert len(streets) > 5


def test_what_loses_nothing_stays_as_it_was_written() -> None:
    content = '{ "a" : 1.50 }'

    assert result_without(content, (Omission("get", ("b",)),)) == content
    assert result_without("a: 1", (Omission("get", ("a",)),)) == "a: 1"


def test_everything_of_a_tool_can_be_left_out_and_of_no_other() -> None:
    events: list[Event] = [
        AssistantTurn(calls=tuple(ToolCall(t, t, {"q": f"{t}-q"}) for t in ("x", "y"))),
        ToolResult("x", "x", False, "plain x-text"),
        ToolResult("y", "y", False, "plain y-text"),
    ]
    text = sent(events, (read_omission("x:$"),))

    assert "x-text" not in text
    assert "x-q" not in text
    assert LEFT_OUT in text
    assert "y-text" in text
    assert "y-q" in text


def test_the_same_state_has_the_same_key_where_nothing_is_left_out() -> None:
    call = ToolCall("c", "get", {"a": 1})
    events: list[Event] = [
        AssistantTurn(calls=(call,)),
        ToolResult("c", "get", False, '{"a": 1.0}'),
    ]

    assert sent(events, ()) == sent(events, (read_omission("other:a"),))


@pytest.mark.parametrize(
    ("text", "tool", "path"),
    [
        ("get:a", "get", ("a",)),
        ("get:$.a.b", "get", ("a", "b")),
        ("get:a[*].b[*]", "get", ("a", "b")),
        ("srv::get:a", "srv::get", ("a",)),
        ("*:*.b", "*", ("*", "b")),
        ("get:$", "get", ()),
        ("get:$[*].a", "get", ("a",)),
    ],
)
def test_a_tool_and_a_path_are_read(text: str, tool: str, path: tuple) -> None:
    assert read_omission(text) == Omission(tool, path)


@pytest.mark.parametrize(
    "text", ["", "get", "get:", ":a", "get:a..b", "get:a[0]", "a:["]
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(StrettoError, match="does not say what to leave out") as error:
        read_omission(text)
    assert "TOOL:PATH" in (error.value.hint or "")
