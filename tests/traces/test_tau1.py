"""τ-bench's own result files."""

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from tests.traces.samples import causes, chat_call, lines, read_all, tau1_run, write

EVENTS = (
    UserMessage("Where is order W1?"),
    AssistantTurn(None, (ToolCall("c1", "get_order", {"order_id": "W1"}),)),
    ToolResult("c1", "get_order", False, '{"status": "on its way"}'),
    AssistantTurn("On its way."),
)


def only_episode(tmp_path, *messages):
    path = write(tmp_path / "runs.json", [tau1_run() | {"traj": list(messages)}])
    (episode,), ledger = read_all(path)
    return episode, ledger


def calling(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def answer(id, content="ok"):
    return {"role": "tool", "tool_call_id": id, "name": "f", "content": content}


def test_a_run_becomes_an_episode_of_an_unknown_domain_and_agent(tmp_path):
    (episode,), ledger = read_all(write(tmp_path / "runs.json.gz", [tau1_run(27)]))

    assert episode == Episode("runs.json#0", EVENTS, "27", reward=1.0, expected=())
    assert ledger.counts == {"files": 1, "episodes": 1}


def test_runs_one_a_line_are_the_same_runs(tmp_path):
    runs = [tau1_run(0), tau1_run(1, reward=0.93)]

    listed, _ = read_all(write(tmp_path / "r", runs))
    lined, _ = read_all(write(tmp_path / "l", lines(runs)))

    assert [e.events for e in listed] == [e.events for e in lined]
    assert [e.succeeded for e in lined] == [True, False]


def test_a_run_that_crashed_is_skipped_and_counted(tmp_path):
    crashed = tau1_run(1) | {"traj": [], "info": {"error": "timeout"}}

    episodes, ledger = read_all(write(tmp_path / "runs.json", [tau1_run(), crashed]))

    assert len(episodes) == 1
    assert ledger.counts["crashed"] == 1
    assert not ledger.problems


def test_only_the_call_that_ran_is_kept(tmp_path):
    episode, ledger = only_episode(
        tmp_path,
        calling(chat_call("a", "f", "{}"), chat_call("b", "g", "{}")),
        answer("a"),
    )

    assert [call.id for call in episode.turns[0].calls] == ["a"]
    assert ledger.counts["dropped calls"] == 1


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ("Error: order not found", True),
        ("Unknown action cancel_it", True),
        ("No Error here", False),
        ("error", False),
        (None, False),
    ],
)
def test_a_failed_result_is_told_by_how_it_begins(tmp_path, content, failed):
    episode, _ = only_episode(
        tmp_path, calling(chat_call("a", "f", "{}")), answer("a", content)
    )

    assert episode.results()["a"].error is failed


def test_an_id_used_again_is_a_call_of_its_own(tmp_path):
    episode, ledger = only_episode(
        tmp_path,
        calling(chat_call("a", "f", '{"n": 1}')),
        answer("a", "one"),
        calling(chat_call("a", "g", '{"n": 2}')),
        answer("a", "two"),
    )

    assert [(r.call_id, r.tool, r.content) for r in episode.results().values()] == [
        ("a", "f", "one"),
        ("a#2", "g", "two"),
    ]
    assert ledger.counts["renamed calls"] == 1


def test_argument_text_that_is_no_json_stays_text(tmp_path):
    episode, _ = only_episode(
        tmp_path, calling(chat_call("a", "f", "{'n': 1}")), answer("a")
    )

    assert episode.turns[0].calls[0].arguments == "{'n': 1}"


@pytest.mark.parametrize("reward", [None, 0, False])
def test_no_reward_is_zero(tmp_path, reward):
    (episode,), _ = read_all(write(tmp_path / "r.json", [tau1_run(reward=reward)]))

    assert episode.reward == 0.0


@pytest.mark.parametrize(
    "text",
    ['Action:\n{"name": "f", "arguments": {}}', 'Thought: x\nAction: {"name": 1}'],
)
def test_a_run_whose_calls_are_text_is_refused(tmp_path, text):
    run = tau1_run() | {"traj": [{"role": "assistant", "content": text}]}

    episodes, ledger = read_all(write(tmp_path / "runs.json", [run]))

    assert episodes == []
    assert "inside the text" in causes(ledger)[0]


def test_a_run_without_messages_to_read_is_reported(tmp_path):
    runs = [tau1_run(), {"task_id": 1, "reward": 1.0}, 3]

    episodes, ledger = read_all(write(tmp_path / "runs.json", runs))

    assert len(episodes) == 1
    assert causes(ledger) == ["[1]: has no `traj`", "[2]: is not an object"]
