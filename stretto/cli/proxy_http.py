"""`stretto-proxy` with hosts over HTTP."""

from stretto.cli.proxy_options import Options
from stretto.cli.proxy_upstream import headers
from stretto.proxy.folder import LogFolder
from stretto.proxy.http.access import address, token_in
from stretto.proxy.http.modes import Listening, Logging, host, relay


def run(options: Options) -> int:
    """
    The exit status of serving hosts until the process is told to end.

    Raises:
        StrettoError: there is nothing to listen at, no such server, or no such token.
    """
    http = options.http
    at = Listening(
        address(str(http.listen)),
        None if http.token_file is None else token_in(http.token_file),
        idle_s=http.idle_min * 60,
    )
    logging = None
    if options.record is not None:
        folder = LogFolder(options.record, options.retain_days, options.log_bytes)
        logging = Logging(folder, options.about)
    if http.upstream is None:
        return host(at, options.command, logging=logging)
    return relay(at, http.upstream, own_headers=headers(http), logging=logging)
