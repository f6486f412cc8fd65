"""A flow served to hosts over HTTP: what they get, and what the server is asked."""

import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stretto.proxy.actions import Action, Forward, Record, Send, Side
from stretto.proxy.appendix import HEADER
from stretto.proxy.engine import Engine
from stretto.proxy.entry import Sender
from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.served import ServedLane
from stretto.proxy.schema import RESERVED
from tests.proxy.engine.shop import (
    ORDERS,
    call,
    cancelled,
    listing,
    result,
    texts,
    tool,
)
from tests.proxy.http.asked import EVENTS, JSON, Made
from tests.proxy.http.simulated import (
    Desk,
    each,
    events,
    in_session,
    repeating,
    simulated,
    stateless,
    told,
)

IN = in_session("s1")
LIST = {"jsonrpc": "2.0", "id": "l", "method": "tools/list"}


class Shop:
    """
    The shop as a server over HTTP, which remembers what it was asked.

    Args:
        answers: What it answers instead to a message, None where it does what it does.
        takes_s: How long a lookup takes it.
    """

    def __init__(
        self,
        answers: Callable[[Any], Any] = lambda _: None,
        *,
        takes_s: float = 0.0,
        is_streaming: bool = False,
    ) -> None:
        self.asked: list[tuple[str, Headers, Any]] = []
        self.left: list[Any] = []
        self._answers, self._takes_s = answers, takes_s
        self._is_streaming = is_streaming

    async def ask(self, method: str, headers: Headers, body: bytes) -> Any:
        message = json.loads(body) if body else None
        self.asked.append((method, headers, message))
        try:
            if self._takes_s and _is_own(message) and "id" in message:
                await asyncio.sleep(self._takes_s)
        except asyncio.CancelledError:
            self.left.append(message["id"])
            raise
        made = self._answers(message)
        if made is not None:
            return made
        if message is None or "id" not in message:
            return Made(status=202, headers=[])
        return self._made(served(message))

    @property
    def own(self) -> list[tuple[Headers, Any]]:
        """What the proxy asked by itself."""
        return [(headers, m) for _, headers, m in self.asked if _is_own(m)]

    @property
    def lookups(self) -> list[str]:
        """The orders that it looked up."""
        calls = [m["params"] for _, m in self.own if m["method"] == "tools/call"]
        return [params["arguments"]["id"] for params in calls]

    def _made(self, answer: Any) -> Made:
        if self._is_streaming:
            return Made(*each([answer]), headers=[EVENTS])
        return Made(json.dumps(answer).encode())


def _is_own(message: Any) -> bool:
    about = message or {}
    id = about.get("id", about.get("params", {}).get("requestId"))
    return str(id).startswith("stretto-")


def served(message: Any) -> dict:
    """What the shop answers to a request."""
    if message["method"] == "tools/list":
        return listing(message["id"], tool("find"), tool("get"), tool("cancel", False))
    if message["method"] != "tools/call":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
    if message["params"]["name"] == "find":
        return result(message["id"], ORDERS)
    order = message["params"]["arguments"].get("id")
    return result(message["id"], {"id": order, "status": "sent"})


def added(body: bytes) -> list[str]:
    """The orders in what was added to a result."""
    own, *more = texts(body)
    assert json.loads(own)
    if not more:
        return []
    assert more[0].startswith(HEADER)
    lines = [line for line in more[0].splitlines() if line.startswith("get {")]
    return [json.loads(line[4:-1])["id"] for line in lines]


ALL = ["W1", "W2", "W3"]


@pytest.mark.parametrize("is_streaming", [False, True])
def test_lookups_come_back_in_the_agents_own_result(is_streaming: bool) -> None:
    shop = Shop(is_streaming=is_streaming)

    async def story(desk: Desk) -> None:
        answered = await desk.post(call(7), IN)

        message = events(answered)[0] if is_streaming else json.loads(answered.body)
        assert message["id"] == 7
        assert added(json.dumps(message).encode()) == ALL

    desk = told(story, shop)

    assert shop.lookups == ALL
    assert [d["after"] for d in desk.logs[0].decisions] == [7] * 5
    assert [who for who, _ in desk.logs[0].said] == [
        "client", "server", *["proxy", "server"] * 3, "proxy",
    ]  # fmt: skip


