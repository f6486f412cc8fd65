"""
A session from its start to its end: two pumps, the server, and who ends first.

The server is a process here, or whatever else reads and writes as one.

What stands between the sides is a `Between`: told where each of them reads, it says
what to do with what each says. Passing everything on is the plain one. Another may
hold a side's lines back, change them, or write lines of its own to either side.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from stretto.proxy.ending import Ending
from stretto.proxy.ending import Server as Endable
from stretto.proxy.entry import Sender
from stretto.proxy.happenings import Event, Happenings
from stretto.proxy.pump import Hears, Outlet, Pump
from stretto.proxy.record import Recorder

GRACE_S = 5.0
"""How many seconds a server has to end by itself, each time that it is told to."""

_LOGGING_S = 5.0
"""How many seconds what is still to be logged may take at the end."""
_HOST_WRITES, _HOST_READS = 0, 1


class Server(Endable, Protocol):
    """What a session needs of a server."""

    @property
    def input(self) -> int:
        """The descriptor that what it is to read is written to."""

    @property
    def output(self) -> int:
        """The descriptor that what it says is read from."""

    @property
    def status(self) -> int:
        """Its exit status once it has ended, `128 + n` where signal n ended it."""

    def wait(self) -> None:
        """Return when it has ended."""


class Sides(NamedTuple):
    """Where each side reads."""

    host: Outlet
    server: Outlet


class Ears(NamedTuple):
    """What to do with what each side says."""

    host: Hears
    server: Hears


Between: TypeAlias = Callable[[Sides], Ears]
"""What stands between the sides. Made once a session, before anything is said."""


def passing_on(recorder: Recorder | None = None) -> Between:
    """Gives each side what the other says, as it comes, and the recorder a copy."""

    def ears(sides: Sides) -> Ears:
        if recorder is None:
            return Ears(host=sides.server.write, server=sides.host.write)
        return Ears(
            host=_kept(recorder, Sender.CLIENT, sides.server.write),
            server=_kept(recorder, Sender.SERVER, sides.host.write),
        )

    return ears


def serve(
    starts: Callable[[], Server],
    *,
    recorder: Recorder | None = None,
    between: Between | None = None,
    grace_s: float = GRACE_S,
) -> int:
    """
    The exit status of a session with the host on standard input and output.

    It is the server's, or `128 + n` where signal n ended that. To be called by the main
    thread; the process is to end right after, since the host may still be read.

    Args:
        starts: Starts the server, after the signals to the proxy are heard.
        recorder: What is to be started with the session and closed behind it.
        between: By default everything is passed on, and the recorder given a copy.
        grace_s: How many seconds the server has to end, each time that it is told to.

    Raises:
        StrettoError: the server cannot be started.
    """
    happenings = Happenings()
    started = starts()

    def tell(event: Event) -> Callable[[], None]:
        return lambda: happenings.tell(event)

    sides = Sides(
        host=Outlet(_HOST_READS, tell(Event.BROKEN)),
        server=Outlet(started.input, tell(Event.BROKEN)),
    )
    ears = (between or passing_on(recorder))(sides)
    host = Pump(_HOST_WRITES, ears.host, tell(Event.HOST_ENDED))
    server = Pump(started.output, ears.server, tell(Event.SERVER_SILENT))
    if recorder is not None:
        recorder.start()
    for thread in (host, server, _waiter(started, tell(Event.EXITED))):
        thread.start()
    Ending(started, sides.server, sides.host, server, happenings, grace_s).wait()
    if recorder is not None:
        recorder.close(_LOGGING_S)
    return started.status


def _kept(recorder: Recorder, sender: Sender, hears: Hears) -> Hears:
    def both(chunk: bytes) -> None:
        recorder.take(sender, chunk)
        hears(chunk)

    return both


def _waiter(server: Server, on_exit: Callable[[], None]) -> threading.Thread:
    def wait() -> None:
        server.wait()
        on_exit()

    return threading.Thread(target=wait, daemon=True)
