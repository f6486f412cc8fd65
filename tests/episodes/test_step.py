"""The walk over an episode's events."""

from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult, UserMessage
from stretto.episodes.step import Outcome, steps
from tests.claims import claim

OK, ERROR, REPLY, END = Outcome

said = UserMessage("…")
reply = AssistantTurn("…")


def calling(*ids: str) -> AssistantTurn:
    return AssistantTurn(None, tuple(ToolCall(id, f"tool_{id}", {}) for id in ids))


def result(id: str, error: bool = False) -> ToolResult:
    return ToolResult(id, f"tool_{id}", error, "…")


def walk(*events: object) -> list[tuple[str | None, Outcome, int]]:
    return [(step.tool, step.outcome, step.turn) for step in steps(events)]


@claim("walk:steps", "walk:outcomes", "measure:turn")
def test_each_call_is_a_step_and_text_beside_calls_is_none():
    turn = AssistantTurn("One moment.", calling("a", "b").calls)

    assert walk(turn, result("b", error=True), result("a")) == [
        ("tool_a", OK, 0),
        ("tool_b", ERROR, 0),
    ]


@claim("habit:outcomes")
def test_a_call_without_a_result_failed():
    (step,) = steps([calling("a")])

    assert step.outcome is ERROR
    assert step.result is None
    assert step.call == ToolCall("a", "tool_a", {})


def test_a_result_counts_wherever_it_stands():
    assert walk(result("a"), said, calling("a")) == [("tool_a", OK, 0)]


@claim("habit:outcomes")
def test_a_message_is_answered_by_the_user_and_ends_the_episode_otherwise():
    assert walk(reply, said, reply) == [(None, REPLY, 0), (None, END, 1)]


def test_of_messages_in_a_row_only_the_last_can_be_answered():
    assert walk(reply, reply, said) == [(None, END, 0), (None, REPLY, 1)]


def test_a_turn_with_calls_leaves_the_message_before_it_unanswered():
    assert walk(reply, calling("a"), said) == [(None, END, 0), ("tool_a", ERROR, 1)]


def test_a_second_user_message_answers_nothing_more():
    assert walk(said, reply, said, said) == [(None, REPLY, 0)]


def literal_walk(events: list) -> list[tuple[str | None, Outcome, int]]:
    """The rules one at a time, each by a search through the events."""
    ok = {e.call_id: not e.error for e in events if isinstance(e, ToolResult)}
    turns = [e for e in events if isinstance(e, AssistantTurn)]
    places = [i for i, e in enumerate(events) if isinstance(e, AssistantTurn)]
    found: list[tuple[str | None, Outcome, int]] = []
    for number, (place, turn) in enumerate(zip(places, turns, strict=True)):
        if turn.calls:
            found += [
                (call.tool, OK if ok.get(call.id) else ERROR, number)
                for call in turn.calls
            ]
            continue
        until = places[number + 1] if number + 1 < len(places) else len(events)
        answered = any(isinstance(e, UserMessage) for e in events[place:until])
        found.append((None, REPLY if answered else END, number))
    return found


@claim("walk:steps")
@given(
    st.lists(
        st.sampled_from(
            [
                said,
                reply,
                calling("a"),
                calling("b", "c"),
                result("a"),
                result("b", True),
            ]
        )
    )
)
def test_the_walk_is_the_rules_applied_one_at_a_time(events):
    assert walk(*events) == literal_walk(events)
