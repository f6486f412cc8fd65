"""A request and its answer, with an engine in between."""

import asyncio
from collections.abc import Collection, Iterable

from stretto.proxy.entry import Sender
from stretto.proxy.http.access import Access
from stretto.proxy.http.acting import Acting
from stretto.proxy.http.asgi import STREAM_TYPE, Request
from stretto.proxy.http.decoding import PLAIN
from stretto.proxy.http.headers import Headers, asked, first, media_type
from stretto.proxy.http.lanes import Lanes
from stretto.proxy.http.lookups import Asks
from stretto.proxy.http.message import ID, one_line
from stretto.proxy.http.passage import Opens, Outcome, Passage, Reply
from stretto.proxy.http.recorded import Recorded
from stretto.proxy.http.served import ServedLane, Serves
from stretto.proxy.http.spelling import elements, spliced
from stretto.proxy.http.standing import Sessions, Standing, Stands
from stretto.proxy.http.track import Heard, Track
from stretto.proxy.notes import note


def served(sessions: Sessions, serves: Serves) -> Stands:
    """A flow that is served in each session, and the logs of the sessions."""

    def stands(asks: Asks, access: Access, idle_s: float) -> Standing:
        def begins(stated: str | None) -> ServedLane:
            session, recorder = sessions.begin(stated)
            return ServedLane(recorder, session, serves, asks)

        lanes = Lanes(begins, idle_s=idle_s)
        return Standing(lanes, acting_on(lanes, access.own_headers))

    return stands


def acting_on(lanes: Lanes[ServedLane], own_headers: Collection[bytes]) -> Opens:
    """
    Has a flow served in each session.

    Args:
        own_headers: Those of a request that are for the proxy, and not for the server.
    """

    def opens(request: Request) -> Passage:
        track = Track(lanes, request)
        if (lane := track.lane) is None:
            return Recorded(track)
        try:
            acting = lane.acting(request, track.message)
        except Exception as bug:  # whatever it is, the request is to be answered
            note(f"no flow is served: {type(bug).__name__}: {bug}")
            return Recorded(track)
        return _Acted(track, lane, acting, asked(request.headers, dropped=own_headers))

    return opens


class _Acted:
    """
    A request in a session.

    A held result makes those wait who read the server's answer, and with them what the
    server says on that stream behind it. A client that leaves meanwhile is no longer
    waited for: in either era nobody else could be given what was held.
    """

    def __init__(
        self,
        track: Track[ServedLane],
        lane: ServedLane,
        acting: Acting,
        headers: Headers,
    ) -> None:
        self._track, self._lane, self._acting = track, lane, acting
        self._headers = headers
        self._stream = _stream(track.name)
        self._is_stream = self._can_be_changed = True
        self._is_replying = False
        self._waits_at: str | None = None
        """The stream whose result is held, be it that of a request before this one."""
        self._answers: list[bytes] = []
        """Answers to parts of a batch that the server does not get."""
        if track.name is not None:
            acting.begin(self._stream, headers)

    async def asked(self, body: bytes) -> bytes | Reply:
        if not body:
            return body
        heard = self._track.asked()
        line = _line(heard)
        self._waits_at = _stream(heard.name)
        heeded = await self._acting.from_host(line, _stream(heard.name))
        self._waits_at = None
        self._answers = [_spelled(answer, heard) for answer in heeded.answers]
        if heeded.line is not None:
            return body if heeded.line is line else heeded.line.rstrip(b"\n")
        self._is_replying = True
        return Reply(self._replied(heeded.later, heard))

    async def began(self, status: int, headers: Headers) -> None:
        self._track.began(status, headers)
        self._is_stream = media_type(headers) == STREAM_TYPE
        encoding = (first(headers, b"content-encoding") or "").lower()
        self._can_be_changed = encoding in PLAIN

    async def said(self, message: bytes) -> bytes | None:
        heard = self._track.said(message)
        line, stream = _line(heard), _stream(heard.name)
        if self._track.message.method == "tools/list":
            self._lane.learn(message)
        if not self._can_be_changed:
            self._acting.take_down(Sender.SERVER, line, stream)
            return message
        if is_resumed := stream != self._stream:
            self._acting.begin(stream, self._headers)
        self._waits_at = stream
        said = await self._acting.from_server(line, stream)
        self._waits_at = None
        if is_resumed:
            self._acting.end(stream)
        if said is line or (said is None and not self._is_stream):
            return self._with_answers(message)
        return None if said is None else self._with_answers(_spelled(said, heard))

    async def ended(self, outcome: Outcome) -> None:
        words = self._track.ended(outcome)
        if words is not None:
            self._acting.take_down(Sender.PROXY, words + b"\n", self._stream)
        has_left = outcome is Outcome.LEFT and self._track.name is not None
        if outcome is Outcome.LEFT and self._waits_at:
            self._acting.leave(self._waits_at)
        elif has_left and self._track.is_stateless:
            self._acting.leave(self._stream)
        goes_on = self._is_replying and not self._track.is_stateless
        if not (has_left and goes_on):
            self._acting.end(self._stream)
        self._track.leave(may_be_answered=words is None)
        self._lane.give_back(self._acting)

    async def _replied(
        self, later: "asyncio.Future[bytes | None] | None", heard: Heard
    ) -> bytes:
        """What answers a request that the server does not get."""
        if later is not None:
            return _spelled(await later or b"", heard)
        is_batch = elements(heard.message) is not None
        return _batch(self._answers) if is_batch else b"".join(self._answers)

    def _with_answers(self, message: bytes) -> bytes:
        """A message, and with the first one what answers the rest of its batch."""
        if not self._answers:
            return message
        answers, self._answers = self._answers, []
        found = elements(message)
        return _batch([*answers, *([message] if found is None else found)])


def _stream(name: bytes | None) -> str:
    """What a request's answer comes on, named like the request; empty for others."""
    return (name or b"").decode("latin-1")


def _line(heard: Heard) -> bytes:
    return one_line(heard.message) + b"\n"


def _spelled(line: bytes, heard: Heard) -> bytes:
    """A line for the client, which has its own name for the request."""
    message = line.rstrip(b"\n")
    if heard.id is None or heard.id == heard.name:
        return message
    return spliced(message, {ID: heard.id})


def _batch(messages: Iterable[bytes]) -> bytes:
    return b"[%b]" % b",".join(messages)
