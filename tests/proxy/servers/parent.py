"""
A server that starts another, as `npx` and shells do, and says both process ids.

With `leave`, it ends at once; with `escape`, the other one leaves its process group.
"""

import json
import os
import signal
import sys

reads, writes = os.pipe()
child = os.fork()
if child == 0:
    if "escape" in sys.argv:
        os.setsid()
    os.write(writes, b".")
    while True:
        signal.pause()
os.read(reads, 1)
print(json.dumps({"pid": os.getpid(), "child": child}), flush=True)
if "leave" in sys.argv:
    os._exit(3)
while True:
    signal.pause()
