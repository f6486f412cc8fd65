"""The state kept event by event is the one built anew from all that came before."""

import json
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.oracle.clip import clip
from stretto.oracle.state import Slice
from stretto.traces.reader import read
from tests.conftest import shared
from tests.oracle import literal
from tests.toys import Script

GONE = "(nothing)"

RECORDED = (
    "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz",
    "sessions/tau2-retail-codesque16/retail__gpt-5-mini__114.jsonl.gz",
    "sessions/tau2-sierra-prs/airline__claude-opus-4-6-button__50.json.gz",
    "sessions/tau2-sierra-prs/telecom__gpt-4.1__40.json.gz",
    "sessions/tau2-sierra-prs/telecom-solo__gpt-4.1__40.json.gz",
    "sessions/tau1-sierra/airline__gpt-4o__50x4.json.gz",
    "sessions/mcp-livemcpbench/agent_claude-sonnet-4__95.json.gz",
)

TEXTS = st.sampled_from(["", " ", "hello", "\x1f", "é" * 700, " x" * 900])


@st.composite
def happenings(draw: st.DrawFn) -> list[Event]:
    """Events in any order: parallel calls, late, missing, repeated, unknown results."""
    events: list[Event] = []
    sent: list[ToolCall] = [ToolCall("never", "sent", {})]
    for index in range(draw(st.integers(0, 30))):
        match draw(st.sampled_from("utccr")):
            case "u":
                events.append(UserMessage(draw(TEXTS)))
            case "t":
                events.append(AssistantTurn(draw(st.none() | TEXTS)))
            case "c":
                values = draw(st.lists(TEXTS, min_size=1, max_size=3))
                calls = [
                    ToolCall(f"{index}.{i}", "get", {"v": value})
                    for i, value in enumerate(values)
                ]
                sent += calls
                events.append(AssistantTurn(draw(st.none() | TEXTS), tuple(calls)))
            case _:
                call = draw(st.sampled_from(sent))
                failed = draw(st.booleans())
                events.append(ToolResult(call.id, call.tool, failed, draw(TEXTS)))
    return events


@settings(max_examples=100, deadline=None)
@given(happenings(), st.integers(0, 30))
def test_at_every_prefix_the_state_is_the_literal_one(events, copied_at) -> None:
    slice = Slice(GONE)

    for end, event in enumerate(events, start=1):
        slice.add(event)
        if end == copied_at:
            other, slice = slice, slice.copy()
            other.add(UserMessage("of the original only"))
            other.add(AssistantTurn(calls=(ToolCall("x", "x", {}),)))

        assert slice.json() == literal.state(events[:end], GONE)


@pytest.mark.parametrize("path", RECORDED)
def test_at_every_decision_of_real_sessions_the_state_is_the_literal_one(path) -> None:
    decisions = 0
    for episode in islice(read([shared(path)]), 12):
        slice, n_events = Slice(GONE), 0
        for events in literal.before_each_decision(episode):
            for event in events[n_events:]:
                slice.add(event)
            n_events = len(events)
            decisions += 1

            assert slice.json() == literal.state(events, GONE)
    assert decisions > 30


@pytest.mark.parametrize("path", [RECORDED[2], RECORDED[4]])
def test_a_harness_that_shows_an_episode_after_a_call_gets_the_same_state(path) -> None:
    for episode in islice(read([shared(path)]), 6):
        slice, seen = Slice(GONE), 0
        for index, event in enumerate(episode.events):
            if not isinstance(event, ToolResult):
                continue
            prefix = replace(episode, events=episode.events[: index + 1])
            view = prefix.after(event.call_id).episode
            for known in literal.as_it_happened(prefix)[seen:]:
                slice.add(known)
                seen += 1

            assert Slice.of(view.events, GONE).json() == slice.json()


def test_the_published_limits_are_held_on_real_sessions() -> None:
    longest = 0
    for episode in islice(read([shared(RECORDED[0])]), 12):
        state = Slice.of(episode.events, GONE).json()
        latest = state["latest_results"]
        assert isinstance(latest, list)
        assert len(latest) <= 4
        assert len(state.get("earlier_lookups", [])) <= 16
        longest = max(longest, *(len(shown["result"]) for shown in latest))
    assert longest == 1501


def test_a_session_nobody_spoke_in_has_two_keys() -> None:
    assert Slice(GONE).json() == {"customer_request": None, "latest_results": []}


def test_a_key_is_there_only_where_it_holds_something() -> None:
    script = Script().user("Hi")
    assert Slice.of(script.events, GONE).json().keys() == {
        "customer_request",
        "latest_results",
    }

    script.turn(*(("get", {"n": n}, "ok") for n in range(5))).reply().user("Yes")
    assert Slice.of(script.events, GONE).json() == {
        "customer_request": "Hi",
        "later_customer_messages": ["Yes"],
        "agent_last_message": "Anything else?",
        "earlier_lookups": ['get({"n":0}) → ok'],
        "latest_results": [
            {"tool_call": "get", "arguments": {"n": n}, "result": '"ok"'}
            for n in range(1, 5)
        ],
    }


def test_a_call_without_a_result_is_shown_as_failed() -> None:
    state = Slice.of(Script().turn(("get", {}, None)).events, GONE).json()

    assert state["latest_results"] == [
        {"tool_call": "get", "arguments": {}, "result": GONE, "error": True}
    ]


def test_text_beside_calls_is_never_shown() -> None:
    call = ToolCall("c", "get", {})
    state = Slice.of([AssistantTurn("between us", (call,))], GONE).json()

    assert "between us" not in json.dumps(state)


def test_a_clipped_text_is_trimmed_first_and_marked() -> None:
    assert clip("  abcd ", 4) == "abcd"
    assert clip("\u3000abcde", 4) == "abcd…"
    assert clip("\x1cab", 9) == "\x1cab"
