"""`stretto-proxy` with a flow, guards or commits, and hosts over HTTP."""

from stretto.cli.proxy_equipment import Equipment
from stretto.cli.proxy_listening import serve
from stretto.cli.proxy_options import Options
from stretto.proxy.actions import Beside
from stretto.proxy.http.acted import served
from stretto.proxy.http.standing import Sessions
from stretto.proxy.linelog import LineLog


def run(options: Options, sessions: Sessions) -> int:
    """
    The exit status of serving a flow to hosts until the process is told to end.

    Raises:
        StrettoError: the flow cannot be read or served, or its log not written.
    """
    equipment = Equipment(options)
    session, _ = sessions.begin(None)
    for which in Beside:
        path = options.acting.log_of(which.value)
        if "{session}" not in (path or "{session}"):
            _try(equipment.log(session, which))
    status = serve(options, served(sessions, equipment))
    equipment.tell()
    return status


def _try(log: LineLog | None) -> None:
    """A log that cannot be written is better known at once, too."""
    if log is not None:
        log.close()
