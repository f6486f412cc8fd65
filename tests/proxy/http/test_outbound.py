"""A host's lines, sent over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from stretto.proxy.http import reading
from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.outbound import Outbound
from tests.proxy.http.asked import EVENTS, JSON, Made

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
NOTHING = Made(status=202, headers=[])
NO_STREAM = Made(status=405, headers=[])


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "RETRY_S", 0.01)


def message(id: object, method: str = "tools/call", **params: Any) -> bytes:
    whole = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(whole).encode()


def notice(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def result(id: object, **result: Any) -> Made:
    answer = {"jsonrpc": "2.0", "id": id, "result": result}
    return Made(json.dumps(answer).encode())


def session(id: str, of: object = 0) -> Made:
    made = result(of, protocolVersion="2025-11-25")
    made.headers.append((b"mcp-session-id", id.encode()))
    return made


class Script:
    """A server that answers by what it is asked, and remembers that."""

    def __init__(self, answers: Callable[[str, Headers, Any], Made]) -> None:
        self.asked: list[tuple[str, Headers, Any]] = []
        self._answers = answers

    async def ask(self, method: str, headers: Headers, body: bytes) -> Made:
        said = json.loads(body) if body else None
        self.asked.append((method, headers, said))
        return self._answers(method, headers, said)


def spoken(
    answers: Callable[[str, Headers, Any], Made],
    story: Callable[[Outbound], Awaitable[None]],
) -> tuple[list[Any], Script]:
    """What the host heard, and what the server was asked."""
    heard: list[bytes] = []
    script = Script(answers)

    async def run() -> None:
        outbound = Outbound(script, heard.append)
        await story(outbound)
        await outbound.end()

    asyncio.run(asyncio.wait_for(run(), 10))
    assert all(b"\n" not in line for line in heard)
    return [json.loads(line) for line in heard], script


def says(*lines: bytes) -> Callable[[Outbound], Awaitable[None]]:
    async def story(outbound: Outbound) -> None:
        for line in lines:
            await outbound.hear(line)

    return story


OPENING = (message(0, "initialize"), notice("notifications/initialized"))


def legacy(method: str, _: Headers, said: Any) -> Made:
    if method == "GET":
        return NO_STREAM
    if method == "DELETE" or "id" not in said:
        return NOTHING
    return session("s") if said["method"] == "initialize" else result(said["id"])


def test_a_session_is_opened_named_in_all_that_follows_and_ended() -> None:
    heard, script = spoken(legacy, says(*OPENING, message(1)))

    assert [answer["id"] for answer in heard] == [0, 1]
    assert first(script.asked[0][1], b"mcp-session-id") is None
    for method, headers, _ in script.asked[1:]:
        assert first(headers, b"mcp-session-id") == "s"
        assert first(headers, b"mcp-protocol-version") == "2025-11-25"
        assert method in ("POST", "GET", "DELETE")
    assert script.asked[-1][0] == "DELETE"


def test_what_the_host_says_is_what_is_posted() -> None:
    _, script = spoken(legacy, says(message(1, x="é", n=1)))

    assert script.asked[0][2] == json.loads(message(1, x="é", n=1))


def test_a_session_that_the_server_has_ended_is_opened_anew_and_the_call_made() -> None:
    ids = iter(("old", "new"))

    def answers(method: str, headers: Headers, said: Any) -> Made:
        if method == "POST" and said["method"] == "initialize":
            return session(next(ids))
        if said and said["method"] == "tools/call":
            is_old = first(headers, b"mcp-session-id") == "old"
            return Made(status=404, headers=[]) if is_old else result(said["id"])
        return legacy(method, headers, said)

    calls = [message(id) for id in (1, 2, 3)]
    heard, script = spoken(answers, says(*OPENING, *calls))

    assert sorted(answer["id"] for answer in heard) == [0, 1, 2, 3]
    opened = [said for _, _, said in script.asked if said and "initi" in said["method"]]
    assert [said["method"] for said in opened] == [
        "initialize",
        "notifications/initialized",
    ] * 2


def test_a_server_that_has_ended_the_new_session_too_is_not_asked_for_ever() -> None:
    def answers(method: str, headers: Headers, said: Any) -> Made:
        is_call = said is not None and said["method"] == "tools/call"
        return (
            Made(status=404, headers=[]) if is_call else legacy(method, headers, said)
        )

    heard, _ = spoken(answers, says(*OPENING, message(1)))

    assert heard[1]["error"]["message"] == "the server answers with HTTP 404"


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_failure_is_an_error_to_the_request_and_to_a_notification_nothing(
    status: int,
) -> None:
    made = Made(b"<p>no</p>", status=status, headers=[(b"content-type", b"text/html")])

    heard, _ = spoken(lambda *_: made, says(message("a"), notice("n")))

    assert [(m["id"], m["error"]["code"]) for m in heard] == [("a", -32000)]


def test_an_error_that_names_no_request_is_given_to_the_one_that_was_made() -> None:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "x"}}
    made = Made(json.dumps(error).encode(), status=400)

    heard, _ = spoken(lambda *_: made, says(message(4)))

    assert heard == [{**error, "id": 4}]


def test_a_server_that_is_not_there_is_an_error() -> None:
    def answers(*_: Any) -> Made:
        raise Unreachable("nobody is there")

    heard, _ = spoken(answers, says(*OPENING, message(1)))

    assert [m["id"] for m in heard] == [0, 1]
    assert "nobody is there" in heard[1]["error"]["message"]


def test_events_are_lines_and_their_comments_are_nothing() -> None:
    body = b': hi\n\ndata: {"method":\ndata: "n"}\n\ndata: {"id":1,"result":{}}\n\n'

    heard, _ = spoken(lambda *_: Made(body, headers=[EVENTS]), says(message(1)))

    assert heard == [{"method": "n"}, {"id": 1, "result": {}}]


def test_a_stream_that_was_cut_off_is_taken_up_where_it_was() -> None:
    def answers(method: str, headers: Headers, _: Any) -> Made:
        if method == "POST":
            return Made(b"retry: 1\nid: 5\ndata:\n\n", headers=[EVENTS], breaks=True)
        assert first(headers, b"last-event-id") == "5"
        event = b'id: 6\ndata: {"id":1,"result":{}}\n\n'
        return Made(event, headers=[EVENTS], hangs=True)

    heard, script = spoken(answers, says(message(1)))

    assert heard == [{"id": 1, "result": {}}]
    assert [method for method, _, _ in script.asked] == ["POST", "GET"]


@pytest.mark.parametrize("events", [b"", b"id: 5\ndata:\n\n"])
def test_a_stream_that_cannot_be_taken_up_is_an_error(events: bytes) -> None:
    def answers(method: str, *_: Any) -> Made:
        is_post = method == "POST"
        return Made(events, headers=[EVENTS]) if is_post else Made(status=500)

    heard, _ = spoken(answers, says(message(1)))

    assert [m["id"] for m in heard if "error" in m] == [1]


def test_what_belongs_to_no_request_is_heard_and_asked_for_again() -> None:
    streams: Iterator[Made] = iter(
        (
            Made(b'id: 1\ndata: {"method":"a"}\n\n', headers=[EVENTS]),
            Made(b'data: {"method":"b"}\n\n', headers=[EVENTS]),
            NO_STREAM,
        )
    )

    def answers(method: str, headers: Headers, said: Any) -> Made:
        return next(streams) if method == "GET" else legacy(method, headers, said)

    async def story(outbound: Outbound) -> None:
        await says(*OPENING)(outbound)
        await asyncio.sleep(0.2)

    heard, script = spoken(answers, story)

    assert [m["method"] for m in heard[1:]] == ["a", "b"]
    asked = [headers for method, headers, _ in script.asked if method == "GET"]
    ids = [first(headers, b"last-event-id") for headers in asked]
    assert ids == [None, "1", "1"]


def test_a_stateless_request_carries_the_headers_that_repeat_it() -> None:
    schema = {"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    tools = [{"name": "größe", "inputSchema": schema}]

    async def story(outbound: Outbound) -> None:
        await outbound.hear(message(1, "tools/list", _meta=META))
        await asyncio.sleep(0.01)
        arguments = {"region": "eu"}
        call = message(2, name="größe", arguments=arguments, _meta=META)
        await outbound.hear(call)

    _, script = spoken(lambda _, __, said: result(said["id"], tools=tools), story)

    headers = script.asked[1][1]
    assert first(headers, b"mcp-method") == "tools/call"
    assert first(headers, b"mcp-name") == "=?base64?Z3LDtsOfZQ==?="
    assert first(headers, b"mcp-param-region") == "eu"
    assert first(headers, b"mcp-protocol-version") == "2026-07-28"
    assert [method for method, _, _ in script.asked] == ["POST", "POST"]


def test_a_stateless_request_is_called_off_by_closing_its_connection() -> None:
    made = Made(headers=[EVENTS], hangs=True)

    async def story(outbound: Outbound) -> None:
        await outbound.hear(message(1, _meta=META))
        await asyncio.sleep(0.01)
        await outbound.hear(notice("notifications/cancelled", requestId=1))

    heard, script = spoken(lambda *_: made, story)

    assert made.is_closed
    assert (heard, len(script.asked)) == ([], 1)


def test_in_a_session_a_cancellation_is_passed_on() -> None:
    cancelled = notice("notifications/cancelled", requestId=1)

    _, script = spoken(legacy, says(*OPENING, message(1), cancelled))

    assert json.loads(cancelled) in [said for _, _, said in script.asked]


def test_the_answers_type_is_what_counts_and_a_batch_is_one_line() -> None:
    batch = b'[{"id":1,"result":{}},\n{"id":2,"result":{}}]'

    heard, _ = spoken(lambda *_: Made(batch, headers=[JSON]), says(notice("n")))

    assert [[m["id"] for m in line] for line in heard] == [[1, 2]]
