"""What a server at a URL lists, asked the way the proxy asks it."""

import signal
import threading
from collections.abc import Mapping

from stretto.doctor.ask import PATIENCE_S, Ends, listed_tools
from stretto.proxy.http.remote import Remote
from stretto.traces.messages import Message

_GRACE_S = 2.0
"""How long a server may take to hear that its session is over."""


def reached_tools(
    url: str, headers: Mapping[str, str], *, patience_s: float = PATIENCE_S
) -> list[Message]:
    """
    The tools that a server at a URL lists.

    Args:
        headers: What every request to it says.

    Raises:
        StrettoError: that is no URL, or the server is not reached, refuses, or takes
            longer than `patience_s`.
    """
    remote = Remote(url, headers)
    with open(remote.output, "rb") as output:
        try:
            with open(remote.input, "wb") as input:
                return listed_tools(Ends(input, output), patience_s)
        finally:
            end = threading.Timer(_GRACE_S, remote.signal, (signal.SIGTERM,))
            end.start()
            remote.wait()
            end.cancel()
