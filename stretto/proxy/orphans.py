"""
No process of a server outlives the proxy, however the proxy ends.

A proxy that is killed outright cannot end its server any more. Two others then do:
the kernel, on Linux, and a watcher, a fork of the proxy that does nothing but wait for
it to vanish. The kernel reaches the process that was started, at once. The watcher
reaches that process's whole group, so also what a shell or `npx` started in turn;
not a process that left the group on purpose, by `setsid` or as a daemon.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def dies_with_this_thread() -> Callable[[], None] | None:
    """
    What a child has to run before its program so that it dies with this thread.

    None where the kernel has no such thing. The thread matters, not the process: it
    has to be the main thread, which lives as long as the proxy.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before it could be bound to
            os._exit(1)

    return bind


class Watcher:
    """A process that kills a process group when this one vanishes."""

    def __init__(self, group: int) -> None:
        waits, self._alive = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            _watch(waits, group)
        os.close(waits)

    def dismiss(self) -> None:
        """Send the watcher away: there is nothing left to kill."""
        with suppress(OSError):
            os.write(self._alive, b".")
            os.close(self._alive)
            os.waitpid(self._process, 0)


def _watch(waits: int, group: int) -> None:
    """Wait for a byte, which says that all is well, or for the end, which does not."""
    try:
        os.setsid()
        # Held open, the host's and the server's pipes would never seem to end.
        os.closerange(0, waits)
        os.closerange(waits + 1, os.sysconf("SC_OPEN_MAX"))
        if not os.read(waits, 1):
            os.killpg(group, signal.SIGKILL)
    finally:
        os._exit(0)
