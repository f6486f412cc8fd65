"""A request and its answer, copied into a session log while they pass."""

from http import HTTPStatus

from stretto.proxy.entry import Sender
from stretto.proxy.http.asgi import SERVER_FAILED, Request, error
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.lanes import SESSION, Lane, Lanes, renamed
from stretto.proxy.http.message import VERSION_KEY, Message
from stretto.proxy.http.passage import Opens, Outcome, Passage

_FAILED = HTTPStatus.BAD_REQUEST
_CANCELLED = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'
)


def recording(lanes: Lanes) -> Opens:
    """Has each request, and what comes back, logged."""

    def opens(request: Request) -> Passage:
        return _Recorded(lanes, request)

    return opens


class _Recorded:
    """
    Changes nothing.

    What a log's readers could not tell from the messages alone, the proxy says in it:
    that a request failed without a JSON-RPC answer, and that a client of the stateless
    era has called a request off, which it does by leaving.
    """

    def __init__(self, lanes: Lanes, request: Request) -> None:
        self._lanes, self._request = lanes, request
        self._message = Message.of(request.body)
        self._lane: Lane | None = None
        self._name: bytes | None = None
        self._status = int(HTTPStatus.OK)
        self._is_answered = self._is_named = False
        has_session = request.header(SESSION) is not None
        if request.method == "POST" or (request.method == "GET" and has_session):
            self._lane = lanes.of(request, self._message)
        if self._lane is not None and self._message.is_request:
            self._name = self._lane.admit(self._message.id or b"")

    async def asked(self, body: bytes) -> bytes:
        if self._lane is not None and body:
            self._lane.keep(Sender.CLIENT, self._named(body))
        return body

    async def began(self, status: int, headers: Headers) -> None:
        self._status = status
        named = self._request.header(SESSION)
        if named is not None and self._is_over(status):
            self._lanes.end(named)
        elif self._is_first and self._lane is not None and status < _FAILED:
            self._is_named = True
            self._lanes.name(self._lane, self._request, first(headers, SESSION))

    async def said(self, message: bytes) -> bytes:
        if self._lane is None:
            return message
        heard = Message.of(message)
        is_ours = heard.is_answer and heard.id == self._message.id
        self._is_answered |= is_ours
        self._lane.keep(Sender.SERVER, self._named(message) if is_ours else message)
        return message

    async def ended(self, outcome: Outcome) -> None:
        if self._lane is None or self._name is None:
            return
        is_stateless = VERSION_KEY in self._message.meta
        if not self._is_answered and self._status >= _FAILED:
            why = f"HTTP {self._status}"
            self._lane.keep(Sender.PROXY, error(self._name, SERVER_FAILED, why))
        elif not self._is_answered and outcome is Outcome.BROKEN:
            why = "the server did not answer"
            self._lane.keep(Sender.PROXY, error(self._name, SERVER_FAILED, why))
        elif not self._is_answered and outcome is Outcome.LEFT and is_stateless:
            self._lane.keep(Sender.PROXY, _CANCELLED % self._name)
        self._lane.release(self._name)
        if self._is_first and not self._is_named:
            self._lanes.drop(self._lane)

    @property
    def _is_first(self) -> bool:
        """Whether the request opens a session."""
        has_session = self._request.header(SESSION) is not None
        return self._message.method == "initialize" and not has_session

    def _named(self, message: bytes) -> bytes:
        id = self._message.id
        if self._name is None or self._name == id:
            return message
        return renamed(message, self._name)

    def _is_over(self, status: int) -> bool:
        """Whether the session that the request named is no more."""
        is_ended = self._request.method == "DELETE" and status < _FAILED
        return is_ended or status == HTTPStatus.NOT_FOUND
