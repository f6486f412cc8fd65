"""MedAgentBench's runs: requests to a FHIR server that an agent wrote as text."""

import gzip
import json
from urllib.parse import unquote

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind
from tests.conftest import shared
from tests.traces.samples import JsonObject, causes, lines, read_all, write

BASE = "http://localhost:8090/fhir"
ASK = ". Please call FINISH if you have got answers for all the questions and finished "
ASK += "all the requested tasks"


def got(query: str, seen: str | None, path: str = "/Observation") -> JsonObject:
    url = f"{BASE}{path}?{query}"
    return {
        "round": 0, "agent_reply": f"GET {url}", "action_kind": "get",
        "url": f"{url}&_format=json", "payload": None, "observation": seen,
    }  # fmt: skip


def posted(payload: object, seen: str) -> JsonObject:
    return {
        "round": 1, "agent_reply": "POST …", "action_kind": "post",
        "url": f"{BASE}/ServiceRequest", "payload": payload, "observation": seen,
    }  # fmt: skip


def said(text: str, kind: str = "finish") -> JsonObject:
    return {"action_kind": kind, "agent_reply": text, "url": None, "observation": None}


def run(*turns: JsonObject, **fields: object) -> JsonObject:
    return {
        "task_id": "task10_1", "eval_mrn": "S1", "instruction": "When was it?",
        "context": "It's 2023 now.", "attempt": 1, "infra_fail": False,
        "turns": [*turns], "correct": True,
        "diagnostics": {
            "benchmark": "medagentbench", "provenance": {"model": "gemini-3.5-flash"}
        },
        **fields,
    }  # fmt: skip


def read_run(tmp_path, *turns, **fields):
    episodes, ledger = read_all(write(tmp_path / "runs.jsonl", [run(*turns, **fields)]))
    return episodes, ledger


def only_call(tmp_path, turn) -> ToolCall:
    [episode], _ = read_run(tmp_path, turn)
    [call] = episode.turns[0].calls
    return call


def test_a_run_becomes_an_episode_of_requests_and_an_answer(tmp_path):
    [episode], ledger = read_run(
        tmp_path,
        got(
            "code=A1C&patient=S1",
            f"Here is the response from the GET request:\n{{}}{ASK}",
        ),
        posted(
            {"status": "active", "code": {"b": 1, "a": 2}},
            f"POST request accepted{ASK}",
        ),
        said("FINISH([-1])"),
    )  # fmt: skip

    get = ToolCall("1", "GET Observation", {"code": "A1C", "patient": "S1"})
    post = ToolCall(
        "3", "POST ServiceRequest", {"code": {"a": 2, "b": 1}, "status": "active"}
    )
    assert episode == Episode(
        "runs.jsonl#0",
        (
            UserMessage("It's 2023 now.\nWhen was it?"),
            AssistantTurn(None, (get,)),
            ToolResult("1", "GET Observation", False, "{}"),
            AssistantTurn(None, (post,)),
            ToolResult("3", "POST ServiceRequest", False, "POST request accepted"),
            AssistantTurn("FINISH([-1])"),
        ),
        task="task10_1",
        domain="medagentbench",
        agent="gemini-3.5-flash",
        reward=1.0,
    )
    assert list(post.arguments["code"]) == ["a", "b"]
    assert ledger.manifest.tools == {
        "GET Observation": Kind.READ,
        "POST ServiceRequest": Kind.WRITE,
    }


def test_a_query_is_what_the_agent_wrote(tmp_path):
    query = "date=ge2023-11-12T10:15:00+00:00&date=le%202023&code=A%2BC=1&&empty="
    call = only_call(tmp_path, got(query, "{}"))

    assert call.arguments == {
        "code": "A+C=1",
        "date": ["ge2023-11-12T10:15:00+00:00", "le 2023"],
        "empty": "",
    }


def test_a_record_named_in_the_path_is_an_argument(tmp_path):
    call = only_call(tmp_path, got("x=1", "{}", path="/Patient/S1"))

    assert call == ToolCall("1", "GET Patient/{id}", {"id": "S1", "x": "1"})


