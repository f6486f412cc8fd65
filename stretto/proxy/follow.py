"""A session's messages turned into the episode that a flow decides on."""

from dataclasses import replace
from typing import TypeVar

from stretto.episodes.episode import ToolCall, ToolResult
from stretto.flow.flow import Flow
from stretto.oracle.state import Slice
from stretto.proxy.entry import Sender
from stretto.proxy.hear import Hearing
from stretto.proxy.names import Names
from stretto.proxy.unfolding import Unfolding
from stretto.traces.messages import Message
from stretto.traces.turns import Called, Change

T = TypeVar("T", ToolCall, ToolResult)


class Follower(Hearing):
    """One session's episode, message by message, its tools named as the flow does."""

    def __init__(
        self,
        flow: Flow,
        names: Names,
        *,
        state: Slice | None = None,
        task: str = "",
        keeps: bool = True,
    ) -> None:
        """`keeps` is whether the episode's settled events are kept."""
        super().__init__()
        self.episode = Unfolding(flow, state=state, task=task, keeps=keeps)
        self._names = names

    def follow(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> Change | None:
        """As `hear`, and the episode takes it in."""
        change = self.hear(now, sender, message, stream)
        if isinstance(change, Called):
            self.episode.called(self._named(change.call), joins=change.joins)
        elif isinstance(change, ToolResult):
            self.episode.returned(self._named(change))
        elif change is not None:
            self.episode.said(change)
        return change

    def _named(self, of: T) -> T:
        """A call or a result, its tool named as the flow does."""
        return replace(of, tool=self._names.of(of.tool)) if self._names.prefix else of
