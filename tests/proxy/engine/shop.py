"""A small server, a flow for it, and the messages of a session with it."""

import json
from collections.abc import Mapping

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Decider
from stretto.flow.flow import Flow
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from tests.proxy.engine.desk import Desk
from tests.toys import SHOP, Script, taught

ORDERS = {"orders": ["W1", "W2", "W3"]}


def order(name: str) -> tuple[str, dict, dict]:
    return "get", {"id": name}, {"id": name, "status": "sent"}


def learned(prefix: str = "") -> Flow:
    """What sessions teach in which the orders found are read one after the other."""

    def session(name: str) -> Episode:
        calls = [("find", {"email": "a@b.c"}, ORDERS), *map(order, ORDERS["orders"])]
        script = Script().user("hello")
        for tool, *rest in [*calls, ("cancel", {"id": "W1"}, "ok")]:
            script.turn((prefix + tool, *rest))
        return script.reply().episode(name)

    kinds = {prefix + tool: kind for tool, kind in SHOP.tools.items()}
    return taught([session(name) for name in "abcdefgh"], Manifest("shop", kinds)).flow


FLOW = learned()
"""After `find` it reads the orders found, one after the other; `cancel` is a write."""


def engine(
    flow: Flow = FLOW, by: Decider | None = None, /, **settings: object
) -> Engine:
    """An engine with the flow's habit, unless another decider is given."""
    chosen = decider(flow, "habit") if by is None else by
    return Engine(flow, chosen, Serving("tst", **settings))


def desk(*args: object, serves=None, answers=None, **settings: object) -> Desk:
    """A desk with such an engine; by default the server answers every lookup."""
    serves = answered if serves is None else serves
    return Desk(engine(*args, **settings), serves, answers or (lambda _: None))


def silent(_: dict) -> None:
    """A server that does not answer lookups."""


def answered(request: dict) -> dict | None:
    """The server's answer to a lookup."""
    if request["method"] != "tools/call":
        return None
    name = request["params"]["arguments"].get("id")
    return result(request["id"], {"id": name, "status": "sent"})


def call(id: object, tool: str = "find", /, **arguments: object) -> dict:
    """The agent's call."""
    given = arguments or {"email": "a@b.c"}
    params = {"name": tool, "arguments": given}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def result(id: object, content: object = ORDERS, /, **more: object) -> dict:
    """A successful result: one text."""
    text = content if isinstance(content, str) else json.dumps(content)
    said = {"content": [{"type": "text", "text": text}], **more}
    return {"jsonrpc": "2.0", "id": id, "result": said}


def error(id: object, message: str = "no such method") -> dict:
    """A request refused."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}}


def cancelled(id: object) -> dict:
    """A request withdrawn."""
    params = {"requestId": id}
    method = "notifications/cancelled"
    return {"jsonrpc": "2.0", "method": method, "params": params}


def tool(name: str, hint: bool | None = True, **more: object) -> dict:
    """A tool as a server lists it."""
    said: dict = {"name": name, "inputSchema": {"type": "object"}, **more}
    return said if hint is None else said | {"annotations": {"readOnlyHint": hint}}


def listing(id: object, *tools: Mapping, cursor: str | None = None, **more) -> dict:
    """A page of the server's list."""
    page: dict = {"tools": [*tools], **more}
    if cursor is not None:
        page["nextCursor"] = cursor
    return {"jsonrpc": "2.0", "id": id, "result": page}


def lists(desk: Desk, id: object, *tools: Mapping, **more: object) -> None:
    """The host asks what tools there are, and the server answers."""
    desk.host_says({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
    desk.server_says(listing(id, *tools, **more))


def asked(desk: Desk) -> list[dict]:
    """What the proxy asked the server for, by itself."""
    said = [json.loads(line) for line in desk.server if line[:1] == b"{"]
    return [
        m
        for m in said
        if str(m.get("id", m.get("params", {}).get("requestId"))).startswith("stretto-")
    ]


def lookups(desk: Desk) -> list[tuple[str, dict]]:
    """The lookups among that, by tool and arguments."""
    calls = [m["params"] for m in asked(desk) if m["method"] == "tools/call"]
    return [(params["name"], params["arguments"]) for params in calls]


def texts(line: bytes) -> list[str]:
    """The texts of a result that reached the host."""
    return [item["text"] for item in json.loads(line)["result"]["content"]]
