"""The shop as an MCP server."""

import json
import random
import subprocess
import sys
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from stretto.demo.server import main, offered, served
from stretto.demo.tools import TOOLS
from stretto.demo.wire import Wire
from stretto.demo.world import build

ABOUT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@contextmanager
def process(*options: str):
    """The server as a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "stretto.demo.server", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        yield server.stdout, server.stdin
    assert server.returncode == 0


def greet(connection) -> Wire:
    wire = Wire(*connection, random.Random(0))
    wire.ask("initialize", ABOUT)
    wire.notify("notifications/initialized")
    return wire


def test_a_process_and_a_thread_answer_alike_byte_for_byte():
    options = ("--seed", "4", "--hide", "hand_over", "--hint", "get_order=none")
    tools = offered(["hand_over"], ["get_order=none"])
    logs = []
    for connection in (process(*options), served(build(4), tools=tools)):
        with connection as ends:
            wire = greet(ends)
            wire.ask("tools/list", {})
            wire.ask(
                "tools/call",
                {"name": "get_product", "arguments": {"product_id": "P-107"}},
                {"name": "get_product", "arguments": {"product_id": "P-000"}},
            )
        logs.append(wire.entries)
    assert logs[0] == logs[1]


def test_the_list_says_which_tools_read_and_which_write():
    with served(build(0)) as ends:
        [response] = greet(ends).ask("tools/list", {})
    hints = {
        tool["name"]: tool.get("annotations", {}).get("readOnlyHint")
        for tool in response["result"]["tools"]
    }
    assert hints == {name: tool.read_only for name, tool in TOOLS.items()}


def test_hidden_tools_are_gone_and_hints_can_be_changed():
    tools = offered(["hand_over"], ["get_order=none", "get_product=false"])
    with served(build(0), tools=tools) as ends:
        wire = greet(ends)
        [response] = wire.ask("tools/list", {})
        [hidden] = wire.ask("tools/call", {"name": "hand_over", "arguments": {}})
    listed = {tool["name"]: tool for tool in response["result"]["tools"]}
    assert set(TOOLS) - set(listed) == {"hand_over"}
    assert "annotations" not in listed["get_order"]
    assert listed["get_product"]["annotations"] == {"readOnlyHint": False}
    assert hidden["error"]["code"] == -32602


def test_a_refusal_is_a_result_that_says_so():
    call = {"name": "get_order", "arguments": {"order_id": "N-0"}}
    with served(build(0)) as ends:
        [response] = greet(ends).ask("tools/call", call)
    assert response["result"]["isError"] is True
    assert response["result"]["content"][0]["text"] == "there is no order N-0"


def test_a_write_is_seen_by_the_next_call_and_by_no_other_client():
    world = build(0)
    order = next(o for o in world.orders.values() if o.status == "processing")
    read = {"name": "get_order", "arguments": {"order_id": order.order_id}}
    cancel = {
        "name": "cancel_order",
        "arguments": {"order_id": order.order_id, "reason": ""},
    }
    with served(world) as ends:
        wire = greet(ends)
        wire.ask("tools/call", cancel)
        [after] = wire.ask("tools/call", read)
    with served(world) as ends:
        [elsewhere] = greet(ends).ask("tools/call", read)
    status = [
        json.loads(r["result"]["content"][0]["text"])["status"]
        for r in (after, elsewhere)
    ]
    assert status == ["cancelled", "processing"]


def test_an_unknown_method_and_an_unknown_tool_are_protocol_errors():
    with served(build(0)) as ends:
        wire = greet(ends)
        [method] = wire.ask("tools/unheard-of", {})
        [tool] = wire.ask("tools/call", {"name": "fly", "arguments": {}})
    assert method["error"]["code"] == -32601
    assert tool["error"] == {"code": -32602, "message": "there is no tool fly"}


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--hide", "fly", "no tool 'fly'"),
        ("--hint", "fly=true", "no tool 'fly'"),
        ("--hint", "get_order=maybe", "not true, false or none"),
    ],
)
def test_an_option_about_no_tool_is_a_usage_error(option, value, said):
    result = CliRunner().invoke(main, [option, value])
    assert result.exit_code == 2
    assert said in result.stderr