def test_the_rest_of_the_event_is_as_the_server_wrote_it() -> None:
    raw = b"id: e7\nretry: 5\ndata: " + json.dumps(result(7)).encode() + b"\n\n"
    shop = Shop(lambda m: None if _is_own(m) else Made(raw, headers=[EVENTS]))

    async def story(desk: Desk) -> None:
        answered = await desk.post(call(7), IN)

        first_lines = answered.body.split(b"\n")[:3]
        assert first_lines[:2] == [b"id: e7", b"retry: 5"]
        assert added(first_lines[2].removeprefix(b"data: ")) == ALL

    told(story, shop)


def test_a_result_that_nothing_is_added_to_passes_byte_for_byte() -> None:
    raw = json.dumps(result(7), indent=1).encode()
    shop = Shop(lambda m: Made(status=500) if _is_own(m) else Made(raw))

    async def story(desk: Desk) -> None:
        assert (await desk.post(call(7), IN)).body == raw

    desk = told(story, shop)

    assert desk.counts["held"] == 1
    assert len(shop.lookups) == 1


def test_a_lookup_says_what_the_call_said_that_it_is_behind() -> None:
    shop = Shop()
    token, trace = (b"authorization", b"Bearer t"), (b"traceparent", b"00-1")

    async def story(desk: Desk) -> None:
        await desk.post(call(7), IN, token, trace, (b"mcp-protocol-version", b"2025"))

    told(story, shop)

    for headers, message in shop.own:
        assert {IN, token, trace, (b"mcp-protocol-version", b"2025")} <= {*headers}
        assert first(headers, b"mcp-name") is None
        assert "_meta" not in message["params"]


def test_a_stateless_lookup_repeats_itself_and_not_the_call() -> None:
    schema = {"properties": {"id": {"type": "string", "x-mcp-header": "Order"}}}
    listed = listing("l", tool("find"), tool("get") | {"inputSchema": schema})
    shop = Shop(lambda m: Made(json.dumps(listed).encode()) if m["id"] == "l" else None)
    asking, finding = stateless(LIST), stateless(call(7))
    marked = (b"mcp-param-email", b"a@b.c")

    async def story(desk: Desk) -> None:
        await desk.post(asking, *repeating(asking))
        answered = await desk.post(finding, *repeating(finding), marked)

        assert added(answered.body) == ALL

    told(story, shop)

    [(headers, message), *_] = shop.own
    assert message["params"]["_meta"] == finding["params"]["_meta"]
    assert [pair for pair in headers if pair[0].startswith(b"mcp-")] == [
        (b"mcp-protocol-version", b"2026-07-28"),
        (b"mcp-method", b"tools/call"),
        (b"mcp-name", b"get"),
        (b"mcp-param-order", b"W1"),
    ]


def test_what_is_before_a_held_result_on_its_stream_comes_before_it() -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
    late = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    said = each([progress, result(7), late])
    shop = Shop(lambda m: None if _is_own(m) else Made(*said, headers=[EVENTS]))

    async def story(desk: Desk) -> None:
        before, found, behind = events(await desk.post(call(7), IN))

        assert (before, behind) == (progress, late)
        assert added(json.dumps(found).encode()) == ALL

    told(story, shop)


def test_only_the_stream_of_a_held_result_waits() -> None:
    shop = Shop(takes_s=1.0)
    order: list[str] = []

    async def asks(desk: Desk, name: str, message: Any) -> None:
        await desk.post(message, IN)
        order.append(name)

    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(asks(desk, "held", call(7)))
        await asyncio.sleep(0.1)
        await asks(desk, "quick", call(8, "cancel", id="W1"))
        await held

    told(story, shop)

    assert order == ["quick", "held"]


def test_a_result_is_held_no_longer_than_its_budget() -> None:
    shop = Shop(takes_s=60.0)
    raw = json.dumps(result(7)).encode()

    async def story(desk: Desk) -> None:
        started = asyncio.get_running_loop().time()
        answered = await desk.post(call(7), IN)

        assert answered.body == raw
        assert asyncio.get_running_loop().time() - started == pytest.approx(3.0)

    desk = told(story, shop, patience_s=3.0)

    assert desk.counts["out of time"] == 1
    [lookup, cancel] = [message for _, message in shop.own]
    assert cancel["method"] == "notifications/cancelled"
    assert cancel["params"]["requestId"] == lookup["id"]
    assert shop.left == [lookup["id"]]


