"""What the host is told that there is: the server's tools, and the proxy's own."""

from stretto.proxy.actions import Outbox
from stretto.proxy.commit import ADVICE, TOOL
from stretto.proxy.commit import NAME as COMMIT
from stretto.proxy.pilot import Pilot
from stretto.proxy.relist import with_advice, with_tool
from stretto.proxy.requests import Asked
from stretto.proxy.tooltable import ToolTable
from stretto.traces.messages import Message

HANDSHAKES = ("initialize", "server/discover")
"""The requests whose answers say what the server is."""


class Offers:
    """
    One session's tools, as the host has them.

    Args:
        tools: Learns what the server lists.
        has_commits: Whether `stretto_commit` is offered.
    """

    def __init__(self, tools: ToolTable, out: Outbox, *, has_commits: bool) -> None:
        self._tools, self._out, self._has_commits = tools, out, has_commits

    @property
    def has_commits(self) -> bool:
        """Whether the commit tool is the proxy's; a server may have one of its own."""
        return self._has_commits and COMMIT not in self._tools

    def give_up(self) -> None:
        """Offer nothing of the proxy's own any more."""
        self._has_commits = False

    def greeted(self, line: bytes) -> None:
        """The server has said who it is: the host is told of commits too."""
        if self._has_commits:
            self.replace(line, with_advice(line.decode(), ADVICE).encode())

    def listed(
        self, asked: Asked, message: Message, line: bytes, pilot: Pilot | None
    ) -> None:
        """The server has listed tools."""
        self._tools.learn(asked.message, message)
        shown = line.decode()
        if pilot is not None:
            shown = pilot.relisted(shown)
        if self.has_commits:
            shown = with_tool(shown, TOOL)
        self.replace(line, shown.encode())

    def replace(self, line: bytes, new: bytes) -> None:
        """Give the host a changed line; one that is as it was is passed on."""
        if new != line:
            self._out.replace(new)