def test_requests_that_were_refused_are_errors(tmp_path):
    [episode], _ = read_run(
        tmp_path,
        got("a=b", "Error in sending the GET request: 400 Client Error"),
        posted(None, "Invalid POST request"),
        got("a=b", None),
        said("I cannot say.", "invalid"),
        correct=False,
        diagnostics={"provenance": {"model": "(agent default)"}},
    )
    results = [e for e in episode.events if isinstance(e, ToolResult)]

    assert [r.error for r in results] == [True, True]
    assert [t.calls[0].arguments for t in episode.turns[:2]] == [{"a": "b"}, {}]
    assert len(episode.turns[2].calls) == 1  # and nothing came back
    assert episode.turns[3] == AssistantTurn("I cannot say.")
    assert (episode.reward, episode.agent, episode.domain) == (0.0, "unknown", "")


def test_a_run_that_the_benchmark_failed_is_counted_and_left_out(tmp_path):
    episodes, ledger = read_run(tmp_path, said("x"), infra_fail=True)

    assert episodes == []
    assert ledger.counts["crashed"] == 1


@pytest.mark.parametrize(
    ("broken", "cause"),
    [
        ({"turns": {}}, "`turns` is not an array"),
        ({"turns": [1]}, "`turns` has an item that is not an object"),
        ({"turns": [{"action_kind": "put"}]}, "a turn of the kind 'put'"),
        ({"turns": [got("", "") | {"url": "http://[x"}]}, "URL cannot be read"),
        ({"turns": [got("", "") | {"url": None}]}, "URL leads to no record"),
        ({"correct": "yes"}, "a reward that is no number"),
    ],
)
def test_a_run_that_is_not_as_it_should_be_costs_itself_alone(tmp_path, broken, cause):
    path = write(tmp_path / "runs.jsonl", lines([run() | broken, run(said("Yes."))]))
    episodes, ledger = read_all(path)

    assert [e.turns for e in episodes] == [(AssistantTurn("Yes."),)]
    assert cause in causes(ledger)[0]


def literal(record: JsonObject) -> list[object]:
    """The walk of a run, from what the agent wrote and not from the noted URL."""
    walk: list[object] = []
    for turn in record["turns"]:
        method, _, rest = turn["agent_reply"].partition(" ")
        if turn["action_kind"] not in ("get", "post"):
            walk.append(turn["agent_reply"])
            continue
        target, _, query = rest.splitlines()[0].strip().partition("?")
        tool = f"{method} {target.split('/fhir/')[1]}"
        arguments = turn["payload"] or {}
        if method == "GET":
            arguments = {}
            for name, value in (pair.split("=", 1) for pair in query.split("&")):
                arguments.setdefault(name, []).append(unquote(value))
            arguments = {k: v if v[1:] else v[0] for k, v in arguments.items()}
        seen = turn["observation"]
        if seen.startswith("Here is the response"):
            seen = seen[seen.index("\n") + 1 : seen.rindex("}") + 1]
        walk.append((tool, arguments, seen.removesuffix(ASK)))
    return walk


@pytest.mark.parametrize(
    ("name", "agent", "n_episodes", "n_turns", "n_correct"),
    [
        ("brain-parity_mab_100", "unknown", 100, 247, 54),
        ("brain-parity_sweep25_g35f", "gemini-3.5-flash", 25, 57, 18),
    ],
)
def test_recorded_runs_are_read_as_the_long_way_has_them(
    name, agent, n_episodes, n_turns, n_correct
):
    path = shared(f"sessions/medagentbench-whissle/{name}.jsonl.gz")
    runs = [*map(json.loads, gzip.decompress(path.read_bytes()).splitlines())]
    episodes, ledger = read_all(path)

    assert not ledger.problems
    assert len(episodes) == n_episodes
    assert {e.agent for e in episodes} == {agent}
    assert sum(len(e.turns) for e in episodes) == n_turns
    assert sum(e.succeeded for e in episodes) == n_correct
    for record, episode in zip(runs, episodes, strict=True):
        results = episode.results()
        walk = [
            (turn.calls[0].tool, turn.calls[0].arguments,
             results[turn.calls[0].id].content) if turn.calls else turn.text
            for turn in episode.turns
        ]  # fmt: skip
        assert walk == literal(record)
        for result in results.values():
            if result.tool.startswith("GET") and not result.error:
                assert json.loads(result.content)["resourceType"] == "Bundle"
