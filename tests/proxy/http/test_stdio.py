"""HTTP in front of processes."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from stretto.proxy.http.access import Access
from stretto.proxy.http.relay import Relay
from stretto.proxy.http.stdio import StdioServers
from tests.proxy.http.asked import EVENTS, HOST, JSON, Answered, ask

pytestmark = [  # where other tests have started threads of Python's or of JAX's
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning"),
]

TOLD = (sys.executable, str(Path(__file__).parent.parent / "servers" / "told.py"))
SESSION = b"mcp-session-id"
BOTH = (b"accept", b"application/json, text/event-stream")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Client:
    """A client of a relay in front of processes."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    async def post(
        self,
        body: object,
        *headers: tuple[bytes, bytes],
        method: str = "POST",
        leaves_after: float | None = None,
    ) -> Answered:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await ask(
            self._relay,
            raw,
            method=method,
            headers=[HOST, JSON, *headers],
            leaves_after=leaves_after,
        )

    async def opened(self) -> tuple[bytes, bytes]:
        """The header of a new session."""
        answered = await self.post(request(0, "initialize"))
        return next(pair for pair in answered.headers if pair[0] == SESSION)

    async def stateless(self, id: object, **told: object) -> Any:
        """What a call of the stateless era is answered."""
        return json.loads((await self.call(id, told)).body)

    async def call(
        self, id: object, told: object, leaves_after: float | None = None
    ) -> Answered:
        params = {"name": "t", "arguments": told, "_meta": META}
        return await self.post(
            request(id, "tools/call", params),
            BOTH,
            (b"mcp-protocol-version", b"2026-07-28"),
            (b"mcp-method", b"tools/call"),
            (b"mcp-name", b"t"),
            leaves_after=leaves_after,
        )


def request(id: object, method: str = "tools/call", params: object = None) -> Any:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


def call(id: object, **told: object) -> Any:
    return request(id, params={"name": "t", "arguments": told})


def events(answered: Answered) -> list[Any]:
    lines = answered.body.split(b"\n")
    return [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]


def served(
    story: Callable[[Client], Awaitable[None]],
    *,
    command: tuple[str, ...] = TOLD,
    most: int = 64,
    idle_s: float = 60.0,
) -> None:
    async def run() -> None:
        servers = StdioServers(command, most=most, idle_s=idle_s)
        try:
            relay = Relay(servers, Access(8080))
            await asyncio.wait_for(story(Client(relay)), 20)
        finally:
            await servers.close()

    asyncio.run(run())


def test_a_session_has_a_process_of_its_own_until_it_is_deleted() -> None:
    async def story(client: Client) -> None:
        sessions = [await client.opened(), await client.opened()]
        told = [await client.post(call(1), session) for session in sessions]
        pids = {json.loads(answered.body)["result"]["pid"] for answered in told}

        assert len(pids) == len(sessions) == 2
        assert (await client.post(b"", sessions[0], method="DELETE")).status == 200
        assert (await client.post(call(2), sessions[0])).status == 404
        assert (await client.post(call(2), sessions[1])).status == 200

    served(story)


def test_an_answer_is_an_event_or_a_body_as_the_client_takes_it() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        streamed = await client.post(call(1), session, BOTH)
        plain = await client.post(call(2), session)

        assert EVENTS in streamed.headers
        assert [answer["id"] for answer in events(streamed)] == [1]
        assert JSON in plain.headers
        assert json.loads(plain.body)["id"] == 2

    served(story)


def test_what_needs_no_answer_is_accepted_and_reaches_the_process() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}

        assert (await client.post(told, session)).status == 202
        answer = json.loads((await client.post(call(1), session)).body)
        assert told in answer["result"]["heard"]

    served(story)


def test_a_batch_is_answered_as_one() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        answered = await client.post([call(1), call("a")], session)

        assert [answer["id"] for answer in json.loads(answered.body)] == [1, "a"]

    served(story)


def test_one_id_for_everything_is_answered_every_time() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        calls = [client.post(call(1), session) for _ in range(5)]
        answers = [json.loads(a.body) for a in await asyncio.gather(*calls)]

        assert [answer["id"] for answer in answers] == [1] * 5
        assert len({len(answer["result"]["heard"]) for answer in answers}) == 5

    served(story)


def test_a_request_of_the_servers_comes_on_the_stream_that_waits() -> None:
    sampling = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}

    async def story(client: Client) -> None:
        session = await client.opened()
        answered = await client.post(call(1, say=[sampling]), session, BOTH)

        assert events(answered)[0] == sampling
        assert events(answered)[1]["id"] == 1

    served(story)


def test_what_nobody_waits_for_is_kept_for_the_standing_stream() -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}

    async def story(client: Client) -> None:
        session = await client.opened()
        waiting = [
            asyncio.ensure_future(
                client.post(call(n, wait=True), session, BOTH, leaves_after=0.5)
            )
            for n in (1, 2)
        ]
        await asyncio.sleep(0.1)
        standing = asyncio.ensure_future(
            client.post(b"", session, BOTH, method="GET", leaves_after=0.5)
        )
        await asyncio.sleep(0.1)
        await client.post(call(3, say=[notice]), session)

        assert events(await standing) == [notice]
        for stream in waiting:
            assert events(await stream) == []

    served(story)


