"""Small sessions in the shapes that recorders write, to be spoilt by the tests."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stretto.episodes.episode import Episode
from stretto.traces.reader import Ledger, ReadOptions, read

JsonObject = dict[str, Any]


def simulation(id: str = "s1", *, reward: float | None = 1.0) -> JsonObject:
    """A τ²-bench simulation: greeting, question, one lookup, answer, goodbye."""
    return {
        "id": id,
        "task_id": "7",
        "trial": 0,
        "reward_info": {"reward": reward},
        "messages": [
            {"role": "assistant", "content": "Hi!", "cost": 0.0},
            {"role": "user", "content": "Where is order W1?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [tau2_call("c1", "get_order", {"order_id": "W1"})],
                "cost": 0.25,
                "usage": {"prompt_tokens": 100, "completion_tokens": 20},
            },
            {"role": "tool", "id": "c1", "content": '{"status": "on its way"}'},
            {"role": "assistant", "content": "On its way.", "cost": 0.5},
            {"role": "user", "content": "###STOP###"},
        ],
    }


def tau2_call(
    id: Any, name: str, arguments: Any, requestor: str = "assistant"
) -> JsonObject:
    return {"id": id, "name": name, "arguments": arguments, "requestor": requestor}


def tau2_file(*simulations: JsonObject, info_last: bool = False) -> JsonObject:
    info = {
        "agent_info": {"implementation": "llm_agent", "llm": "acme/agent-1"},
        "user_info": {"implementation": "user_simulator", "llm": "acme/user-1"},
        "environment_info": {"domain_name": "shop", "policy": "Be kind."},
    }
    tasks = [{"id": "7", "evaluation_criteria": {"actions": []}}]
    body = {"tasks": tasks, "simulations": list(simulations)}
    return body | {"info": info} if info_last else {"info": info} | body


def chat_call(id: Any, name: str, arguments: Any) -> JsonObject:
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def chat_messages() -> list[JsonObject]:
    return [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is order W1?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [chat_call("c1", "get_order", '{"order_id": "W1"}')],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "name": "get_order",
            "content": '{"status": "on its way"}',
        },
        {"role": "assistant", "content": "On its way."},
    ]


def tau1_run(task_id: int = 0, *, reward: float | None = 1.0) -> JsonObject:
    return {
        "task_id": task_id,
        "reward": reward,
        "info": {"task": {"user_id": "u1", "actions": []}},
        "traj": chat_messages(),
        "trial": 0,
    }


def atif_trajectory() -> JsonObject:
    return {
        "schema_version": "ATIF-v1.4",
        "session_id": "a1",
        "agent": {"name": "helper", "model_name": "acme/agent-1"},
        "steps": [
            {"step_id": 1, "source": "system", "message": "Be kind."},
            {"step_id": 2, "source": "user", "message": "Where is order W1?"},
            {
                "step_id": 3,
                "source": "agent",
                "message": "",
                "tool_calls": [
                    {
                        "tool_call_id": "c1",
                        "function_name": "get_order",
                        "arguments": {"order_id": "W1"},
                    }
                ],
                "observation": {
                    "results": [
                        {"source_call_id": "c1", "content": '{"status": "on its way"}'}
                    ]
                },
                "metrics": {
                    "prompt_tokens": 100,
                    "completion_tokens": 20,
                    "cost_usd": 0.25,
                },
            },
            {"step_id": 4, "source": "agent", "message": "On its way."},
        ],
    }


def write(path: Path, content: bytes | str | Any) -> Path:
    """A file of bytes or text as they are, or of a value as JSON."""
    if not isinstance(content, bytes | str):
        content = json.dumps(content)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def lines(values: Iterable[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def read_all(
    *paths: Path, reader: str | None = None, **options: Any
) -> tuple[list[Episode], Ledger]:
    """The episodes of some files, and the account of reading them."""
    ledger = Ledger()
    found = read(paths, reader=reader, options=ReadOptions(**options), ledger=ledger)
    return list(found), ledger


def causes(ledger: Ledger) -> list[str]:
    return [problem.cause for problem in ledger.problems]
