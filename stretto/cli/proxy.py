"""
`stretto-proxy`: what a host starts in place of a server's command.

A host waits for it whenever it starts a server, so it imports what a session needs and
no more: a flow's machinery, and HTTP's, only where they are asked for.
"""

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

from stretto.cli.proxy_arguments import OWN_FAILURE, SESSION_VARIABLE
from stretto.cli.proxy_options import Options, parsed
from stretto.errors import StrettoError
from stretto.proxy.child import Child
from stretto.proxy.folder import LogFolder
from stretto.proxy.journal import Journal
from stretto.proxy.notes import note
from stretto.proxy.record import Recorder
from stretto.proxy.serve import Server, serve
from stretto.proxy.session import Session, host_session


def main() -> NoReturn:
    """Run a session, and end the process with its exit status."""
    # Not `sys.exit`: a thread still waits for the host, and would be waited for.
    os._exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit status of a session as the command line asks for it."""
    try:
        options = parsed(arguments)
        _open_standard_streams()
        return _run(options)
    except SystemExit as end:
        print(end="", flush=True)  # the help, if that was asked for
        return end.code if isinstance(end.code, int) else 0
    except StrettoError as error:
        note(f"{error} ({error.hint})" if error.hint else str(error))
    except Exception:  # a bug: the host must not take its status for the server's
        sys.excepthook(*sys.exc_info())
    return OWN_FAILURE


def _run(options: Options) -> int:
    if options.http.listen is not None:
        http: int = importlib.import_module("stretto.cli.proxy_http").run(options)
        return http
    starts = _starts(options)
    session = _session(options)
    recorder = _recorder(options, session)
    if options.acting.is_needed:
        module = importlib.import_module("stretto.cli.proxy_acting")
        acted: int = module.run(options, starts, session, recorder)
        return acted
    return serve(starts, recorder=recorder, grace_s=options.grace_s)


def _starts(options: Options) -> Callable[[], Server]:
    if (url := options.http.upstream) is None:
        return partial(Child, options.command)
    module = importlib.import_module("stretto.cli.proxy_upstream")
    remote: Callable[[], Server] = module.starts(url, options.http)
    return remote


def _session(options: Options) -> Session:
    stated = os.environ.get(SESSION_VARIABLE)
    host = host_session(stated)
    if stated and host != stated:
        note(
            f"{SESSION_VARIABLE} is not used: it may have 128 letters, digits, . _ : -"
        )
    return Session.beginning(options.server, host_session=host, **options.about)


def _recorder(options: Options, session: Session) -> Recorder | None:
    if options.record is None:
        return None
    folder = LogFolder(options.record, options.retain_days, options.log_bytes)
    return Recorder(Journal(lambda: folder.new_log(session)))


def _open_standard_streams() -> None:
    """
    Lead the standard streams that the host closed nowhere.

    The next file opened would take such a stream's place, and get what is meant for it.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
