"""One request in its session's log: its name there, and how it ended."""

from http import HTTPStatus
from typing import Generic, NamedTuple

from stretto.proxy.http.asgi import SERVER_FAILED, Request, error
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.lanes import SESSION, L, Lanes
from stretto.proxy.http.message import ID, REQUEST_ID, VERSION_KEY, Message
from stretto.proxy.http.passage import Outcome
from stretto.proxy.http.spelling import spliced

_FAILED = HTTPStatus.BAD_REQUEST
_CANCELLED = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'
)


class Heard(NamedTuple):
    """A message as the log has it."""

    message: bytes
    name: bytes | None = None
    """What the request is called in the log that it is, answers or calls off."""
    id: bytes | None = None
    """What its client calls that request."""


class Track(Generic[L]):
    """
    Follows a request from the moment at which it is there.

    What a log's readers could not tell from the messages alone, the proxy says in it:
    that a request failed without a JSON-RPC answer, and that a client of the stateless
    era has called a request off, which it does by leaving.
    """

    def __init__(self, lanes: Lanes[L], request: Request) -> None:
        self.message = request.message
        self.is_stateless = VERSION_KEY in self.message.meta
        self.lane: L | None = None
        """Where it is logged; None for what belongs to no session."""
        self.name: bytes | None = None
        self._lanes, self._request = lanes, request
        self._status = int(HTTPStatus.OK)
        self._is_answered = self._is_named = False
        has_session = request.header(SESSION) is not None
        if request.method == "POST" or (request.method == "GET" and has_session):
            self.lane = lanes.of(request, self.message)
        if self.lane is not None and self.message.is_request:
            self.name = self.lane.admit(self.message.id or b"")

    def asked(self) -> Heard:
        """The request's body."""
        if self.name is not None:
            return self._called(self.message, self.name)
        if self.lane is None or self.message.method != "notifications/cancelled":
            return Heard(self._request.body)
        id = self.message.params.get("requestId", b"")
        if (name := self.lane.name(id)) is None:
            return Heard(self._request.body)
        return Heard(spliced(self._request.body, {REQUEST_ID: name}), name, id)

    def began(self, status: int, headers: Headers) -> None:
        """The server begins its answer."""
        self._status = status
        named = self._request.header(SESSION)
        if named is not None and self._is_over(status):
            self._lanes.end(named)
        elif self._is_first and self.lane is not None and status < _FAILED:
            self._is_named = True
            self._lanes.name(self.lane, self._request, first(headers, SESSION))

    def said(self, message: bytes) -> Heard:
        """A message of the server's."""
        heard = Message.of(message)
        if self.lane is None or not heard.is_answer:
            return Heard(message)
        if heard.id == self.message.id and self.name is not None:
            self._is_answered = True
            return self._called(heard, self.name)
        name = self.lane.settle(heard.id or b"")
        return Heard(message) if name is None else self._called(heard, name)

    def ended(self, outcome: Outcome) -> bytes | None:
        """What is to be said in the log of how it ended, if anything."""
        if self.lane is None or self.name is None or self._is_answered:
            return None
        if self._status >= _FAILED:
            return error(self.name, SERVER_FAILED, f"HTTP {self._status}")
        if outcome is Outcome.BROKEN:
            return error(self.name, SERVER_FAILED, "the server did not answer")
        if outcome is Outcome.LEFT and self.is_stateless:
            return _CANCELLED % self.name
        return None

    def leave(self, *, may_be_answered: bool) -> None:
        """
        Let go of the request's name in the log.

        Args:
            may_be_answered: Whether its answer may come on another stream.
        """
        if self.lane is None or self.name is None:
            return
        is_awaited = may_be_answered and not self._is_answered
        self.lane.release(self.name, is_awaited=is_awaited and not self.is_stateless)
        if self._is_first and not self._is_named:
            self._lanes.drop(self.lane)

    @staticmethod
    def _called(message: Message, name: bytes) -> Heard:
        """A message with its id in the log, and the very same one where it has it."""
        is_so_called = message.id == name
        raw = message.raw if is_so_called else spliced(message.raw, {ID: name})
        return Heard(raw, name, message.id)

    @property
    def _is_first(self) -> bool:
        """Whether the request opens a session."""
        has_session = self._request.header(SESSION) is not None
        return self.message.method == "initialize" and not has_session

    def _is_over(self, status: int) -> bool:
        """Whether the session that the request named is no more."""
        is_ended = self._request.method == "DELETE" and status < _FAILED
        return is_ended or status == HTTPStatus.NOT_FOUND
