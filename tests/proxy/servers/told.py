"""
Does what the arguments of a call tell it, and answers with all that it was told.

`say` has it say a message first, `{token}` and `{id}` in it replaced; `wait` has it
answer later, `die` not at all; `answer` is what it answers in place of a result.
"""

import json
import os
import sys

heard = []


def say(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


for line in sys.stdin.buffer:
    message = json.loads(line)
    heard.append(message)
    if "id" not in message or "method" not in message:
        continue
    params = message.get("params") or {}
    told = params.get("arguments") or {}
    token = json.dumps(params.get("_meta", {}).get("progressToken"))
    for said in told.get("say", []):
        text = json.dumps(said).replace('"{token}"', token)
        say(json.loads(text.replace('"{id}"', json.dumps(message["id"]))))
    if "die" in told:
        os._exit(3)
    if "wait" in told:
        continue
    outcome = told.get("answer", {"result": {"heard": heard, "pid": os.getpid()}})
    say({"jsonrpc": "2.0", "id": message["id"], **outcome})
