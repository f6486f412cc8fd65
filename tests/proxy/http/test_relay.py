"""What passes between HTTP and HTTP, and what is put in its place."""

import asyncio
import gzip
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.http.access import Access
from stretto.proxy.http.asgi import Request
from stretto.proxy.http.headers import Headers
from stretto.proxy.http.passage import Outcome, Passage, Reply
from stretto.proxy.http.relay import Relay
from tests.proxy.http.asked import EVENTS, HOST, JSON, Answered, Made, Server, ask

OPEN = Access(8080)
CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}'
RESULT = b'{"jsonrpc":"2.0","id":7,"result":{}}'
KINDS = st.sampled_from([JSON, EVENTS, (b"content-type", b"text/html"), (b"x", b"y")])


class Heard:
    """Changes what it is told to, and remembers the rest."""

    def __init__(self, changes: dict[bytes, bytes | Reply | None]) -> None:
        self.changes = changes
        self.said_: list[bytes] = []
        self.outcomes: list[Outcome] = []
        self.statuses: list[int] = []

    async def asked(self, body: bytes) -> bytes | Reply:
        changed = self.changes.get(body, body)
        assert changed is not None
        return changed

    async def began(self, status: int, _: Headers) -> None:
        self.statuses.append(status)

    async def said(self, message: bytes) -> bytes | None:
        self.said_.append(message)
        changed = self.changes.get(message, message)
        assert not isinstance(changed, Reply)
        return changed

    async def ended(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def relayed(
    server: Server,
    body: bytes = CALL,
    *,
    passage: Heard | None = None,
    longest_body: int = 2**20,
    keepalive_s: float = 9.0,
    access: Access = OPEN,
    **asked: object,
) -> Answered:
    def opens(_: Request) -> Passage:
        assert passage is not None
        return passage

    async def run() -> Answered:
        relay = Relay(
            server,
            access,
            opens=opens if passage else None,
            longest_body=longest_body,
            keepalive_s=keepalive_s,
        )
        return await ask(relay, body, **asked)  # type: ignore[arg-type]

    return asyncio.run(asyncio.wait_for(run(), 10))


@settings(max_examples=60, deadline=None)
@given(
    st.binary(),
    st.lists(st.binary()),
    KINDS,
    st.sampled_from([200, 202, 400, 404]),
    st.booleans(),
)
def test_bodies_pass_byte_for_byte_watched_or_not(
    asked: bytes,
    chunks: Sequence[bytes],
    kind: tuple[bytes, bytes],
    status: int,
    is_watched: bool,
) -> None:
    server = Server(Made(*chunks, status=status, headers=[kind]))

    answered = relayed(server, asked, passage=Heard({}) if is_watched else None)

    assert answered.body == b"".join(chunks)
    assert answered.status == status
    assert kind in answered.headers
    assert [body for _, _, body in server.asked] == [asked]


@pytest.mark.parametrize(
    "header",
    [
        (b"mcp-session-id", b"s"),
        (b"www-authenticate", b'Bearer resource_metadata="https://a"'),
        (b"content-length", b"36"),
        (b"set-cookie", b"a"),
    ],
)
def test_a_servers_headers_reach_the_client(header: tuple[bytes, bytes]) -> None:
    answered = relayed(Server(Made(RESULT, headers=[JSON, header])), passage=Heard({}))

    assert answered.headers == [JSON, header]


def test_a_clients_headers_reach_the_server() -> None:
    server = Server(Made(RESULT))
    headers = [HOST, JSON, (b"last-event-id", b"4"), (b"authorization", b"Bearer a")]

    relayed(server, headers=headers)

    assert server.asked[0][1] == [*headers[1:], (b"accept-encoding", b"identity")]


def test_the_proxys_token_is_not_the_servers() -> None:
    server = Server(Made(RESULT))
    headers = [JSON, (b"authorization", b"Bearer a")]

    assert relayed(server, access=Access(1, "a"), headers=headers).status == 200
    assert server.asked[0][1] == [JSON, (b"accept-encoding", b"identity")]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"headers": [(b"host", b"evil.example")]}, 403),
        ({"path": "/else"}, 404),
        ({"longest_body": len(CALL) - 1}, 413),
        ({"headers": [HOST, (b"content-length", b"9999999")]}, 413),
    ],
)
def test_what_is_not_let_through_is_not_asked(
    asked: dict[str, object], status: int
) -> None:
    server = Server(Made(RESULT))

    assert relayed(server, **asked).status == status  # type: ignore[arg-type]
    assert server.asked == []


