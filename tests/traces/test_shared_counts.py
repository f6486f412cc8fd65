"""
Every recorded file of both benchmarks, read again the long way.

The conversions here follow the formats' description rule by rule, on the whole
document at once, and share nothing with the readers.
"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stretto.episodes.episode import Episode, ToolResult, UserMessage
from tests.conftest import SHARED, shared
from tests.traces.samples import read_all

SESSIONS = SHARED / "sessions"
ABSENT = "absent"


def files_of(benchmark: str) -> list[str]:
    found = sorted(SESSIONS.glob(f"{benchmark}-*/*.json*"))
    return [
        str(path.relative_to(SESSIONS)) for path in found if "chat" not in path.name
    ] or [ABSENT]


def loaded(path: Path) -> Any:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if ".jsonl" in path.name:
        return [json.loads(line) for line in data.splitlines()]
    return json.loads(data)


class Renamed:
    """Ids as the long way has them: counted before each use."""

    def __init__(self) -> None:
        self.uses: Counter[str] = Counter()
        self.tools: dict[str, str] = {}

    def sent(self, id: str, tool: str) -> str:
        self.uses[id] += 1
        self.tools[id] = tool
        return self.last(id)

    def last(self, id: str) -> str:
        return id if self.uses[id] == 1 else f"{id}#{self.uses[id]}"


def tau2_walk(messages: list[Any]) -> list[Any]:
    ids = Renamed()
    walk: list[Any] = []
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            kept = [
                call
                for call in message.get("tool_calls") or []
                if call.get("requestor", "assistant") == "assistant"
            ]
            if index == 0 and not kept and (message.get("cost") or 0) == 0:
                continue
            calls = [
                (ids.sent(c["id"], c["name"]), c["name"], c["arguments"]) for c in kept
            ]
            usage = message.get("usage")
            spent = usage and (
                usage["prompt_tokens"],
                usage["completion_tokens"],
                message.get("cost") or 0.0,
            )
            walk.append(("turn", message.get("content") or None, calls, spent or None))
        elif message["role"] == "user":
            walk.append(("user", message.get("content") or ""))
        elif message["role"] == "tool" and message["id"] in ids.tools:
            id = message["id"]
            failed, content = bool(message.get("error")), message.get("content") or ""
            walk.append(("result", ids.last(id), ids.tools[id], failed, content))
    return walk


def tau1_walk(messages: list[Any]) -> list[Any]:
    ids = Renamed()
    walk: list[Any] = []
    for message in messages:
        if message["role"] == "assistant":
            calls = []
            for call in message.get("tool_calls") or []:
                function = call["function"]
                try:
                    arguments = json.loads(function["arguments"])
                except ValueError:
                    arguments = function["arguments"]
                id = ids.sent(call["id"], function["name"])
                calls.append((id, function["name"], arguments))
            walk.append(("turn", message["content"] or None, calls, None))
        elif message["role"] == "user":
            walk.append(("user", message["content"]))
        elif message["role"] == "tool":
            content = message["content"]
            failed = content.startswith(("Error", "Unknown action "))
            id = message["tool_call_id"]
            walk.append(("result", ids.last(id), message["name"], failed, content))
    return walk


def walk_of(episode: Episode) -> list[Any]:
    walk: list[Any] = []
    for event in episode.events:
        match event:
            case UserMessage(text):
                walk.append(("user", text))
            case ToolResult(id, tool, failed, content):
                walk.append(("result", id, tool, failed, content))
            case turn:
                calls = [(call.id, call.tool, call.arguments) for call in turn.calls]
                usage = turn.usage
                spent = usage and (
                    usage.prompt_tokens,
                    usage.completion_tokens,
                    usage.cost,
                )
                walk.append(("turn", turn.text, calls, spent))
    return walk


def is_success(reward: float | None) -> bool:
    return reward is not None and reward >= 1 - 1e-9


def n_turns(walks: list[Any]) -> int:
    return sum(entry[0] == "turn" for walk in walks for entry in walk)


def n_calls(walks: list[Any]) -> int:
    return sum(len(e[2]) for walk in walks for e in walk if e[0] == "turn")


@pytest.mark.parametrize("name", files_of("tau2"))
def test_a_tau2_file_holds_what_a_plain_count_of_its_json_finds(name):
    path = shared(f"sessions/{name}")
    document = loaded(path)
    simulations = document if isinstance(document, list) else document["simulations"]
    walks = [tau2_walk(s["messages"] or []) for s in simulations]
    rewards = [(s.get("reward_info") or {}).get("reward") for s in simulations]

    episodes, ledger = read_all(path)

    assert [walk_of(episode) for episode in episodes] == walks
    assert sum(len(e.turns) for e in episodes) == n_turns(walks)
    assert sum(len(t.calls) for e in episodes for t in e.turns) == n_calls(walks)
    assert [e.succeeded for e in episodes] == [is_success(r) for r in rewards]
    assert [e.task for e in episodes] == [str(s["task_id"]) for s in simulations]
    assert ledger.counts["episodes"] == len(simulations)
    assert ledger.counts["empty"] == sum(not s["messages"] for s in simulations)
    assert not ledger.problems


@pytest.mark.parametrize("name", files_of("tau1"))
def test_a_tau1_file_holds_what_a_plain_count_of_its_json_finds(name):
    path = shared(f"sessions/{name}")
    document = loaded(path)
    runs = [run for run in document if run["traj"]]
    walks = [tau1_walk(run["traj"]) for run in runs]

    episodes, ledger = read_all(path)

    assert [walk_of(episode) for episode in episodes] == walks
    assert sum(len(e.turns) for e in episodes) == n_turns(walks)
    assert sum(len(t.calls) for e in episodes for t in e.turns) == n_calls(walks)
    assert [e.succeeded for e in episodes] == [is_success(r["reward"]) for r in runs]
    assert [e.task for e in episodes] == [str(run["task_id"]) for run in runs]
    assert ledger.counts["crashed"] == len(document) - len(runs)
    assert not ledger.problems


def runs_of_calls(episode: Episode) -> list[int]:
    """How many turns each run of tool calls has, nothing being said in between."""
    lengths = [0]
    for event in episode.events:
        if isinstance(event, ToolResult):
            continue
        if isinstance(event, UserMessage) or not event.calls:
            lengths.append(0)
        else:
            lengths[-1] += 1
    return [n for n in lengths if n]


def test_a_quarter_of_gpt_4os_airline_turns_lie_inside_runs_of_calls():
    episodes, ledger = read_all(
        shared("sessions/tau1-sierra/airline__gpt-4o__50x4.json.gz")
    )
    n_turns = sum(len(episode.turns) for episode in episodes)
    n_saved = sum(n - 1 for episode in episodes for n in runs_of_calls(episode))

    assert len(episodes) == 200
    assert n_turns == 2454
    assert round(100 * n_saved / n_turns, 1) == 24.2
    assert ledger.counts["renamed calls"] == 73


@pytest.mark.parametrize(
    ("name", "reader", "n_episodes", "n_turns"),
    [
        ("mcp-livemcpbench/agent_claude-sonnet-4__95.json.gz", "openai-chat", 95, 905),
        (
            "tau2-sierra-prs/openai-chat__sft-v1-small_train.jsonl.gz",
            "openai-chat",
            37,
            492,
        ),
    ],
)
def test_chats_of_other_benchmarks_are_read(name, reader, n_episodes, n_turns):
    path = shared(f"sessions/{name}")

    episodes, ledger = read_all(path)

    assert len(episodes) == n_episodes
    assert sum(len(episode.turns) for episode in episodes) == n_turns
    assert episodes == read_all(path, reader=reader)[0]
    assert not ledger.problems


def test_a_compressed_recording_reads_as_its_plain_copy(tmp_path):
    path = shared("sessions/tau2-sierra-prs/telecom-solo__gpt-4.1__5x4.json.gz")
    plain = tmp_path / path.name.removesuffix(".gz")
    plain.write_bytes(gzip.decompress(path.read_bytes()))

    assert read_all(path)[0] == read_all(plain)[0]


def test_the_folder_of_one_recorder_reads_without_a_problem():
    episodes, ledger = read_all(shared("sessions/tau2-custom-domains-oscaralvaro"))

    assert len(episodes) == 72
    assert len({episode.domain for episode in episodes}) == 5
    assert ledger.counts["not recognised"] == 1  # its note on provenance
    assert not ledger.problems
