"""What a benchmark's task expects, where its files say so."""

import json
from pathlib import Path

import pytest

from stretto.episodes.episode import ToolCall
from stretto.traces.reader import read
from tests.conftest import shared

ACTION = {"name": "cancel", "arguments": {"b": 1, "a": 2}, "requestor": "assistant"}
CANCEL = ToolCall("", "cancel", {"a": 2, "b": 1})


def tau2(folder: Path, reward_info: object, task: object = None):
    line = {"task_id": "1", "messages": [], "reward_info": reward_info, "task": task}
    (folder / "s.jsonl").write_text(json.dumps(line) + "\n")
    [episode] = read([folder / "s.jsonl"])
    return episode.expected


def test_the_actions_that_were_checked_go_before_those_that_the_task_lists(tmp_path):
    checked = {"reward": 1.0, "action_checks": [{"action": ACTION}]}
    task = {"evaluation_criteria": {"actions": [ACTION, ACTION]}}

    assert tau2(tmp_path, checked, task) == (CANCEL,)
    assert tau2(tmp_path, {"reward": 1.0}, task) == (CANCEL, CANCEL)
    assert tau2(tmp_path, {"reward": 1.0, "action_checks": []}) == ()


def test_the_customers_own_actions_are_left_out(tmp_path: Path) -> None:
    theirs = ACTION | {"requestor": "user"}
    checks = [{"action": theirs}, {"action": ACTION}]

    assert tau2(tmp_path, {"reward": 1.0, "action_checks": checks}) == (CANCEL,)


@pytest.mark.parametrize("action", [None, 3, {}, {"name": 4}, {"arguments": {}}])
def test_an_action_that_cannot_be_read_leaves_the_whole_unknown(tmp_path, action):
    checks = [{"action": ACTION}, {"action": action}]

    assert tau2(tmp_path, {"reward": 1.0, "action_checks": checks}) is None


@pytest.mark.parametrize("info", [None, {}, {"task": 3}, {"task": {"actions": {}}}])
def test_without_actions_nothing_is_known(tmp_path: Path, info: object) -> None:
    run = {
        "task_id": 1, "reward": 1, "info": info,
        "traj": [{"role": "user", "content": "hi"}],
    }  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps([run]))
    [episode] = read([tmp_path / "r.json"])

    assert episode.expected is None
    assert tau2(tmp_path, {"reward": 1.0}) is None


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("tau1-retail-madhav/retail__l0-4.1__115.json.gz", "find_user_id_by_name_zip"),
        ("tau2-sierra-prs/retail__gpt-4.1__40.json.gz", "find_user_id_by_email"),
    ],
)
def test_recorded_sessions_say_what_their_tasks_expect(path: str, first: str) -> None:
    found = [e.expected for e in read([shared(f"sessions/{path}")])]

    assert None not in found
    assert first in {calls[0].tool for calls in found if calls}
