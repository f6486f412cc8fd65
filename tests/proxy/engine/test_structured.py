"""Lookups in structured results: seen by hosts that show no text, and still valid."""

import json

import anyio
import jsonschema
import pytest
from mcp import ClientSession
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, jsonrpc_message_adapter

from stretto.proxy.schema import RESERVED, Room, room
from stretto.proxy.serving import Structured
from stretto.traces.appended import HEADER
from tests.proxy.engine.desk import Desk
from tests.proxy.engine.shop import (
    ORDERS,
    answered,
    call,
    desk,
    engine,
    lists,
    result,
    silent,
    tool,
)

OPEN = {
    "type": "object",
    "properties": {"orders": {"type": "array"}},
    "required": ["orders"],
}
CLOSED = {**OPEN, "additionalProperties": False}
UNCLEAR = {**CLOSED, "allOf": [{"required": ["orders"]}]}


def found(at: Desk, schema: object = None, content: object = ORDERS) -> dict:
    """What the host gets for `find`, listed with a schema."""
    more = {} if schema is None else {"outputSchema": schema}
    lists(at, 9, tool("find", **more), tool("get"), tool("cancel", False))
    at.host_says(call(1))
    at.server_says(result(1, structuredContent=content))
    return json.loads(at.host[-1])["result"]


def listed(at: Desk, name: str = "find") -> dict:
    """A tool as the host was told."""
    tools = json.loads(at.host[0])["result"]["tools"]
    return next(t for t in tools if t["name"] == name)


@pytest.mark.parametrize("schema", [None, OPEN, {**OPEN, "additionalProperties": True}])
def test_an_object_that_may_hold_more_holds_the_lookups_too(schema: object):
    at = desk()

    said = found(at, schema)

    added = said["content"][1]["text"]
    assert added.startswith(HEADER)
    assert said["structuredContent"] == {**ORDERS, RESERVED: added}
    assert listed(at).get("outputSchema") == schema
    assert at.engine.counts["in text alone"] == 0


@pytest.mark.parametrize("closing", ["additionalProperties", "unevaluatedProperties"])
def test_a_closed_schema_is_given_the_key_in_the_list_and_the_result_fits(closing: str):
    schema = {**OPEN, closing: False}
    at = desk()

    said = found(at, schema)

    told = listed(at)["outputSchema"]
    jsonschema.Draft202012Validator.check_schema(told)
    jsonschema.validate(
        said["structuredContent"], told, jsonschema.Draft202012Validator
    )
    jsonschema.validate(ORDERS, told, jsonschema.Draft202012Validator)
    assert RESERVED in said["structuredContent"]
    del told["properties"][RESERVED]
    assert told == schema


def test_a_closed_schema_without_properties_is_given_some():
    at = desk()

    said = found(at, {"type": "object", "additionalProperties": False}, {})

    told = listed(at)["outputSchema"]
    assert [*told["properties"]] == [RESERVED]
    jsonschema.validate(said["structuredContent"], told)


@pytest.mark.parametrize(
    "schema",
    [
        UNCLEAR,
        {**OPEN, "additionalProperties": {"type": "string"}},
        {**OPEN, "maxProperties": 1},
        {**OPEN, "patternProperties": {"^_": False}},
        {"$ref": "#/$defs/x", "$defs": {"x": CLOSED}},
        {**CLOSED, "properties": {RESERVED: {"type": "integer"}}},
        {**CLOSED, "properties": 7},
        True,
    ],
)
def test_behind_a_schema_that_may_forbid_the_key_lookups_are_text_alone(schema: object):
    at = desk()

    said = found(at, schema)

    assert listed(at)["outputSchema"] == schema
    assert said["structuredContent"] == ORDERS
    assert said["content"][1]["text"].startswith(HEADER)
    assert at.engine.counts["in text alone"] == 1


