"""`stretto-proxy` with hosts over HTTP."""

import importlib

from stretto.cli.proxy_listening import serve
from stretto.cli.proxy_options import Options
from stretto.proxy.folder import LogFolder
from stretto.proxy.http.standing import Sessions, recorded


def run(options: Options) -> int:
    """
    The exit status of serving hosts until the process is told to end.

    Raises:
        StrettoError: there is nothing to listen at, no such server, no such token, or
            the flow cannot be read or served.
    """
    folder = None
    if options.record is not None:
        folder = LogFolder(options.record, options.retain_days, options.log_bytes)
    sessions = Sessions(options.server, options.about, folder)
    if not options.acting.is_needed:
        return serve(options, None if folder is None else recorded(sessions))
    module = importlib.import_module("stretto.cli.proxy_acting_http")
    acted: int = module.run(options, sessions)
    return acted
