"""
Bytes one way: what one side says is taken as it comes, and given to the other.

The bytes are not looked at, so a line may be of any length, and need not be text.
Writing blocks until the reader has room, which is all the flow control there is: a
reader that pauses makes its writer pause, and nothing piles up in between.
"""

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

CHUNK = 2**16
"""The most bytes taken at a time: what a pipe holds."""

Hears: TypeAlias = Callable[[bytes], None]
"""Takes what a side says, chunk by chunk; an empty chunk when it has ended."""


class Outlet:
    """
    Where one side reads.

    Each write arrives whole and unmixed, whichever thread makes it. Once the side is
    gone, writes do nothing.

    Args:
        fd: Stays open, and stays this object's; what it leads to may change.
        on_broken: Called once, by the thread whose write found that the side is gone.
    """

    def __init__(self, fd: int, on_broken: Callable[[], None]) -> None:
        self._fd = fd
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._gone = False

    def write(self, data: bytes) -> None:
        """Give the side `data`, and wait until it has room for it."""
        with self._lock:
            rest = memoryview(data)
            while rest and not self._gone:
                try:
                    rest = rest[os.write(self._fd, rest) :]
                except BlockingIOError:  # the host made its end non-blocking
                    select.select([], [self._fd], [])
                except OSError:
                    self._gone = True
                    self._on_broken()

    def close(self) -> None:
        """
        End what the side reads, without waiting for a write that is under way.

        The descriptor leads nowhere from now on. It is not freed, since a thread that
        is about to write would hit whatever was opened under its number next.
        """
        self._gone = True
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._fd, inheritable=False)
            os.close(nowhere)


class Pump:
    """
    A thread that takes what one side says until it ends.

    Args:
        fd: Where the side writes.
        hears: Called with each chunk, and with an empty one at the end.
        on_ended: Called last.
    """

    def __init__(self, fd: int, hears: Hears, on_ended: Callable[[], None]) -> None:
        self.taken = 0
        """How many chunks have come so far."""
        self.is_delivering = False
        """Whether a chunk has been taken that is not yet with the other side."""
        self.has_ended = False
        """Whether the side has ended, and all that it said is with the other side."""
        self._fd, self._hears, self._on_ended = fd, hears, on_ended
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def _run(self) -> None:
        try:
            while chunk := _read(self._fd):
                self.is_delivering = True
                self.taken += 1
                self._hears(chunk)
                self.is_delivering = False
            self._hears(b"")
        finally:
            self.has_ended = True
            self._on_ended()


def _read(fd: int) -> bytes:
    """The next bytes; empty at the end, and where the other end vanished."""
    while True:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            select.select([fd], [], [])
        except OSError:
            return b""
