"""`stretto-proxy` with a server at a URL."""

import os
from collections.abc import Callable, Mapping

from stretto.cli.proxy_options import Http
from stretto.errors import StrettoError
from stretto.proxy.http.remote import Remote


def starts(url: str, http: Http) -> Callable[[], Remote]:
    """
    Begins to speak to the server at a URL, for a host on standard input and output.

    Raises:
        StrettoError: a header's variable is not in the environment.
    """
    own = headers(http)
    return lambda: Remote(url, own)


def headers(http: Http) -> Mapping[str, str]:
    """
    What to send the server, by the headers' names.

    Raises:
        StrettoError: a header's variable is not in the environment.
    """
    return {name: _secret(variable) for name, variable in http.headers.items()}


def _secret(variable: str) -> str:
    if (value := os.environ.get(variable)) is None:
        raise StrettoError(
            f"the environment has no {variable}",
            hint="set it where the proxy is started; its value is never logged",
        )
    return value
