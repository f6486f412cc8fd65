"""
A small shop, whose first argument says what it does at a lookup of the proxy's.

`answers`; `babbles` first, of its own accord; `hangs`, and tells what it is told next;
`dies`.
"""

import json
import os
import sys

MODE = sys.argv[1] if len(sys.argv) > 1 else "answers"
ORDERS = {"orders": ["W1", "W2", "W3"]}
BABBLE = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {}}


def say(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def is_own(message):
    about = message.get("params", {})
    return str(message.get("id", about.get("requestId"))).startswith("stretto-")


heard = []
for line in sys.stdin.buffer:
    message = json.loads(line)
    heard.append(message)
    if "id" not in message:
        continue
    params = message.get("params", {})
    if is_own(message) and message["method"] == "tools/call":
        match MODE:
            case "babbles":
                say(BABBLE)
            case "hangs":
                continue
            case "dies":
                os._exit(3)
    found = ORDERS if params.get("name") == "find" else params.get("arguments")
    if params.get("name") == "heard":
        found = heard
    content = [{"type": "text", "text": json.dumps(found)}]
    say({"jsonrpc": "2.0", "id": message["id"], "result": {"content": content}})
