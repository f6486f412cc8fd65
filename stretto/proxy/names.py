"""
What a flow calls the tools of the server that a proxy stands before.

A flow learned across servers names them `SERVER::TOOL`, so that each proxy knows its
own; any other flow names them as the server does.
"""

from typing import NamedTuple

from stretto.flow.flow import Flow

_MARK = "::"


class Names(NamedTuple):
    """The server's names and the flow's, one from the other."""

    prefix: str = ""

    def of(self, tool: str) -> str:
        """What the flow calls a tool of the server."""
        return self.prefix + tool

    def bare(self, tool: str) -> str:
        """What the server calls a tool of its own that the flow names."""
        return tool.removeprefix(self.prefix)

    def has(self, tool: str) -> bool:
        """Whether the flow names a tool of this server."""
        return tool.startswith(self.prefix)


def names(flow: Flow, server: str | None) -> Names | str:
    """How a flow names the server's tools, or why it does not."""
    known = {tool.partition(_MARK)[0] for tool in flow.vocab.tools if _MARK in tool}
    if not known:
        return Names()
    if server in known:
        return Names(server + _MARK)
    called = "has no name" if server is None else f"is called {server}"
    servers = ", ".join(sorted(known))
    return f"the flow knows the servers {servers}; this one {called}"
