"""A harness of one's own, with a flow asked behind its agent's tool calls."""

import json
import socket
import subprocess
import sys
from typing import TextIO

from stretto.demo.tools import TOOLS, call
from stretto.demo.world import build

MOST = 8
"""Lookups behind one of the agent's calls."""

world = build(7)
customer = next(iter(world.customers.values()))
messages = [{"role": "user", "content": f"Where is my parcel? I am {customer.email}."}]


def execute(caller: str, tool: str, arguments: dict[str, str]) -> None:
    """Call a tool, and add the call and its result to what has happened."""
    print(f"{caller}: {tool} {json.dumps(arguments)}")
    made = {"id": str(len(messages)), "name": tool, "arguments": arguments}
    text, _ = call(TOOLS[tool], world, arguments)
    messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
    messages.append({"role": "tool", "id": made["id"], "content": text})


def ask(lines: TextIO) -> dict:
    """What the flow answers to all that has happened."""
    print(json.dumps({"task_id": "42", "messages": messages}), file=lines, flush=True)
    return json.loads(lines.readline())


command = [sys.executable, "-m", "stretto", "serve", sys.argv[1]]
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
    host, port = server.stderr.readline().removeprefix("ready on ").split(":")
    connection = socket.create_connection((host, int(port)))
    with connection, connection.makefile("rw") as lines:
        execute("agent", "find_customer", {"email": customer.email})
        for _ in range(MOST):
            answer = ask(lines)
            if answer["action"] == "hand_back":
                print(f"handed back: {answer['reason']}")
                break
            execute("flow", answer["tool"], answer["arguments"])
    server.terminate()
