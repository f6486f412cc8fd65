"""
What a session's main thread waits for: signals, and what other threads have to tell.

All of it comes through one pipe, which the interpreter's own signal handler writes to.
A lock would not do: a signal that comes just before a thread begins to wait for one
would not be seen before something else happens.
"""

import os
import select
import signal
from enum import Enum
from typing import TypeAlias

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""The signals that end a session."""


class Event(Enum):
    """What a thread has to tell; in the pipe, a number that no signal has."""

    HOST_ENDED = 128
    """The host will say nothing more."""
    SERVER_SILENT = 129
    """The server's output has ended."""
    BROKEN = 130
    """A side no longer reads."""
    EXITED = 131
    """The server's process has ended."""


Happening: TypeAlias = Event | signal.Signals


class Happenings:
    """
    What happened, in order.

    To be made by the main thread: from then on it hears the signals that end a session,
    save those that the process was started to ignore.
    """

    def __init__(self) -> None:
        self._reads, self._writes = os.pipe()
        os.set_blocking(self._writes, False)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _heard_through_the_pipe)
        signal.set_wakeup_fd(self._writes)

    def tell(self, event: Event) -> None:
        """Enter an event; any thread may."""
        os.write(self._writes, bytes([event.value]))

    def next(self, timeout_s: float | None) -> Happening | None:
        """What happened next; None where nothing does for so long."""
        if not select.select([self._reads], [], [], timeout_s)[0]:
            return None
        (number,) = os.read(self._reads, 1)
        if number < Event.HOST_ENDED.value:
            return signal.Signals(number)
        return Event(number)


def _heard_through_the_pipe(number: int, frame: object) -> None:
    """Nothing more to do; but without a handler the process would end."""