def test_a_server_that_is_not_there_is_an_error_to_the_request() -> None:
    passage = Heard({})

    answered = relayed(Server(None), passage=passage)

    assert answered.status == 502
    assert json.loads(answered.body)["id"] == 7
    assert passage.outcomes == [Outcome.BROKEN]


def test_a_stream_that_breaks_off_ends_with_an_error_where_the_answer_is_owed() -> None:
    answered = relayed(Server(Made(b"data: {}\n\n", headers=[EVENTS], breaks=True)))

    assert answered.body.startswith(b"data: {}\n\ndata: ")
    assert json.loads(answered.body.split(b"data: ")[2])["id"] == 7


@pytest.mark.parametrize("events", [b"data: " + RESULT + b"\n\n", b"id: 1\ndata:\n\n"])
def test_a_stream_that_is_answered_or_can_be_resumed_only_ends(events: bytes) -> None:
    answered = relayed(Server(Made(events, headers=[EVENTS], breaks=True)))

    assert answered.body == events


def test_a_body_that_breaks_off_is_an_error() -> None:
    answered = relayed(Server(Made(b'{"jsonrpc"', breaks=True)))

    assert answered.status == 502
    assert json.loads(answered.body)["error"]["code"] == -32000


def test_a_client_that_leaves_leaves_nothing_open() -> None:
    made, passage = Made(b": hi\n\n", headers=[EVENTS], hangs=True), Heard({})

    relayed(Server(made), passage=passage, leaves_after=0.01)

    assert made.is_closed
    assert passage.outcomes == [Outcome.LEFT]


def test_a_silent_stream_gets_comments_between_its_events() -> None:
    made = Made(b"data: 1\n\n", headers=[EVENTS], hangs=True)

    answered = relayed(Server(made), keepalive_s=0.01, leaves_after=0.2)

    assert answered.body.startswith(b"data: 1\n\n: keepalive\n\n")


def test_a_stream_is_not_interrupted_within_an_event() -> None:
    made = Made(b"data: 1\n", headers=[EVENTS], hangs=True)

    answered = relayed(Server(made), keepalive_s=0.01, leaves_after=0.1)

    assert answered.body == b""


@pytest.mark.parametrize(("said", "status"), [(b"{}", 200), (b"", 202)])
def test_a_passage_may_answer_in_the_servers_place(said: bytes, status: int) -> None:
    async def saying() -> bytes:
        return said

    server = Server(Made(RESULT))

    answered = relayed(server, passage=Heard({CALL: Reply(saying())}))

    assert (answered.status, answered.body) == (status, said)
    assert server.asked == []


def test_a_passage_may_change_what_both_sides_get() -> None:
    server = Server(Made(RESULT, headers=[JSON, (b"content-length", b"36")]))

    answered = relayed(server, passage=Heard({CALL: b"[]", RESULT: b'{"a":1}'}))

    assert server.asked[0][2] == b"[]"
    assert (answered.headers, answered.body) == ([JSON], b'{"a":1}')


def test_a_passage_may_change_or_keep_back_one_event_of_a_stream() -> None:
    body = b"data: 1\r\n\r\nid: a\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n: c\r\n\r\n"
    server = Server(Made(body, headers=[EVENTS]))

    answered = relayed(server, passage=Heard({b"2": b"4", b"3": None}))

    assert answered.body == b"data: 1\r\n\r\nid: a\ndata: 4\n\n: c\r\n\r\n"


def test_compressed_bodies_pass_as_they_are_and_are_heard() -> None:
    packed = gzip.compress(RESULT)
    headers = [JSON, (b"content-encoding", b"gzip")]
    passage = Heard({RESULT: b"{}"})

    answered = relayed(Server(Made(packed, headers=headers)), passage=passage)

    assert answered.body == packed
    assert passage.said_ == [RESULT]


def test_bodies_in_an_unknown_encoding_pass_unheard() -> None:
    headers = [JSON, (b"content-encoding", b"br")]
    passage = Heard({})

    assert relayed(Server(Made(b"??", headers=headers)), passage=passage).body == b"??"
    assert passage.said_ == []
