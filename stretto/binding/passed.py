"""What calls passed, as text."""

from typing import NamedTuple

from stretto.canonical import text
from stretto.episodes.episode import ToolCall


class Passed(NamedTuple):
    """A value passed to a tool, as text."""

    tool: str
    argument: str
    text: str


def passed_by(call: ToolCall) -> list[Passed]:
    """The arguments of a call; none where they are no object."""
    if not isinstance(call.arguments, dict):
        return []
    return [
        Passed(call.tool, argument, text(value))
        for argument, value in call.arguments.items()
    ]
