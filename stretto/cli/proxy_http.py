"""`stretto-proxy` with hosts over HTTP."""

import os

from stretto.cli.proxy_options import Options
from stretto.errors import StrettoError
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
        folder = LogFolder(options.record, options.retain_days)
        logging = Logging(folder, options.about)
    if http.upstream is None:
        return host(at, options.command, logging=logging)
    headers = {name: _secret(variable) for name, variable in http.headers.items()}
    return relay(at, http.upstream, own_headers=headers, logging=logging)


def _secret(variable: str) -> str:
    if (value := os.environ.get(variable)) is None:
        raise StrettoError(
            f"the environment has no {variable}",
            hint="set it where the proxy is started; its value is never logged",
        )
    return value
