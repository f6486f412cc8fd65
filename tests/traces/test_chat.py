"""Chats as OpenAI's API has them."""

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind, ToolDocs
from tests.traces.samples import (
    causes,
    chat_call,
    chat_messages,
    lines,
    read_all,
    write,
)

EVENTS = (
    UserMessage("Where is order W1?"),
    AssistantTurn(None, (ToolCall("c1", "get_order", {"order_id": "W1"}),)),
    ToolResult("c1", "get_order", False, '{"status": "on its way"}'),
    AssistantTurn("On its way."),
)


def chat(**beside):
    return beside | {"messages": chat_messages()}


@pytest.mark.parametrize(
    "content",
    [
        chat_messages(),
        [chat_messages()],
        [chat()],
        chat(),
        lines([chat_messages()]),
        lines([chat()]),
    ],
    ids=[
        "bare messages",
        "a list of message lists",
        "a list of chats",
        "one chat",
        "a line of messages",
        "a line with a chat",
    ],
)
def test_a_chat_is_the_same_episode_in_every_envelope(tmp_path, content):
    (episode,), ledger = read_all(write(tmp_path / "chat.jsonl", content))

    assert episode == Episode("chat.jsonl#0", EVENTS)
    assert episode.reward is None
    assert not ledger.problems


def test_chats_of_bare_messages_one_a_line_stay_apart(tmp_path):
    path = write(tmp_path / "chats.jsonl", lines([chat_messages(), chat_messages()]))

    episodes, _ = read_all(path)

    assert [e.id for e in episodes] == ["chats.jsonl#0", "chats.jsonl#1"]
    assert [e.events for e in episodes] == [EVENTS, EVENTS]


def test_what_stands_beside_the_messages_describes_the_episode(tmp_path):
    path = write(
        tmp_path / "chats.jsonl",
        lines([chat(id="x", task_id=4, trial=2, model="acme/agent-1")]),
    )

    (episode,), _ = read_all(path)

    assert episode == Episode("x", EVENTS, "4", 2, agent="acme/agent-1")


@pytest.mark.parametrize(
    ("reward", "expected"), [(True, 1.0), (False, 0.0), (0.5, 0.5), (None, None)]
)
def test_the_reward_is_the_field_that_was_asked_for(tmp_path, reward, expected):
    path = write(tmp_path / "chats.jsonl", lines([chat(correct=reward)]))

    (graded,), _ = read_all(path, reward_field="correct")
    (ungraded,), _ = read_all(path)

    assert graded.reward == expected
    assert ungraded.reward is None


def test_a_reward_that_is_no_number_is_reported(tmp_path):
    path = write(tmp_path / "chats.jsonl", lines([chat(correct="yes"), chat()]))

    episodes, ledger = read_all(path, reward_field="correct")

    assert len(episodes) == 1
    assert "reward that is no number" in causes(ledger)[0]
    assert ledger.problems[0].line == 1


def test_content_in_blocks_is_its_text(tmp_path):
    messages = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is"},
                {"type": "image_url", "image_url": {"url": "data:"}},
                {"type": "text", "text": "this?"},
            ],
        },
        {"role": "assistant", "content": []},
        {"role": "user", "content": {"answer": 42}},
    ]

    (episode,), _ = read_all(write(tmp_path / "chat.json", messages))

    assert episode.events == (
        UserMessage("What is\nthis?"),
        AssistantTurn(None),
        UserMessage('{"answer":42}'),
    )


def test_tools_beside_the_messages_are_documented_of_unknown_kind(tmp_path):
    function = {
        "name": "get_order",
        "description": "Looks an\n  order up.",
        "parameters": {
            "properties": {"order_id": {"description": " Its id. "}, "x": 1}
        },
    }
    tools = [{"type": "function", "function": function}, {"name": "bare"}]
    path = write(
        tmp_path / "chats.jsonl", lines([chat(tools=tools), chat(tools=tools)])
    )

    _, ledger = read_all(path)

    assert ledger.manifest.tools == {"get_order": Kind.GENERIC, "bare": Kind.GENERIC}
    assert ledger.manifest.docs == {
        "get_order": ToolDocs("Looks an order up.", {"order_id": "Its id."})
    }


def test_ids_used_again_results_without_calls_and_calls_without_results(tmp_path):
    messages = [
        {"role": "tool", "tool_call_id": "c", "content": "too early"},
        {"role": "assistant", "tool_calls": [chat_call("c", "f", "{}")]},
        {"role": "assistant", "tool_calls": [chat_call("c", "g", "{}")]},
        {"role": "tool", "tool_call_id": "c", "content": "Error: no"},
    ]

    (episode,), ledger = read_all(write(tmp_path / "chat.json", messages))

    assert [call.id for turn in episode.turns for call in turn.calls] == ["c", "c#2"]
    assert episode.results() == {"c#2": ToolResult("c#2", "g", True, "Error: no")}
    assert ledger.counts["stray results"] == 1


def test_a_spoilt_chat_is_reported_with_its_line_and_the_rest_is_read(tmp_path):
    spoilt = [{"messages": 3}, {"role": "x"}, 7, {"messages": [], "tools": [1]}]
    path = write(tmp_path / "chats.jsonl", lines([chat(), *spoilt, chat()]))

    episodes, ledger = read_all(path, reader="openai-chat")

    assert [e.events for e in episodes].count(EVENTS) == 2
    assert [problem.line for problem in ledger.problems] == [2, 4, 5]
