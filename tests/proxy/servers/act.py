"""
Does as it is told: each line of its input is one act, as JSON.

`["say", HEX]`, `["exit", n]`, `["die", n]` by a signal, `["close"]` its output,
`["about"]` itself, `["flood", n]` as many mebibytes.
"""

import json
import os
import sys


def about():
    return {
        "cwd": os.getcwd(),
        "env": dict(os.environ),
        "open": sorted(int(fd) for fd in os.listdir("/proc/self/fd")),
        "stderr": os.readlink("/proc/self/fd/2"),
    }


for line in sys.stdin.buffer:
    match json.loads(line):
        case ["say", said]:
            sys.stdout.buffer.write(bytes.fromhex(said))
        case ["exit", status]:
            os._exit(status)
        case ["die", number]:
            os.kill(os.getpid(), number)
        case ["close"]:
            os.close(1)
        case ["about"]:
            sys.stdout.buffer.write(json.dumps(about()).encode() + b"\n")
        case ["flood", n]:
            for _ in range(n):
                sys.stdout.buffer.write(b"x" * (2**20 - 1) + b"\n")
    sys.stdout.buffer.flush()