def test_calls_of_all_stateless_clients_are_answered_by_one_process() -> None:
    async def story(client: Client) -> None:
        calls = [client.stateless(1) for _ in range(5)]
        answers = await asyncio.gather(*calls)

        assert [answer["id"] for answer in answers] == [1] * 5
        assert len({answer["result"]["pid"] for answer in answers}) == 1

    served(story)


def test_progress_of_a_stateless_call_makes_its_answer_a_stream() -> None:
    progress = {"method": "notifications/progress", "params": {"progressToken": "{id}"}}

    async def story(client: Client) -> None:
        answered = await client.call(7, {"say": [progress]})

        assert EVENTS in answered.headers
        assert [m.get("id") for m in events(answered)] == [None, 7]
        assert events(answered)[0]["params"] == {"progressToken": 7}

    served(story)


@pytest.mark.parametrize(
    ("code", "status"), [(-32601, 404), (-32602, 400), (-32021, 400), (-32603, 200)]
)
def test_an_error_of_the_stateless_era_has_its_status(code: int, status: int) -> None:
    error = {"error": {"code": code, "message": "no"}}

    async def story(client: Client) -> None:
        answered = await client.call(1, {"answer": error})

        assert answered.status == status
        assert json.loads(answered.body)["error"]["code"] == code

    served(story)


def test_a_client_that_leaves_has_its_stateless_call_cancelled() -> None:
    async def story(client: Client) -> None:
        await client.call(5, {"wait": True}, leaves_after=0.2)
        *_, cancelled, _ = (await client.stateless(6))["result"]["heard"]

        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"] == {"requestId": 5}

    served(story)


def test_a_client_that_leaves_a_session_has_nothing_cancelled() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        await client.post(call(1, wait=True), session, BOTH, leaves_after=0.2)
        answer = json.loads((await client.post(call(2), session)).body)

        methods = [message["method"] for message in answer["result"]["heard"]]
        assert methods == ["initialize", "tools/call", "tools/call"]

    served(story)


def test_a_cancellation_names_the_request_as_the_process_knows_it() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        waiting = asyncio.ensure_future(
            client.post(call("x", wait=True), session, BOTH, leaves_after=0.5)
        )
        await asyncio.sleep(0.1)
        await client.post({**told, "params": {"requestId": "x"}}, session)
        heard = json.loads((await client.post(call(2), session)).body)["result"][
            "heard"
        ]
        await waiting

        assert heard[1]["id"] == heard[2]["params"]["requestId"] != "x"

    served(story)


def test_a_process_that_dies_leaves_an_error_and_no_session() -> None:
    async def story(client: Client) -> None:
        session = await client.opened()
        answered = await client.post(call(1, die=True), session, BOTH)

        assert events(answered)[0]["error"]["message"] == "the server has ended"
        assert (await client.post(call(2), session)).status == 404

    served(story)


def test_the_process_of_all_is_started_again_once_it_has_died() -> None:
    async def story(client: Client) -> None:
        before = (await client.stateless(1))["result"]["pid"]
        assert "error" in await client.stateless(2, die=True)
        assert (await client.stateless(3))["result"]["pid"] != before

    served(story)


def test_a_command_that_cannot_be_started_is_an_error_to_each_request() -> None:
    async def story(client: Client) -> None:
        for answered in (
            await client.post(request(1, "initialize")),
            await client.call(1, {}),
        ):
            assert answered.status == 503
            assert "cannot be started" in json.loads(answered.body)["error"]["message"]

    served(story, command=("no-such-program",))


def test_there_are_no_more_sessions_than_are_allowed_and_idle_ones_end() -> None:
    async def full(client: Client) -> None:
        await client.opened()
        assert (await client.post(request(1, "initialize"))).status == 503

    async def idle(client: Client) -> None:
        session = await client.opened()
        await asyncio.sleep(0.1)
        assert (await client.post(call(1), session)).status == 404

    served(full, most=1)
    served(idle, idle_s=0.05)


@pytest.mark.parametrize(
    ("body", "headers", "method", "status"),
    [
        (call(1), [], "POST", 400),
        (call(1), [(SESSION, b"0")], "POST", 404),
        (request(1, "initialize"), [(SESSION, b"0")], "POST", 400),
        ([request(1, "initialize")], [], "POST", 400),
        (b"{", [], "POST", 400),
        (b"[]", [], "POST", 400),
        (b"[1]", [], "POST", 400),
        (b"\xff", [], "POST", 400),
        (call(1), [(b"mcp-protocol-version", b"new")], "POST", 400),
        (b"", [], "GET", 400),
        (b"", [(SESSION, b"0")], "GET", 404),
        (b"", [(SESSION, b"0")], "DELETE", 404),
        (b"", [], "PUT", 405),
        (b"", [(b"mcp-protocol-version", b"2026-07-28")], "GET", 405),
        (call(1), [(b"mcp-protocol-version", b"2026-07-28")], "POST", 400),
    ],
)
def test_what_cannot_be_answered_is_refused(
    body: object, headers: list[tuple[bytes, bytes]], method: str, status: int
) -> None:
    async def story(client: Client) -> None:
        answered = await client.post(body, *headers, method=method)

        assert answered.status == status
        if method == "POST":
            with suppress(KeyError):
                assert json.loads(answered.body)["error"]["code"] < 0

    served(story, command=("no-such-program",))


def test_a_body_of_another_type_is_refused() -> None:
    async def story(client: Client) -> None:
        answered = await ask(
            client._relay, b"{}", headers=[HOST, (b"content-type", b"text/plain")]
        )

        assert answered.status == 415

    served(story)
