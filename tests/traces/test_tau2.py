"""τ²-bench, in result files and loose."""

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.traces.samples import (
    causes,
    lines,
    read_all,
    simulation,
    tau2_call,
    tau2_file,
    write,
)

EVENTS = (
    UserMessage("Where is order W1?"),
    AssistantTurn(
        None, (ToolCall("c1", "get_order", {"order_id": "W1"}),), Usage(100, 20, 0.25)
    ),
    ToolResult("c1", "get_order", False, '{"status": "on its way"}'),
    AssistantTurn("On its way."),
    UserMessage("###STOP###"),
)


def with_messages(*messages):
    return simulation() | {"messages": list(messages)}


def only_episode(tmp_path, *simulations, **options):
    path = write(tmp_path / "results.json", tau2_file(*simulations))
    (episode,), ledger = read_all(path, **options)
    return episode, ledger


def test_a_simulation_becomes_an_episode_without_its_scripted_greeting(tmp_path):
    episode, ledger = only_episode(tmp_path, simulation())

    assert episode == Episode("s1", EVENTS, "7", 0, "shop", "acme/agent-1", 1.0)
    assert ledger.counts == {"files": 1, "episodes": 1}


def test_a_first_message_that_cost_something_or_calls_is_no_greeting(tmp_path):
    paid = {"role": "assistant", "content": "Hi!", "cost": 0.1}
    calling = {"role": "assistant", "tool_calls": [tau2_call("c", "f", {})], "cost": 0}

    for message in (paid, calling):
        episode, _ = only_episode(tmp_path, with_messages(message))
        assert len(episode.turns) == 1


def test_the_customers_own_calls_and_results_are_left_out(tmp_path):
    episode, ledger = only_episode(
        tmp_path,
        with_messages(
            {
                "role": "user",
                "content": None,
                "tool_calls": [tau2_call("u1", "toggle", {}, "user")],
            },
            {"role": "tool", "id": "u1", "content": "on", "requestor": "user"},
            {"role": "assistant", "content": "Good."},
        ),
    )

    assert episode.events == (UserMessage(""), AssistantTurn("Good."))
    assert "stray results" not in ledger.counts


def test_a_result_of_a_call_that_nobody_made_is_counted_and_left_out(tmp_path):
    episode, ledger = only_episode(
        tmp_path, with_messages({"role": "tool", "id": "x", "content": "?"})
    )

    assert episode.events == ()
    assert ledger.counts["stray results"] == 1
    assert ledger.counts["empty"] == 1


def test_a_call_that_was_never_answered_stays(tmp_path):
    episode, _ = only_episode(
        tmp_path,
        with_messages({"role": "assistant", "tool_calls": [tau2_call("c", "f", None)]}),
    )

    assert episode.turns[0].calls == (ToolCall("c", "f", None),)


def test_in_a_solo_run_a_call_that_was_never_answered_did_not_happen(tmp_path):
    document = tau2_file(
        with_messages(
            {
                "role": "assistant",
                "cost": 0.1,
                "tool_calls": [tau2_call("a", "f", {}), tau2_call("b", "g", {})],
            },
            {"role": "tool", "id": "a", "content": "ok"},
        )
    )
    document["info"]["agent_info"]["implementation"] = "llm_agent_solo"
    document["info"]["user_info"]["implementation"] = "dummy_user"

    (episode,), ledger = read_all(write(tmp_path / "solo.json", document))

    assert [call.tool for call in episode.turns[0].calls] == ["f"]
    assert ledger.counts["dropped calls"] == 1


def test_the_greeting_of_a_toolorchestra_run_has_no_cost_at_all(tmp_path):
    episode, _ = only_episode(
        tmp_path, with_messages({"role": "assistant", "content": "Hi!", "cost": None})
    )

    assert episode.turns == ()


@pytest.mark.parametrize("reward_info", [None, {}, {"reward": None}])
def test_a_missing_reward_is_zero(tmp_path, reward_info):
    episode, _ = only_episode(tmp_path, simulation() | {"reward_info": reward_info})

    assert episode.reward == 0.0


def test_info_may_stand_behind_the_simulations(tmp_path):
    document = tau2_file(simulation(), simulation("s2"), info_last=True)

    episodes, ledger = read_all(write(tmp_path / "results.json", document))

    assert [(e.id, e.domain, e.agent) for e in episodes] == [
        ("s1", "shop", "acme/agent-1"),
        ("s2", "shop", "acme/agent-1"),
    ]
    assert not ledger.problems


def test_an_agent_without_a_name_is_unknown(tmp_path):
    document = tau2_file(simulation())
    document["info"]["agent_info"]["llm"] = None

    (episode,), _ = read_all(write(tmp_path / "results.json", document))

    assert episode.agent == "unknown"


def test_a_bare_list_and_lines_hold_the_same_simulations_without_an_agent(tmp_path):
    loose = [simulation("s1"), simulation("s2")]

    listed, _ = read_all(write(tmp_path / "list.json", loose))
    lined, _ = read_all(write(tmp_path / "lines.jsonl", lines(loose)))

    assert listed == lined
    assert listed[0] == Episode("s1", EVENTS, "7", reward=1.0)


def test_a_loose_simulation_is_named_by_its_run_or_its_position(tmp_path):
    first = simulation() | {"id": None, "run_info": {"simulation_id": "r1"}}
    second = simulation() | {"id": None}

    episodes, _ = read_all(write(tmp_path / "lines.jsonl.gz", lines([first, second])))

    assert [episode.id for episode in episodes] == ["r1", "lines.jsonl#1"]


def test_a_summary_around_the_simulations_gives_domain_and_agent(tmp_path):
    document = {
        "domain": "airline",
        "agent": "careful_agent",
        "model": "acme/agent-2",
        "simulations": [simulation()],
    }

    (episode,), _ = read_all(write(tmp_path / "summary.json", document))

    assert (episode.domain, episode.agent) == ("airline", "acme/agent-2")


def test_a_file_without_simulations_has_no_episodes_and_no_problem(tmp_path):
    episodes, ledger = read_all(write(tmp_path / "results.json", tau2_file()))

    assert episodes == []
    assert not ledger.problems


@pytest.mark.parametrize(
    ("spoilt", "cause"),
    [
        ("text", "is not an object"),
        ({"id": "x"}, "has no `messages`"),
        ({"messages": "hi"}, "`messages` is not an array"),
        ({"messages": [1]}, "has an item that is not an object"),
        (
            {"messages": [], "reward_info": {"reward": "good"}},
            "reward that is no number",
        ),
        (
            with_messages(
                {"role": "assistant", "tool_calls": [tau2_call("c", "", {})]}
            ),
            "a call without a name",
        ),
        (with_messages({"role": "assistant", "tool_calls": 3}), "`tool_calls` is not"),
    ],
)
def test_a_spoilt_simulation_is_reported_by_its_position_and_the_rest_is_read(
    tmp_path, spoilt, cause
):
    document = tau2_file(simulation("s1"), spoilt, simulation("s3"))

    episodes, ledger = read_all(write(tmp_path / "results.json", document))

    assert [episode.id for episode in episodes] == ["s1", "s3"]
    (found,) = causes(ledger)
    assert found.startswith("simulations[1]: ")
    assert cause in found


def test_simulations_that_are_no_list_are_reported(tmp_path):
    document = tau2_file() | {"simulations": {"s1": {}}}

    _, ledger = read_all(write(tmp_path / "results.json", document))

    assert causes(ledger) == ["`simulations` is not an array"]
