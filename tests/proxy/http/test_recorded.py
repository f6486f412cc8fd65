"""What the session logs of many clients hold."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from stretto.proxy.http.access import Access
from stretto.proxy.http.lanes import Lane, Lanes
from stretto.proxy.http.recorded import recording
from stretto.proxy.http.relay import Relay
from stretto.proxy.journal import Journal
from stretto.proxy.record import Recorder
from tests.proxy.http.asked import EVENTS, HOST, JSON, Answered, Made, Server, ask

SESSION = b"mcp-session-id"
META_KEY = "io.modelcontextprotocol/"


class Log:
    """A log in memory."""

    def __init__(self, stated: str | None) -> None:
        self.stated = stated
        self.is_opened = False
        self.is_closed = False
        self._text = b""

    def append(self, lines: bytes) -> None:
        self._text += lines

    def close(self) -> None:
        self.is_closed = True

    @property
    def said(self) -> list[tuple[str, Any]]:
        entries = map(json.loads, self._text.splitlines())
        return [(e["from"], e.get("message", e.get("raw"))) for e in entries]


def request(id: object, method: str = "tools/call", **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(message).encode()


def echo(body: bytes) -> Made:
    """The answer to a request, in a new session where it asks for one."""
    message = json.loads(body or b"{}")
    answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": {}}
    is_first = message.get("method") == "initialize"
    opened = [(SESSION, f"s{message['id']}".encode())] if is_first else []
    return Made(json.dumps(answer).encode(), headers=[JSON, *opened])


Story = Callable[[Callable[..., Awaitable[Answered]]], Awaitable[None]]


def logged(story: Story, server: Server | None = None, **limits: float) -> list[Log]:
    """The logs of what a story asks, in the order in which they were begun."""
    begun: list[Log] = []

    def begins(stated: str | None) -> Lane:
        log = Log(stated)
        begun.append(log)

        def opens() -> Log:
            log.is_opened = True
            return log

        return Lane(Recorder(Journal(opens)))

    async def run() -> None:
        lanes = Lanes(begins, **limits)  # type: ignore[arg-type]
        relay = Relay(server or Server(echo), Access(8080), opens=recording(lanes))

        async def asks(body: bytes, *headers: tuple[bytes, bytes], **how: Any) -> Any:
            return await ask(relay, body, headers=[HOST, JSON, *headers], **how)

        await story(asks)
        await lanes.close()

    asyncio.run(asyncio.wait_for(run(), 10))
    logs = [log for log in begun if log.is_opened]
    assert all(log.is_closed for log in logs)
    return logs


def test_each_session_has_its_log() -> None:
    async def story(asks: Any) -> None:
        for id in (1, 2):
            await asks(request(id, "initialize"))
        for id in (1, 2):
            await asks(request(7, name=f"t{id}"), (SESSION, f"s{id}".encode()))

    first, second = logged(story)

    methods = [m.get("method") for _, m in first.said]
    assert methods == ["initialize", None, "tools/call", None]
    assert first.said[2][1]["params"] == {"name": "t1"}
    assert [who for who, _ in second.said] == ["client", "server"] * 2
    assert second.said[2][1]["params"] == {"name": "t2"}


def test_stateless_requests_are_told_apart_by_the_client_that_sends_them() -> None:
    def meta(name: str) -> dict[str, object]:
        client = {"name": name, "version": "1"}
        return {f"{META_KEY}protocolVersion": "2026", f"{META_KEY}clientInfo": client}

    async def story(asks: Any) -> None:
        for name in ("a", "b", "a"):
            await asks(request(1, _meta=meta(name)))

    first, second = logged(story)

    assert (len(first.said), len(second.said)) == (4, 2)


def test_a_stated_host_session_tells_clients_apart_and_is_in_the_log() -> None:
    async def story(asks: Any) -> None:
        for stated in (b"x", b"y", b"x"):
            await asks(request(1), (b"stretto-session", stated))

    logs = logged(story)

    assert [(log.stated, len(log.said)) for log in logs] == [("x", 4), ("y", 2)]


def test_an_id_that_is_open_already_is_logged_under_another_name() -> None:
    async def story(asks: Any) -> None:
        await asyncio.gather(*(asks(request(1, n=n)) for n in range(3)))
        await asks(request(1, n=3))

    (log,) = logged(story)

    sent = [(m["id"], m["params"]["n"]) for who, m in log.said if who == "client"]
    assert sent == [(1, 0), ("1#2", 1), ("1#3", 2), (1, 3)]
    assert [m["id"] for who, m in log.said if who == "server"].count("1#2") == 1


def test_a_message_over_several_lines_is_one_entry() -> None:
    async def story(asks: Any) -> None:
        await asks(b'{"jsonrpc":"2.0",\r\n "id":1,\n"method":"m"}\n')

    (log,) = logged(story)

    assert log.said[0] == ("client", {"jsonrpc": "2.0", "id": 1, "method": "m"})


def test_events_are_logged_as_messages_and_comments_not_at_all() -> None:
    body = b': hi\n\nid: 1\ndata:\n\ndata: {"id":1,\ndata: "result":{}}\n\n'

    async def story(asks: Any) -> None:
        await asks(request(1))

    (log,) = logged(story, Server(Made(body, headers=[EVENTS])))

    assert log.said[1:] == [("server", {"id": 1, "result": {}})]


def test_a_failure_without_a_message_is_an_error_of_the_proxys() -> None:
    async def story(asks: Any) -> None:
        await asks(request(1))

    (log,) = logged(story, Server(Made(b"no", status=401, headers=[])))
    (gone,) = logged(story, Server(None))

    for who, message in (log.said[1], gone.said[1]):
        assert (who, message["id"]) == ("proxy", 1)
        assert message["error"]["code"] == -32000


def test_leaving_a_stateless_request_is_logged_as_its_cancellation() -> None:
    async def story(asks: Any) -> None:
        meta = {f"{META_KEY}protocolVersion": "2026-07-28"}
        await asks(request(1, _meta=meta), leaves_after=0.01)
        await asks(request(2), leaves_after=0.01)

    server = Server(lambda _: Made(headers=[EVENTS], hangs=True))
    (log,) = logged(story, server)

    (_, asked), (who, cancelled), (_, asked_too) = log.said
    assert (asked["id"], asked_too["id"]) == (1, 2)
    assert (who, cancelled["params"]) == ("proxy", {"requestId": 1})


def test_no_secret_header_reaches_a_log() -> None:
    async def story(asks: Any) -> None:
        await asks(request(1), (b"authorization", b"Bearer s3cret"))

    (log,) = logged(story)

    assert "s3cret" not in json.dumps(log.said)


def test_a_deleted_session_has_a_closed_log_and_an_old_one_makes_room() -> None:
    async def story(asks: Any) -> None:
        for id in (1, 2, 3):
            await asks(request(id, "initialize"))
            await asks(request(9), (SESSION, f"s{id}".encode()))
        await asks(b"", (SESSION, b"s3"), method="DELETE")
        await asks(request(9), (SESSION, b"s3"))

    assert [len(log.said) for log in logged(story, most=2)] == [4, 4, 4, 2]


def test_what_only_probes_leaves_no_log() -> None:
    async def story(asks: Any) -> None:
        await asks(request(1, "server/discover"))
        await asks(b"", method="GET")

    assert logged(story) == []
