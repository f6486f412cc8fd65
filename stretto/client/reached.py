"""A server at a URL, spoken to for a while the way the proxy speaks to one."""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from stretto.client.session import Ends
from stretto.client.started import Open
from stretto.proxy.http.remote import Remote

_GRACE_S = 2.0
"""How long a server may take to hear that its session is over."""


@contextmanager
def reached(
    url: str, headers: Mapping[str, str], is_open: Open | None = None
) -> Iterator[Ends]:
    """
    A session's streams for the length of the block; the session is ended behind it.

    Args:
        headers: What every request says.

    Raises:
        StrettoError: that is no URL.
    """
    remote = Remote(url, headers)

    def call_off() -> None:
        remote.signal(signal.SIGTERM)

    with open(remote.output, "rb") as output:
        try:
            with (
                open(remote.input, "wb") as input,
                (is_open or Open()).holding(call_off),
            ):
                yield Ends(input, output)
        finally:
            end = threading.Timer(_GRACE_S, call_off)
            end.start()
            remote.wait()
            end.cancel()
