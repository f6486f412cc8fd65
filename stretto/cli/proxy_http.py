"""`stretto-proxy` with HTTP on a side."""

import os
from collections.abc import Callable, Mapping

from stretto.cli.proxy_options import Http, Options
from stretto.errors import StrettoError
from stretto.proxy.folder import LogFolder
from stretto.proxy.http.access import address, token_in
from stretto.proxy.http.modes import Listening, Logging, host, relay
from stretto.proxy.http.remote import Remote


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
    return relay(at, http.upstream, own_headers=_headers(http), logging=logging)


def starts(url: str, http: Http) -> Callable[[], Remote]:
    """
    Begins to speak to the server at a URL, for a host on standard input and output.

    Raises:
        StrettoError: a header's variable is not in the environment.
    """
    headers = _headers(http)
    return lambda: Remote(url, headers)


def _headers(http: Http) -> Mapping[str, str]:
    return {name: _secret(variable) for name, variable in http.headers.items()}


def _secret(variable: str) -> str:
    if (value := os.environ.get(variable)) is None:
        raise StrettoError(
            f"the environment has no {variable}",
            hint="set it where the proxy is started; its value is never logged",
        )
    return value
