"""
A server that does not want to end.

Says its process id, then everything it reads. Each word named is something that it
ignores (`eof`, `term`, `int`, `hup`); a signal that it does not ignore ends it. Where
it ignores the end of its input, it says `"eof"`, and lives on.
"""

import json
import os
import signal
import sys
from contextlib import suppress

ignored = set(sys.argv[1:])

for word in ("term", "int", "hup"):
    number = getattr(signal, f"SIG{word.upper()}")
    signal.signal(number, signal.SIG_IGN if word in ignored else signal.SIG_DFL)

print(json.dumps({"pid": os.getpid()}), flush=True)
while data := os.read(0, 2**16):
    os.write(1, data)
if "eof" in ignored:
    with suppress(OSError):
        os.write(1, b'"eof"\n')
while "eof" in ignored:
    signal.pause()
