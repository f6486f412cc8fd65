"""What a server at a URL lists, asked the way the proxy asks it."""

from collections.abc import Mapping

from stretto.client.reached import reached
from stretto.doctor.ask import PATIENCE_S, listed_tools
from stretto.traces.messages import Message


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
    with reached(url, headers) as ends:
        return listed_tools(ends, patience_s)
