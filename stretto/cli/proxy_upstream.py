"""`stretto-proxy` with a server at a URL."""

from collections.abc import Callable

from stretto.cli.headers import header_values
from stretto.cli.proxy_options import Http
from stretto.proxy.http.remote import Remote


def starts(url: str, http: Http) -> Callable[[], Remote]:
    """
    Begins to speak to the server at a URL, for a host on standard input and output.

    Raises:
        StrettoError: a header's variable is not in the environment.
    """
    own = header_values(http.headers)
    return lambda: Remote(url, own)
