"""A session's messages turned into the episode that a flow decides on."""

from dataclasses import replace
from typing import TypeVar

from stretto.canonical import compact
from stretto.episodes.episode import ToolCall, ToolResult
from stretto.flow.flow import Flow
from stretto.oracle.state import Slice
from stretto.proxy.entry import Sender
from stretto.proxy.names import Names
from stretto.proxy.unfolding import Unfolding
from stretto.traces.calls import arguments
from stretto.traces.messages import Message, params
from stretto.traces.sessionlog import Sender as Said
from stretto.traces.turns import Called, Change, Conversation

T = TypeVar("T", ToolCall, ToolResult)

_SAID = {sender: Said(sender.value) for sender in Sender}


class Follower:
    """One session's episode, message by message, its tools named as the flow does."""

    def __init__(
        self, flow: Flow, names: Names, *, state: Slice | None = None, task: str = ""
    ) -> None:
        self.episode = Unfolding(flow, state=state, task=task)
        self._names = names
        self._conversation = Conversation()

    def follow(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> Change | None:
        """
        Take in the next message; what it adds to the episode, if anything.

        Args:
            now: In seconds.
            stream: Two streams may use the same id at the same time.
        """
        said = _as_recorded(_within(message, stream))
        change = self._conversation.add(int(now * 1000), _SAID[sender], said)
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


def _as_recorded(message: Message) -> Message:
    """A call with its arguments as whoever reads the log finds them: keys sorted."""
    given = params(message)
    if message.get("method") != "tools/call" or "arguments" not in given:
        return message
    return message | {"params": given | {"arguments": arguments(given["arguments"])}}


def _within(message: Message, stream: str) -> Message:
    """A message whose ids say which stream they are of."""
    if not stream:
        return message
    if message.get("id") is not None:
        return message | {"id": f"{stream} {compact(message['id'])}"}
    if (asked := params(message).get("requestId")) is not None:
        named = {"requestId": f"{stream} {compact(asked)}"}
        return message | {"params": params(message) | named}
    return message