@pytest.mark.parametrize("content", [[1], "text", None, 7])
def test_structured_content_that_is_no_object_is_left_alone(content: object):
    said = found(desk(), None, content)

    assert said["structuredContent"] == content
    assert len(said["content"]) == 2


def test_a_key_of_that_name_of_the_servers_own_is_left_alone():
    said = found(desk(), None, {RESERVED: 1})

    assert said["structuredContent"] == {RESERVED: 1}


def test_a_host_that_may_know_another_schema_is_given_text_alone():
    at = desk()
    at.host_says(call(1))
    at.server_says(result(1, structuredContent=ORDERS))

    assert json.loads(at.host[0])["result"]["structuredContent"] == ORDERS


def test_only_the_list_of_tools_that_may_be_followed_is_changed():
    at = desk()
    lists(
        at,
        9,
        tool("find", outputSchema=CLOSED, note=1.0),
        tool("cancel", False, outputSchema=CLOSED),
        ttlMs=5,
        cacheScope="public",
    )

    assert RESERVED in listed(at)["outputSchema"]["properties"]
    assert listed(at, "cancel")["outputSchema"] == CLOSED
    page = json.loads(at.host[0])["result"]
    assert (page["ttlMs"], page["cacheScope"]) == (5, "public")
    assert b'"note": 1.0' in at.host[0]


def test_of_two_tools_of_one_name_the_last_listed_says_what_results_may_hold():
    at = desk()
    lists(
        at,
        9,
        tool("find", outputSchema=UNCLEAR),
        tool("find", outputSchema=CLOSED),
        tool("get"),
    )
    at.host_says(call(1))
    at.server_says(result(1, structuredContent=ORDERS))

    first, last, _ = json.loads(at.host[0])["result"]["tools"]
    assert first["outputSchema"] == UNCLEAR
    said = json.loads(at.host[1])["result"]
    jsonschema.validate(said["structuredContent"], last["outputSchema"])
    assert RESERVED in said["structuredContent"]


def test_every_page_of_the_list_is_changed():
    at = desk()
    lists(at, 8, tool("get", outputSchema=CLOSED), cursor="2")
    at.host_says(
        {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {"cursor": "2"}}
    )
    second = {"tools": [tool("find", outputSchema=CLOSED)]}
    at.server_says({"jsonrpc": "2.0", "id": 9, "result": second})

    told = [json.loads(page)["result"]["tools"][0] for page in at.host]
    assert all(RESERVED in t["outputSchema"]["properties"] for t in told)


@pytest.mark.parametrize(
    "settings", [{"structured": Structured.TEXT}, {"shadow": True}]
)
def test_a_list_nobody_needs_room_in_passes_as_it_is(settings: dict):
    at = desk(serves=silent, **settings)
    lists(at, 9, tool("find", outputSchema=CLOSED))

    assert listed(at)["outputSchema"] == CLOSED


def test_as_text_alone_structured_content_stays_as_it_is():
    said = found(desk(structured=Structured.TEXT), OPEN)

    assert said["structuredContent"] == ORDERS
    assert len(said["content"]) == 2


def test_stripped_a_result_with_lookups_has_no_structured_content_or_schema():
    at = desk(structured=Structured.STRIP)

    said = found(at, CLOSED)

    assert "outputSchema" not in listed(at)
    assert [*said] == ["content"]


def test_stripped_a_result_keeps_what_the_host_may_still_expect():
    at = desk(structured=Structured.STRIP)
    at.host_says(call(1))
    at.server_says(result(1, structuredContent=ORDERS))

    assert json.loads(at.host[0])["result"]["structuredContent"] == ORDERS


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([], 1),
        ([{"type": "image", "data": "", "mimeType": "image/png"}], 2),
        (None, 1),
        ("odd", 1),
        ({}, 1),
    ],
)
def test_content_of_any_shape_ends_in_the_lookups(content: object, expected: int):
    at = desk()
    at.host_says(call(1))
    said = {"content": content, "structuredContent": ORDERS}
    at.server_says({"jsonrpc": "2.0", "id": 1, "result": said})

    # Without text, what the agent read is the structured content.
    items = json.loads(at.host[0])["result"]["content"]
    assert len(items) == expected
    assert items[-1]["text"].startswith(HEADER)


