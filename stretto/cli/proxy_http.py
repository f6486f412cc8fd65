"""`stretto-proxy` with hosts over HTTP."""

import importlib

from stretto.cli.proxy_options import Options
from stretto.cli.proxy_upstream import headers
from stretto.proxy.folder import LogFolder
from stretto.proxy.http.access import address, token_in
from stretto.proxy.http.modes import Listening, host, relay
from stretto.proxy.http.standing import Sessions, Stands, recorded


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


def serve(options: Options, stands: Stands | None) -> int:
    """The exit status of serving hosts with that in between."""
    http = options.http
    at = Listening(
        address(str(http.listen)),
        None if http.token_file is None else token_in(http.token_file),
        idle_s=http.idle_min * 60,
    )
    if http.upstream is None:
        return host(at, options.command, stands=stands)
    return relay(at, http.upstream, own_headers=headers(http), stands=stands)
