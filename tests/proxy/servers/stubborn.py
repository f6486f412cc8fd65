"""
A server that does not want to end.

Says its process id, then lives until it is killed; each word named is something that it
ignores (`eof`, `term`, `int`, `hup`). A signal that it does not ignore ends it with
exit status 40 + n. Everything it reads it says again, and `"eof"` where it ignores that.
"""

import json
import os
import signal
import sys

ignored = set(sys.argv[1:])


def end(number, _):
    os._exit(40 + number)


for word in ("term", "int", "hup"):
    number = getattr(signal, f"SIG{word.upper()}")
    signal.signal(number, signal.SIG_IGN if word in ignored else end)

print(json.dumps({"pid": os.getpid()}), flush=True)
while data := os.read(0, 2**16):
    os.write(1, data)
if "eof" in ignored:
    print('"eof"', flush=True)
while "eof" in ignored:
    signal.pause()
