"""A request and its answer, copied into a session log while they pass."""

from typing import Generic

from stretto.proxy.entry import Sender
from stretto.proxy.http.asgi import Request
from stretto.proxy.http.headers import Headers
from stretto.proxy.http.lanes import L, Lane, Lanes
from stretto.proxy.http.passage import Opens, Outcome, Passage
from stretto.proxy.http.track import Heard, Track


def recording(lanes: Lanes[Lane]) -> Opens:
    """Has each request, and what comes back, logged."""

    def opens(request: Request) -> Passage:
        return Recorded(Track(lanes, request))

    return opens


class Recorded(Generic[L]):
    """Changes nothing."""

    def __init__(self, track: Track[L]) -> None:
        self._track = track

    async def asked(self, body: bytes) -> bytes:
        """The body; it is in the log before the server has it."""
        if body:
            self._keep(Sender.CLIENT, self._track.asked())
        return body

    async def began(self, status: int, headers: Headers) -> None:
        """Hear to which session the request belongs, or that it ends one."""
        self._track.began(status, headers)

    async def said(self, message: bytes) -> bytes:
        """The message; it is in the log before the client has it."""
        self._keep(Sender.SERVER, self._track.said(message))
        return message

    async def ended(self, outcome: Outcome) -> None:
        """Log what else there is to say of it."""
        track = self._track
        if (words := track.ended(outcome)) is not None:
            self._keep(Sender.PROXY, Heard(words, track.name))
        track.leave(may_be_answered=words is None)

    def _keep(self, sender: Sender, heard: Heard) -> None:
        if self._track.lane is not None:
            self._track.lane.keep(sender, heard.message)
