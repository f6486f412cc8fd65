"""What is known of the server's tools: all pages of its list, and who was slow."""

from collections import Counter
from typing import NamedTuple

from stretto.canonical import Json
from stretto.proxy.schema import Room, room
from stretto.traces.contracts import contract
from stretto.traces.messages import Message, fields, params


class Listed(NamedTuple):
    """A tool in the server's list."""

    read_only: bool | None
    """Its annotation; None without one."""
    contract: str | None
    has_schema: bool
    """Whether it says what its structured results look like."""
    room: Room
    """Whether they may hold a key more, as the host was told."""


_UNLISTED = Listed(None, None, has_schema=True, room=Room.UNCLEAR)
"""The host may know one that it was given in an earlier session."""


class ToolTable:
    """The server's tools, as of its last list. They may have changed since."""

    def __init__(self) -> None:
        self.is_listed = False
        """Whether the server has listed any."""
        self.is_stale = False
        """Whether it has said since that its list changed."""
        self.late: Counter[str] = Counter()
        """How often a lookup has taken too long, by the tool as the flow names it."""
        self._tools: dict[str, Listed] = {}

    def __contains__(self, tool: str) -> bool:
        return tool in self._tools

    def __getitem__(self, tool: str) -> Listed:
        """A tool; of one that was not listed, nothing is known."""
        return self._tools.get(tool, _UNLISTED)

    def changed(self) -> None:
        """The server says that its list is not what it was."""
        self.is_stale = self.is_listed

    def learn(self, request: Message, response: Message) -> None:
        """One page of the list. The first page begins it anew."""
        if "result" not in response:
            return
        if params(request).get("cursor") is None:
            self._tools = {}
            self.is_stale = False
        self.is_listed = True
        for tool in _tools(response):
            if isinstance(name := tool.get("name"), str):
                self._tools[name] = _listed(tool)

    def told(self, tool: str, *, has_schema: bool) -> None:
        """The host was given another output schema, one with the key, or none."""
        listed = self[tool]
        self._tools[tool] = listed._replace(has_schema=has_schema, room=Room.OPEN)


def _tools(response: Message) -> list[Message]:
    found = fields(response, "result").get("tools")
    return [*map(fields, found if isinstance(found, list) else [])]


def _listed(tool: Message) -> Listed:
    hint = fields(tool, "annotations").get("readOnlyHint")
    schema: Json = tool.get("outputSchema")
    return Listed(
        hint if isinstance(hint, bool) else None,
        contract(tool),
        schema is not None,
        room(schema),
    )
