"""ATIF trajectories."""

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.traces.samples import atif_trajectory, causes, lines, read_all, write

EVENTS = (
    UserMessage("Where is order W1?"),
    AssistantTurn(
        None, (ToolCall("c1", "get_order", {"order_id": "W1"}),), Usage(100, 20, 0.25)
    ),
    ToolResult("c1", "get_order", False, '{"status": "on its way"}'),
    AssistantTurn("On its way."),
)


def with_step(**step):
    return atif_trajectory() | {"steps": [{"source": "agent", "message": "x"} | step]}


@pytest.mark.parametrize(
    "content",
    [atif_trajectory(), [atif_trajectory()], lines([atif_trajectory()])],
    ids=["a document", "a list", "a line"],
)
def test_a_trajectory_becomes_an_episode_one_turn_per_agent_step(tmp_path, content):
    (episode,), ledger = read_all(write(tmp_path / "run.json", content))

    assert episode == Episode("a1", EVENTS, agent="acme/agent-1")
    assert ledger.counts == {"files": 1, "episodes": 1}


def test_an_agent_without_a_model_goes_by_its_name(tmp_path):
    trajectory = atif_trajectory() | {"agent": {"name": "helper"}}

    (episode,), _ = read_all(write(tmp_path / "run.json", trajectory))

    assert episode.agent == "helper"


def test_a_result_that_names_no_call_is_that_of_the_only_one(tmp_path):
    call = {"tool_call_id": "c", "function_name": "f", "arguments": {}}
    results = {"results": [{"content": "Error: no"}]}

    for calls, n_results in (([call], 1), ([call, call], 0), ([], 0)):
        trajectory = with_step(tool_calls=calls, observation=results)
        (episode,), ledger = read_all(write(tmp_path / "run.json", trajectory))
        assert len(episode.results()) == n_results
        assert ledger.counts["stray results"] == 1 - n_results
        assert all(result.error for result in episode.results().values())


def test_a_result_marked_as_an_error_is_one(tmp_path):
    call = {"tool_call_id": "c", "function_name": "f", "arguments": {}}
    result = {"source_call_id": "c", "content": "no", "extra": {"is_error": True}}
    trajectory = with_step(tool_calls=[call], observation={"results": [result]})

    (episode,), _ = read_all(write(tmp_path / "run.json", trajectory))

    assert episode.results()["c"].error


@pytest.mark.parametrize(
    "trajectory",
    [
        {"schema_version": "ATIF-v1.4"},
        with_step(tool_calls=[{"tool_call_id": "c"}]),
        with_step(observation={"results": 3}),
        atif_trajectory() | {"steps": [None]},
    ],
)
def test_a_spoilt_trajectory_is_reported_and_the_next_is_read(tmp_path, trajectory):
    path = write(tmp_path / "runs.jsonl", lines([trajectory, atif_trajectory()]))

    (episode,), ledger = read_all(path)

    assert episode.id == "a1"
    assert len(causes(ledger)) == 1


def test_a_trajectory_of_another_major_version_is_not_recognised(tmp_path):
    trajectory = atif_trajectory() | {"schema_version": "ATIF-v2.0"}

    episodes, ledger = read_all(write(tmp_path / "run.json", trajectory))

    assert episodes == []
    assert "not recognised" in causes(ledger)[0]