def test_a_result_without_content_is_given_some():
    at = desk()
    at.host_says(call(1))
    at.server_says(
        b'{"id":1,"jsonrpc":"2.0","result":{"structuredContent":{"orders":["W1"]}}}\r\n'
    )

    [said] = at.host
    assert said.startswith(
        b'{"id":1,"jsonrpc":"2.0","result":{"structuredContent":{"orders":["W1"]},'
        b'"content":[{"type":"text","text":"---'
    )
    assert said.endswith(b'"}]}}\r\n')


def test_all_but_what_is_added_keeps_its_spelling():
    said = (
        b' {"id": 1, "result" : {"n": 1e2, "big": 123456789012345678901234567890,\t'
        b'"k": 1, "k": 2, "content":[ {"text": "{\\"orders\\": [\\"W\\u0031\\"]}", '
        b'"type": "text"}  ] , "_meta": {"z": "\\/\xc3\xa9"}}, "jsonrpc": "2.0"} \r\n'
    )
    at = desk()
    at.host_says(call(1))
    at.server_says(said)

    [answer] = at.host
    cut = said.index(b'] , "_meta"')
    assert answer.startswith(said[:cut] + b',{"type":"text","text":"---')
    assert answer.endswith(b'"}' + said[cut:])


def test_what_a_schema_leaves_open():
    assert room(None) is room({}) is room(OPEN) is Room.OPEN
    assert room(CLOSED) is Room.CLOSED
    assert room(UNCLEAR) is room(False) is Room.UNCLEAR


@pytest.mark.parametrize("schema", [OPEN, CLOSED, UNCLEAR, None])
@pytest.mark.parametrize("structured", [*Structured])
def test_the_sdks_client_accepts_a_result_with_lookups(schema, structured):
    more = {} if schema is None else {"outputSchema": schema}
    serves = Server([tool("find", **more), tool("get")])
    at = Desk(engine(structured=structured), answered)

    said = anyio.run(through_the_sdk, at, serves)

    assert said.content[-1].text.startswith(HEADER)


class Server:
    """A server of the era that begins with a handshake."""

    def __init__(self, tools: list[dict]) -> None:
        self.tools = tools

    def answer(self, request: dict) -> dict | None:
        match request.get("method"):
            case "initialize":
                said = {
                    "protocolVersion": request["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "shop", "version": "1"},
                }
                return {"jsonrpc": "2.0", "id": request["id"], "result": said}
            case "tools/list":
                said = {"tools": self.tools}
                return {"jsonrpc": "2.0", "id": request["id"], "result": said}
            case "tools/call":
                return result(request["id"], structuredContent=ORDERS)
        return None


async def through_the_sdk(at: Desk, server: Server) -> CallToolResult:
    """What the SDK's client makes of a call's result, once it has read the list."""
    to_host, from_engine = anyio.create_memory_object_stream(100)
    to_engine, from_host = anyio.create_memory_object_stream(100)

    async def pump() -> None:
        async for message in from_host:
            said = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            at.host_says(said.encode() + b"\n")
            if (answer := server.answer(json.loads(said))) is not None:
                at.server_says(answer)
            for text in at.host:
                parsed = jsonrpc_message_adapter.validate_json(text)
                await to_host.send(SessionMessage(parsed))
            at.host.clear()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump)
        async with ClientSession(from_engine, to_engine) as client:
            with anyio.fail_after(5):
                await client.initialize()
                await client.list_tools()
                said = await client.call_tool("find", {"email": "a@b.c"})
        tasks.cancel_scope.cancel()
    for stream in (to_host, from_engine, to_engine, from_host):
        stream.close()
    return said
