"""A small MCP server, in the ways that a doctor meets one: `python servers.py WAY`."""

import json
import os
import sys
import time

HINTS = {"readOnlyHint": True}
SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}},
    "required": ["id"],
}
TOOLS = [
    {"name": name, "inputSchema": SCHEMA, "annotations": HINTS}
    for name in ("find", "get")
]


def say(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def refuse(request: dict, why: str) -> None:
    say({"id": request["id"], "error": {"code": -32022, "message": why}})


def answer(way: str, request: dict) -> None:
    params = request["params"]
    match way, request["method"]:
        case "silent", _:
            time.sleep(600)
        case "ends", _:
            sys.exit(3)
        case "modern", "initialize":
            refuse(request, "there is no initialize")
        case "modern", "tools/list" if "_meta" not in params:
            refuse(request, "which revision?")
        case "refuses", "tools/list":
            refuse(request, "not today")
        case _, "initialize":
            say({"method": "notifications/message", "params": {}})
            say({"id": 1, "method": "ping"})
            sys.stdout.write("not JSON\n")
            say({"id": request["id"], "result": {"protocolVersion": "2025-11-25"}})
        case "pages", "tools/list" if "cursor" not in params:
            result = {"tools": TOOLS[:1], "nextCursor": "more"}
            say({"id": request["id"], "result": result})
        case "pages", "tools/list":
            say({"id": request["id"], "result": {"tools": TOOLS[1:]}})
        case _, "tools/list":
            say({"id": request["id"], "result": {"tools": TOOLS}})


if __name__ == "__main__":
    way, *rest = sys.argv[1:]
    if rest:
        with open(rest[0], "w") as file:
            file.write(str(os.getpid()))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(way, message)
    if way == "stubborn":
        time.sleep(600)
