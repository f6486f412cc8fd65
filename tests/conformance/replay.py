"""Events that were sent on a stream, kept so that a client may ask for them again."""

from itertools import count

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCMessage


class KeptEvents(EventStore):
    """Every event of every stream, in the order in which they were sent."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._kept: dict[str, tuple[str, JSONRPCMessage | None]] = {}

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """The event's id."""
        id = str(next(self._numbers))
        self._kept[id] = (stream_id, message)
        return id

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """The stream, its events behind that one sent again; None if it is unknown."""
        if last_event_id not in self._kept:
            return None
        wanted, _ = self._kept[last_event_id]
        for id, (stream, message) in list(self._kept.items()):
            is_later = int(id) > int(last_event_id)
            if stream == wanted and is_later and message is not None:
                await send_callback(EventMessage(message, id))
        return wanted
