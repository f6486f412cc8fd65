"""A small MCP server: lists one tool, and answers each call with what it was given."""

import json
import sys

ECHO = {
    "name": "echo",
    "description": "Says it again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
CAN = {"tools": {}}


def result(message):
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            about = {"serverInfo": {"name": "echo", "version": "1"}}
            return {"protocolVersion": "2025-11-25", "capabilities": CAN, **about}
        case "server/discover":
            return {"resultType": "complete", "supportedVersions": ["2026-07-28"]}
        case "tools/list":
            return {"tools": [ECHO]}
        case _:
            text = params.get("arguments", {}).get("text", "")
            return {"content": [{"type": "text", "text": text}]}


for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