def test_a_stateless_lookup_is_called_off_by_leaving_it() -> None:
    shop = Shop(takes_s=60.0)
    finding = stateless(call(7))

    async def story(desk: Desk) -> None:
        answered = await desk.post(finding, *repeating(finding))
        assert len(texts(answered.body)) == 1

    told(story, shop)

    [(_, lookup)] = shop.own
    assert shop.left == [lookup["id"]]


def test_a_cancelled_call_hears_nothing_more_and_its_lookup_is_called_off() -> None:
    shop = Shop(takes_s=60.0, is_streaming=True)

    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(desk.post(call(7), IN))
        await asyncio.sleep(0.1)
        assert (await desk.post(cancelled(7), IN)).status == 202
        assert (await held).body == b""

    desk = told(story, shop)

    [lookup, cancel] = [message for _, message in shop.own]
    assert cancel["params"]["requestId"] == lookup["id"]
    assert cancelled(7) in [message for _, _, message in shop.asked]
    assert desk.counts["added to"] == 0


def test_without_a_session_a_cancellation_may_be_anybodys() -> None:
    shop = Shop(takes_s=0.5)

    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(desk.post(call(7)))
        await asyncio.sleep(0.1)
        await desk.post(cancelled(7))
        assert added((await held).body) == ALL

    told(story, shop)

    assert cancelled(7) in [message for _, _, message in shop.asked]


def test_a_client_that_leaves_a_held_result_is_not_waited_for() -> None:
    for message in (call(7), stateless(call(7))):
        shop = Shop(takes_s=60.0)

        async def story(desk: Desk, message: Any = message) -> None:
            await desk.post(message, IN, leaves_after=0.1)

        desk = told(story, shop)

        assert len(shop.lookups) == 1
        assert len(shop.left) == 1
        assert desk.logs[0].said[-1][1]["method"] == "notifications/cancelled"


def test_a_client_that_leaves_in_a_session_has_called_nothing_off() -> None:
    hanging = Made(headers=[EVENTS], hangs=True)
    later = Made(*each([result(7)]), headers=[EVENTS])
    shop = Shop(
        lambda m: later if m is None else None if _is_own(m) else hanging,
    )

    async def story(desk: Desk) -> None:
        await desk.post(call(7), IN, leaves_after=0.1)
        resumed = await desk.post(b"", IN, (b"last-event-id", b"1"), method="GET")

        [message] = events(resumed)
        assert added(json.dumps(message).encode()) == ALL

    desk = told(story, shop)

    assert [m["id"] for who, m in desk.logs[0].said if who == "client"] == [7]
    for headers, _ in shop.own:
        assert {IN, JSON} < {*headers}
        assert first(headers, b"last-event-id") is None


def test_who_leaves_a_resumed_stream_is_not_waited_for_either() -> None:
    hanging = Made(headers=[EVENTS], hangs=True)
    later = Made(*each([result(7)]), headers=[EVENTS])
    shop = Shop(
        lambda m: later if m is None else None if _is_own(m) else hanging, takes_s=60.0
    )

    async def story(desk: Desk) -> None:
        await desk.post(call(7), IN, leaves_after=0.1)
        await desk.post(b"", IN, method="GET", leaves_after=0.1)

    desk = told(story, shop)

    assert len(shop.left) == 1
    assert desk.counts["added to"] == 0
    assert desk.logs[0].said[-1][1]["method"] == "notifications/cancelled"


def test_sessions_know_nothing_of_each_other() -> None:
    shop = Shop()

    async def story(desk: Desk) -> None:
        first = await desk.post(call(7), IN)
        again = await desk.post(call(7), IN)
        other = await desk.post(call(7), in_session("s2"))

        assert [added(a.body) for a in (first, again, other)] == [ALL, [], ALL]

    desk = told(story, shop)

    assert len(desk.logs) == 2


