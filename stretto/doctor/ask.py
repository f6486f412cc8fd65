"""What a server lists, asked as a host asks it."""

from collections.abc import Sequence

from stretto.client.session import Ends, Session
from stretto.client.started import started
from stretto.traces.messages import Message

PATIENCE_S = 30.0
"""How long a server may take for all of it; some are downloaded first."""


def started_tools(
    command: Sequence[str], *, patience_s: float = PATIENCE_S
) -> list[Message]:
    """
    The tools that a server lists which is started, and ended again.

    Raises:
        CannotStart: the command cannot be run.
        ServerFailed: the server ends, refuses, or takes longer than `patience_s`.
    """
    with started(command) as ends:
        return listed_tools(ends, patience_s)


def listed_tools(ends: Ends, patience_s: float) -> list[Message]:
    """
    The tools that a server lists, all pages of them.

    Raises:
        ServerFailed: the server ends, refuses, or takes longer than `patience_s`.
    """
    session = Session.opened(ends, "stretto-doctor", patience_s=patience_s)
    return list(session.tools())
