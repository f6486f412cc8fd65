"""No signal is missed, and what threads tell comes in order."""

import subprocess
import sys

from tests.proxy.host import PATIENCE_S

SCRIPT = """
import os, signal, sys, threading
from stretto.proxy.happenings import Event, Happenings

happenings = Happenings()
for n in range(2_000):
    threading.Thread(target=os.kill, args=[os.getpid(), signal.SIGTERM]).start()
    assert happenings.next(60) is signal.SIGTERM, n
assert happenings.next(0) is None
for event in Event:
    happenings.tell(event)
assert [happenings.next(60) for _ in Event] == [*Event]
"""


def test_a_signal_that_comes_just_before_the_wait_is_not_missed() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=PATIENCE_S)