@pytest.mark.parametrize("stated", [b"", b"..", b"a name", b"x" * 129])
def test_what_is_no_name_makes_no_session(stated: bytes) -> None:
    shop, finding = Shop(), stateless(call(7))

    async def story(desk: Desk) -> None:
        for _ in range(2):
            answered = await desk.post(
                finding, *repeating(finding), (b"stretto-session", stated)
            )
            assert added(answered.body) == ALL

    assert told(story, shop).of_sessions == {}


def test_calls_that_say_of_no_session_that_they_are_in_it_share_nothing() -> None:
    shop, finding = Shop(), stateless(call(7))
    stated = (b"stretto-session", b"mine")

    async def story(desk: Desk) -> None:
        both = [await desk.post(finding, *repeating(finding)) for _ in range(2)]
        named = [await desk.post(finding, *repeating(finding), stated) for _ in "ab"]

        assert [added(a.body) for a in both] == [ALL, ALL]
        assert [added(a.body) for a in named] == [ALL, []]

    told(story, shop)


def test_who_is_authorized_otherwise_is_in_another_session_of_that_name() -> None:
    shop, finding = Shop(), stateless(call(7))
    stated = (b"stretto-session", b"mine")

    async def story(desk: Desk) -> None:
        for who in (b"Bearer a", b"Bearer b"):
            answered = await desk.post(
                finding, *repeating(finding), stated, (b"authorization", who)
            )
            assert added(answered.body) == ALL

    assert len(told(story, shop).logs) == 2


def test_what_the_server_lists_holds_for_calls_without_a_session_too() -> None:
    writes = listing("l", tool("find"), tool("get", False))
    shop = Shop(lambda m: Made(json.dumps(writes).encode()) if m["id"] == "l" else None)
    asking, finding = stateless(LIST), stateless(call(7))

    async def story(desk: Desk) -> None:
        await desk.post(asking, *repeating(asking))
        answered = await desk.post(finding, *repeating(finding))
        assert added(answered.body) == []

    desk = told(story, shop)

    assert shop.own == []
    assert "withheld" in desk.logs[0].decisions[0]


def test_a_tool_that_is_slow_is_left_alone_after_two_calls_that_waited() -> None:
    shop, finding = Shop(takes_s=60.0), stateless(call(7))

    async def story(desk: Desk) -> None:
        for _ in range(4):
            await desk.post(finding, *repeating(finding))

    desk = told(story, shop)

    assert len(shop.lookups) == 2
    withheld = [d["withheld"] for d in desk.logs[0].decisions if "withheld" in d]
    assert withheld == ["it has taken too long before"] * 2


