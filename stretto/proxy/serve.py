"""
A session from its start to its end: two pumps, the server, and who ends first.

What stands between the sides is a `Between`: told where each of them reads, it says
what to do with what each says. Passing everything on is the plain one. Another may
hold a side's lines back, change them, or write lines of its own to either side.
"""

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from stretto.proxy.child import Child
from stretto.proxy.ending import Ending
from stretto.proxy.entry import Sender
from stretto.proxy.happenings import Event, Happenings
from stretto.proxy.pump import Hears, Outlet, Pump
from stretto.proxy.record import Recorder

GRACE_S = 5.0
"""How many seconds a server has to end by itself, each time that it is told to."""

_LOGGING_S = 5.0
"""How many seconds what is still to be logged may take at the end."""
_HOST_WRITES, _HOST_READS = 0, 1


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
    command: Sequence[str],
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
        recorder: What is to be started with the session and closed behind it.
        between: By default everything is passed on, and the recorder given a copy.
        grace_s: How many seconds the server has to end, each time that it is told to.

    Raises:
        CannotStart: the command cannot be run.
    """
    happenings = Happenings()
    child = Child(command)

    def tell(event: Event) -> Callable[[], None]:
        return lambda: happenings.tell(event)

    sides = Sides(
        host=Outlet(_HOST_READS, tell(Event.BROKEN)),
        server=Outlet(child.input, tell(Event.BROKEN)),
    )
    ears = (between or passing_on(recorder))(sides)
    host = Pump(_HOST_WRITES, ears.host, tell(Event.HOST_ENDED))
    server = Pump(child.output, ears.server, tell(Event.SERVER_SILENT))
    if recorder is not None:
        recorder.start()
    for thread in (host, server, _waiter(child, tell(Event.EXITED))):
        thread.start()
    Ending(child, sides.server, sides.host, server, happenings, grace_s).wait()
    if recorder is not None:
        recorder.close(_LOGGING_S)
    return child.status


def _kept(recorder: Recorder, sender: Sender, hears: Hears) -> Hears:
    def both(chunk: bytes) -> None:
        recorder.take(sender, chunk)
        hears(chunk)

    return both


def _waiter(child: Child, on_exit: Callable[[], None]) -> threading.Thread:
    def wait() -> None:
        child.wait()
        on_exit()

    return threading.Thread(target=wait, daemon=True)
