"""A session's messages turned into what they add to its episode, one by one."""

from stretto.canonical import compact
from stretto.proxy.entry import Sender
from stretto.traces.calls import arguments
from stretto.traces.messages import Message, params
from stretto.traces.sessionlog import Sender as Said
from stretto.traces.turns import Change, Conversation

_SAID = {sender: Said(sender.value) for sender in Sender}


class Hearing:
    """One session, as whoever reads its log will find it."""

    def __init__(self) -> None:
        self._conversation = Conversation(keeps=False)

    def hear(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> Change | None:
        """
        Take in the next message; what it adds to the episode, if anything.

        Args:
            now: In seconds.
            stream: Two streams may use the same id at the same time.
        """
        said = _as_recorded(_within(message, stream))
        return self._conversation.add(int(now * 1000), _SAID[sender], said)


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
