"""What answers the calls of a replay: the record, or a server."""

from typing import NamedTuple, Protocol

from stretto.episodes.episode import ToolCall, ToolResult
from stretto.evaluate.made import Key, Recorded


class Answer(NamedTuple):
    """What an environment gives a lookup."""

    content: str
    error: bool
    exact: bool
    """Whether the lookup would have returned that, and it is no stand-in."""


class Wanted(NamedTuple):
    """A lookup that is to be made."""

    call: ToolCall
    key: Key
    after: int
    """The position of the agent's call that it is made behind."""


class Environment(Protocol):
    """One episode's tools; told of all that is executed, in order."""

    def has(self, tool: str) -> bool:
        """Whether a lookup of the tool can be made."""

    def execute(self, recorded: Recorded) -> ToolResult | None:
        """What one of the agent's calls returns, reads and writes alike."""

    def look_up(self, wanted: Wanted) -> Answer:
        """What a lookup returns."""
