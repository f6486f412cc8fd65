"""A turn under way: what its calls are, which of them have returned, and what since."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.episodes.episode import Event, ToolCall
from stretto.episodes.site import Site


class Point(NamedTuple):
    """Where the agent took a step that the surprise gate scores."""

    site: Site
    history: list[int]
    """The steps up to it, as far as a habit looks back."""


@dataclass(slots=True)
class Turn:
    """The turn under way, and what has happened since it began."""

    start: int = 0
    """Where its steps begin in the history."""
    n_results: int = 0
    """How many results there were when it began."""
    n_before: int = 0
    """How many calls had been sent."""
    point: Point | None = None
    """Where it was begun, until its score is settled."""
    tools: list[str] = field(default_factory=list)
    """Of its calls, in the order sent."""
    lookups: set[int] = field(default_factory=set)
    """The places of the calls that a flow made."""
    calls: dict[int, ToolCall] = field(default_factory=dict)
    """The calls by their places; of those that have returned, only if needed again."""
    symbols: list[int] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)
    """Of each call, in the order sent, as long as it has not returned too."""
    pending: dict[str, int] = field(default_factory=dict)
    """The places of the calls that have not returned, by their ids."""
    shown: list[int] = field(default_factory=list)
    """The places of those that have, in the order sent; but the latest is the last."""
    n_replies: int = 0
    since: list[Event] = field(default_factory=list)
    """The results and messages since it began, if needed again."""


class Late(NamedTuple):
    """A call that had not returned when the next turn began."""

    step: int
    """Its place in the history."""
    call: ToolCall
