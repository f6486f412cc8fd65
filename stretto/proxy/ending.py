"""
How a session ends, whichever side goes first.

A server is told to end by the end of its input, then by a signal, then it is killed;
it has a while after each. What it still says in the meantime reaches the host.
"""

import signal
import time
from enum import Enum, auto
from typing import Protocol

from stretto.proxy.happenings import Event, Happening, Happenings
from stretto.proxy.notes import note
from stretto.proxy.pump import Outlet, Pump

_EXTENSIONS = 10
"""How many times as long a server may take that still talks after its input ended."""


class Server(Protocol):
    """What an ending needs of a server's process."""

    def signal(self, number: int) -> None:
        """Signal its group."""

    def sweep(self, patience: float) -> None:
        """End what it left running."""


class _Stage(Enum):
    SERVING = auto()
    CLOSED = auto()
    SIGNALLED = auto()
    KILLED = auto()


class Ending:
    """
    Waits for a session's end, and brings it about where that is due.

    Args:
        child: The server's process.
        server: Where it reads.
        host: Where the host reads.
        pump: Takes what the server says to the host.
        happenings: What the threads and signals tell.
        grace_s: How many seconds the server has after each step.
    """

    def __init__(
        self,
        child: Server,
        server: Outlet,
        host: Outlet,
        pump: Pump,
        happenings: Happenings,
        grace_s: float,
    ) -> None:
        self._child, self._server, self._host = child, server, host
        self._pump, self._happenings, self._grace_s = pump, happenings, grace_s
        self._stage = _Stage.SERVING
        self._deadline: float | None = None
        self._heard: set[signal.Signals] = set()
        self._taken = 0
        self._extensions = 0

    def wait(self) -> None:
        """Return when the server is gone and all it said has been passed on."""
        self._wait_for_exit()
        self._drain()
        self._host.close()
        self._child.sweep(self._grace_s)

    def _wait_for_exit(self) -> None:
        while (happening := self._next()) is not Event.EXITED:
            match happening:
                case Event.SERVER_SILENT:
                    self._host.close()
                case Event.HOST_ENDED | Event.BROKEN:
                    self._close_input()
                case signal.Signals():
                    self._pass_on(happening)
                case None if self._stage is _Stage.KILLED:
                    return
                case None:
                    self._escalate()

    def _next(self) -> Happening | None:
        """What happens next; None when the deadline passes first."""
        if self._deadline is None:
            return self._happenings.next(None)
        return self._happenings.next(max(0, self._deadline - time.monotonic()))

    def _enter(self, stage: _Stage) -> None:
        self._stage = stage
        self._taken = self._pump.taken
        self._deadline = time.monotonic() + self._grace_s

    def _close_input(self) -> None:
        if self._stage is _Stage.SERVING:
            self._server.close()
            self._enter(_Stage.CLOSED)

    def _pass_on(self, number: signal.Signals) -> None:
        """Give the server a signal that the proxy got; the same one again kills it."""
        self._close_input()
        if number in self._heard:
            self._kill()
        elif self._stage is not _Stage.KILLED:
            self._heard.add(number)
            self._child.signal(number)
            self._enter(_Stage.SIGNALLED)

    def _escalate(self) -> None:
        if self._stage is _Stage.SIGNALLED:
            self._kill()
        elif self._pump.is_delivering:  # the host does not read, so it cannot end
            self._enter(_Stage.CLOSED)
        elif self._has_talked() and self._extensions < _EXTENSIONS:
            self._extensions += 1
            self._enter(_Stage.CLOSED)
        else:
            passed = f"{self._grace_s:g} s after its input ended"
            note(f"the server was still running {passed}, and got SIGTERM")
            self._child.signal(signal.SIGTERM)
            self._enter(_Stage.SIGNALLED)

    def _kill(self) -> None:
        self._child.signal(signal.SIGKILL)
        self._enter(_Stage.KILLED)

    def _has_talked(self) -> bool:
        """Whether the server has said something since the last step."""
        return self._pump.taken > self._taken

    def _drain(self) -> None:
        """
        Wait until what the server left behind has been passed on.

        Ends early where the host gives a signal, and where nothing more comes because
        something that the server started keeps the output open. A host that reads
        slowly is waited for, unless it was the host that had the server ended.
        """
        while not self._pump.has_ended:
            self._enter(self._stage)
            happening = self._next()
            if isinstance(happening, signal.Signals):
                return
            may_wait = self._stage in (_Stage.SERVING, _Stage.CLOSED)
            is_host_reading = self._pump.is_delivering and may_wait
            if happening is None and not (self._has_talked() or is_host_reading):
                return
