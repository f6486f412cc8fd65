"""Whether a lookup may be made: reads alone, and only as the flow learned them."""

from stretto.episodes.manifest import Kind
from stretto.flow.flow import Flow
from stretto.proxy.names import Names
from stretto.proxy.tooltable import ToolTable

MAX_LATE = 2
"""How often a lookup may take too long in one session before it is not made again."""


class Permit:
    """
    What a flow may call, given what its server says now.

    Args:
        grants: The only tools that it may call, by either name; None for every read.
    """

    def __init__(
        self, flow: Flow, names: Names, tools: ToolTable, grants: frozenset[str] | None
    ) -> None:
        self._flow, self._names, self._tools = flow, names, tools
        self._grants = grants

    def was_late(self, tool: str) -> None:
        """A lookup of that tool took too long."""
        self._tools.late[tool] += 1

    def refusal(self, tool: str) -> str | None:
        """Why a lookup may not be made; None where it may."""
        if self._flow.manifest.kind(tool) is not Kind.READ:
            return "the flow's manifest does not say that it only reads"
        if not self._names.has(tool):
            return "it is another server's"
        if self._grants is not None and not self._is_granted(tool):
            return "it was not granted"
        if self._tools.late[tool] >= MAX_LATE:
            return "it has taken too long before"
        if self._tools.is_stale:
            return "the server's tools have changed, and were not listed again"
        return self._unlisted(tool) if self._tools.is_listed else None

    def _unlisted(self, tool: str) -> str | None:
        """What stands against it in the server's list."""
        bare = self._names.bare(tool)
        if bare not in self._tools:
            return "the server does not list it"
        listed, learned = self._tools[bare], self._flow.contracts.get(tool)
        if listed.read_only is False:
            return "the server says that it does not only read"
        # A flow that holds contracts was learned where the server told what reads.
        is_vouched = not self._flow.contracts or self._grants is not None
        if listed.read_only is None and not is_vouched:
            return "the server no longer says that it only reads"
        if None not in (learned, listed.contract) and learned != listed.contract:
            return f"it now takes {listed.contract or 'nothing'}, not {learned}"
        return None

    def _is_granted(self, tool: str) -> bool:
        assert self._grants is not None
        return not self._grants.isdisjoint((tool, self._names.bare(tool)))