CLOSED = {
    "type": "object",
    "properties": {"orders": {"type": "array"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize("is_named", [True, False])
def test_a_closed_schema_is_opened_only_for_who_says_which_session_it_is(
    is_named: bool,
) -> None:
    def answers(message: Any) -> Made | None:
        if message["id"] == "l":
            listed = listing("l", tool("find", outputSchema=CLOSED), tool("get"))
            return Made(json.dumps(listed).encode())
        found = result(7, ORDERS)
        found["result"]["structuredContent"] = ORDERS
        return None if _is_own(message) else Made(json.dumps(found).encode())

    headers = [IN] if is_named else []

    async def story(desk: Desk) -> None:
        listed = await desk.post(LIST, *headers)
        [found, _] = json.loads(listed.body)["result"]["tools"]
        answered = await desk.post(call(7), *headers)

        assert added(answered.body) == ALL
        content = json.loads(answered.body)["result"]["structuredContent"]
        assert (RESERVED in found["outputSchema"]["properties"]) == is_named
        assert (RESERVED in content) == is_named

    told(story, Shop(answers))


def test_an_open_id_used_again_is_told_apart_in_the_log_and_the_decisions() -> None:
    shop = Shop(takes_s=1.0)

    async def story(desk: Desk) -> None:
        answers = await asyncio.gather(*(desk.post(call(1), IN) for _ in range(2)))
        assert [json.loads(a.body)["id"] for a in answers] == [1, 1]

    desk = told(story, shop)

    [log] = desk.logs
    assert [m["id"] for who, m in log.said if who == "client"] == [1, "1#2"]
    assert {d["after"] for d in log.decisions} == {1, "1#2"}


def _breaks(_: Any) -> Made:
    return Made(b'data: {"half', headers=[EVENTS], breaks=True)


def _nobody(_: Any) -> Made:
    raise Unreachable("nobody is there")


@pytest.mark.parametrize(
    "fails",
    [
        _breaks,
        _nobody,
        lambda _: Made(status=404, headers=[]),
        lambda _: Made(b"no json"),
        lambda _: Made(b" " * 2**24, b"{}"),
        lambda _: Made(b'{"id":7,"result":{}}'),
    ],
)
def test_a_lookup_that_is_not_answered_holds_nothing_up(fails: Any) -> None:
    shop = Shop(lambda m: fails(m) if _is_own(m) else None)
    raw = json.dumps(result(7)).encode()

    async def story(desk: Desk) -> None:
        started = asyncio.get_running_loop().time()
        assert (await desk.post(call(7), IN)).body == raw
        assert asyncio.get_running_loop().time() == started

    told(story, shop)


def test_a_lookups_stream_that_is_cut_off_is_taken_up_again() -> None:
    def answers(message: Any) -> Made | None:
        if message is None:
            [*_, (_, last)] = shop.own
            return Made(*each([served(last)]), headers=[EVENTS])
        if not _is_own(message):
            return None
        return Made(b"id: 1\ndata:\n\n", headers=[EVENTS])

    shop = Shop(answers)

    async def story(desk: Desk) -> None:
        assert added((await desk.post(call(7), IN)).body) == ALL

    told(story, shop)

    resumed = [headers for method, headers, _ in shop.asked if method == "GET"]
    assert [first(headers, b"last-event-id") for headers in resumed] == ["1"] * 3
    assert all(IN in headers for headers in resumed)


def test_a_lookup_that_asks_the_user_ends_the_hold() -> None:
    asks = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}}
    asking = Made(*each([asks]), headers=[EVENTS], hangs=True)
    shop = Shop(lambda m: asking if _is_own(m) and "id" in m else None)

    async def story(desk: Desk) -> None:
        started = asyncio.get_running_loop().time()
        assert added((await desk.post(call(7), IN)).body) == []
        assert asyncio.get_running_loop().time() == started

    told(story, shop)

    assert shop.own[-1][1]["method"] == "notifications/cancelled"


def test_an_answer_that_is_compressed_passes_as_it_is() -> None:
    body = gzip.compress(json.dumps(result(7)).encode())
    encoded = Made(body, headers=[JSON, (b"content-encoding", b"gzip")])
    shop = Shop(lambda _: encoded)

    async def story(desk: Desk) -> None:
        assert (await desk.post(call(7), IN)).body == body

    desk = told(story, shop)

    assert [m["id"] for _, m in desk.logs[0].said] == [7, 7]
    assert shop.own == []


def test_an_answer_to_a_lookup_on_the_agents_stream_holds_nothing_up() -> None:
    """Another request's answer there would be waited for until the end of days."""

    def answers(message: Any) -> Made | None:
        if _is_own(message):
            return Made(headers=[EVENTS], hangs=True)
        if message["id"] == 7:
            return None
        [(_, lookup), *_] = shop.own
        said = each([served(lookup), result(8, "mine")])
        return Made(*said, headers=[EVENTS])

    shop = Shop(answers)

    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(desk.post(call(7), IN))
        await asyncio.sleep(0.1)
        [message] = events(await desk.post(call(8, "cancel", id="W1"), IN))
        assert message["id"] == 8
        await held

    told(story, shop)


def test_what_breaks_in_the_proxy_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(*_: Any) -> Any:
        raise KeyError("bug")

    raw = json.dumps(result(7)).encode()
    for method in ("host_line", "server_line", "tick"):
        with monkeypatch.context() as patched:
            patched.setattr(Engine, method, breaks)

            async def story(desk: Desk) -> None:
                assert (await desk.post(call(7), IN)).body == raw

            told(story, Shop(takes_s=60.0))


def test_an_engine_that_cannot_be_made_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(*_: Any, **__: Any) -> Any:
        raise KeyError("bug")

    monkeypatch.setattr(Desk, "engine", breaks)

    async def story(desk: Desk) -> None:
        assert len(texts((await desk.post(call(7), IN)).body)) == 1

    desk = told(story, Shop())

    assert [who for who, _ in desk.logs[0].said] == ["client", "server"]


def test_what_is_held_is_given_at_once_when_the_proxy_is_to_end() -> None:
    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(desk.post(call(7), IN))
        await asyncio.sleep(0.1)
        desk.lanes.stop()
        assert added((await asyncio.wait_for(held, 0.01)).body) == []

    told(story, Shop(takes_s=60.0), hold_s=100.0, patience_s=90.0)


def test_the_end_of_a_session_gives_what_is_held_in_it() -> None:
    async def story(desk: Desk) -> None:
        held = asyncio.ensure_future(desk.post(call(7), IN))
        await asyncio.sleep(0.1)
        await desk.post(b"", IN, method="DELETE")
        assert added((await asyncio.wait_for(held, 0.01)).body) == []

    told(story, Shop(takes_s=60.0))


def test_a_session_ends_after_a_while_without_anybody_asking() -> None:
    async def story(desk: Desk) -> None:
        await desk.post(call(7), IN)
        await asyncio.sleep(9)
        desk.lanes.retire()
        await asyncio.sleep(0)
        assert not desk.logs[0].is_closed
        await asyncio.sleep(2)
        desk.lanes.retire()
        await asyncio.gather(*desk.lanes._closing)
        assert desk.logs[0].is_closed

    told(story, Shop(), idle_s=10.0)


def test_what_was_said_beside_a_session_is_in_its_log(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"role":"user","content":"where is it?"}\n')

    async def story(desk: Desk) -> None:
        await desk.post(call(7), IN)
        finding = stateless(call(7))
        await desk.post(finding, *repeating(finding))

    session, nobodys = told(story, Shop(), context=str(talk)).logs

    assert session.said[0] == ("context", {"role": "user", "content": "where is it?"})
    assert "context" not in [who for who, _ in nobodys.said]


COMMIT = "stretto_commit"
CHANGES = [{"name": "cancel", "arguments": {"id": id}} for id in ("W1", "W2")]


@pytest.mark.parametrize("dresses", [lambda message: message, stateless])
def test_a_commit_is_made_call_by_call_and_answered_by_the_proxy(
    dresses: Callable[[Any], Any],
) -> None:
    shop, committing = Shop(), dresses(call(3, COMMIT, calls=CHANGES))

    async def story(desk: Desk) -> None:
        listed = await desk.post(dresses(LIST), IN)
        assert json.loads(listed.body)["result"]["tools"][-1]["name"] == COMMIT

        answered = await desk.post(committing, IN, *repeating(committing))
        assert (answered.status, json.loads(answered.body)["id"]) == (200, 3)
        assert texts(answered.body)[0].count("cancel {") == 2

    told(story, shop, commit=True)

    assert shop.lookups == ["W1", "W2"]
    assert COMMIT not in str(shop.asked)


def test_a_cancelled_commit_makes_no_other_change() -> None:
    shop = Shop(takes_s=1.0)

    async def story(desk: Desk) -> None:
        made = asyncio.ensure_future(desk.post(call(3, COMMIT, calls=CHANGES), IN))
        await asyncio.sleep(0.5)
        await desk.post(cancelled(3), IN)
        assert ((await made).status, (await made).body) == (202, b"")

    told(story, shop, commit=True)

    assert shop.lookups == ["W1"]


def test_a_commit_is_called_off_by_leaving_only_where_that_calls_off() -> None:
    async def story(desk: Desk) -> None:
        committing = call(3, COMMIT, calls=CHANGES)
        await desk.post(committing, IN, leaves_after=0.5)
        await asyncio.sleep(5)

    in_a_session = Shop(takes_s=1.0)
    told(story, in_a_session, commit=True)

    async def stateless_story(desk: Desk) -> None:
        committing = stateless(call(3, COMMIT, calls=CHANGES))
        await desk.post(committing, *repeating(committing), leaves_after=0.5)
        await asyncio.sleep(5)

    without = Shop(takes_s=1.0)
    told(stateless_story, without, commit=True)

    assert in_a_session.lookups == ["W1", "W2"]
    assert without.lookups == ["W1"]


def test_a_simulated_clock_jumps() -> None:
    async def story() -> None:
        started = asyncio.get_running_loop().time()
        await asyncio.sleep(1000)
        assert asyncio.get_running_loop().time() == pytest.approx(started + 1000)

    simulated(story())


def test_a_commit_that_takes_long_keeps_its_connection_alive() -> None:
    accepts = (b"accept", b"application/json, text/event-stream")

    async def story(desk: Desk) -> None:
        committing = call(3, COMMIT, calls=CHANGES)
        streamed = await desk.post(committing, IN, accepts)
        plain = await desk.post(committing, IN)

        assert streamed.body.startswith(b": keepalive\n\n: keepalive\n\n")
        [message] = events(streamed)
        assert message["id"] == json.loads(plain.body)["id"] == 3

    told(story, Shop(takes_s=20.0), commit=True)


class Refusing:
    """An engine that answers `cancel` itself, and takes it out of batches."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def host_line(self, line: bytes, _: float, stream: str) -> list[Action]:
        said = json.loads(line)
        calls = said if isinstance(said, list) else [said]
        rest = [one for one in calls if one["params"].get("name") != "cancel"]
        refused = [result(one["id"], "no") for one in calls if one not in rest]
        told = [Send(Side.HOST, line_of(one), stream) for one in refused]
        passed = line if len(rest) == len(calls) else line_of(rest)
        kept = Record(Sender.CLIENT, line)
        return [kept, *told, *([Forward(Side.SERVER, passed, stream)] if rest else [])]

    def server_line(self, line: bytes, _: float, stream: str) -> list[Action]:
        return [Forward(Side.HOST, line, stream)]

    def closed(self, _: float) -> list[Action]:
        return []


def line_of(said: object) -> bytes:
    return json.dumps(said).encode() + b"\n"


def batched(message: Any) -> Made | None:
    """The server's answer to a batch, as one body or one event after the other."""
    answers = [served(one) for one in message]
    if message[0]["params"].get("streams"):
        return Made(*each(answers), headers=[EVENTS])
    return Made(json.dumps(answers).encode())


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("asked", ["find", "find cancel", "cancel find cancel find"])
def test_what_is_refused_of_a_batch_is_answered_with_the_rest(
    monkeypatch: pytest.MonkeyPatch, asked: str, streams: bool
) -> None:
    monkeypatch.setattr(Desk, "engine", lambda *_, **__: Refusing())
    batch = [call(n, name, x=1) for n, name in enumerate(asked.split())]
    for one in batch:
        one["params"]["streams"] = streams
    shop = Shop(batched)

    async def story(desk: Desk) -> None:
        answered = await desk.post(batch, IN)
        said = events(answered) if streams else [json.loads(answered.body)]
        answers = [one for m in said for one in (m if isinstance(m, list) else [m])]
        assert sorted(one["id"] for one in answers) == [*range(len(batch))]

    told(story, shop)

    [(_, _, sent)] = shop.asked
    assert [one["params"]["name"] for one in sent] == ["find"] * asked.count("find")


def test_what_is_refused_is_not_made_because_the_log_broke(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(*_: Any) -> Any:
        raise OSError("full")

    monkeypatch.setattr(Desk, "engine", lambda *_, **__: Refusing())
    monkeypatch.setattr(ServedLane, "keep", breaks)
    shop = Shop()

    async def story(desk: Desk) -> None:
        refused = await desk.post(call(1, "cancel", id="W1"), IN)
        assert texts(refused.body) == ["no"]
        assert len(texts((await desk.post(call(2), IN)).body)) == 1

    told(story, shop)

    assert [message["id"] for _, _, message in shop.asked] == [2]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_where_all_is_refused_the_server_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    monkeypatch.setattr(Desk, "engine", lambda *_, **__: Refusing())
    shop, calls = Shop(), [call(id, "cancel", id="W1") for id in range(n)]

    async def story(desk: Desk) -> None:
        answered = await desk.post(calls or call(0, "cancel", id="W1"), IN)
        said = json.loads(answered.body)
        assert [one["id"] for one in (said if n else [said])] == [*range(n or 1)]

    told(story, shop)

    assert shop.asked == []
