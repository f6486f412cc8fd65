"""An episode, its turns and results, and how it stood after one call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)


def call(id: str) -> ToolCall:
    return ToolCall(id, "get", {})


def result(id: str) -> ToolResult:
    return ToolResult(id, "get", False, "ok")


@pytest.mark.parametrize(
    ("reward", "succeeded"),
    [(1.0, True), (1 - 1e-10, True), (1 - 1e-8, False), (0.93, False), (None, False)],
)
def test_only_a_full_reward_is_a_success(reward, succeeded):
    assert Episode("e", (), reward=reward).succeeded is succeeded


def test_after_a_call_its_turn_holds_the_answered_calls_and_then_that_call():
    turn = AssistantTurn("Let me see.", (call("c1"), call("c2"), call("c3")))
    episode = Episode("e", (UserMessage("Hi"), turn, result("c3"), result("c2")))

    view = episode.after("c2")

    assert view.episode.turns[0].calls == (call("c3"), call("c2"))
    assert view.episode.turns[0].text == "Let me see."
    assert view.episode.events[2:] == episode.events[2:]
    assert view.pending == (call("c1"),)


def test_after_an_unknown_call_nothing_has_changed():
    episode = Episode("e", (AssistantTurn(None, (call("c1"),)),))

    assert episode.after("c9") == (episode, ())


@given(
    st.lists(st.booleans(), min_size=1, max_size=5).flatmap(
        lambda done: st.tuples(st.just(done), st.integers(0, len(done) - 1))
    )
)
def test_after_any_call_no_call_of_its_turn_is_lost(drawn):
    done, named = drawn
    calls = tuple(call(str(i)) for i in range(len(done)))
    answers = tuple(result(str(i)) for i, answered in enumerate(done) if answered)
    episode = Episode("e", (AssistantTurn(None, calls), *answers))

    view = episode.after(str(named))
    kept = view.episode.turns[0].calls

    assert kept[-1] == calls[named]
    assert sorted((*kept, *view.pending), key=lambda c: c.id) == list(calls)
    assert all(done[int(c.id)] for c in kept[:-1])
    assert not any(done[int(c.id)] for c in view.pending)
