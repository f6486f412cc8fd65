"""
A server with typed results, on standard input and output, of the SDK's:

    python typed_server.py none|open|closed|broken

What `broken` returns is not what its schema allows.
"""

import json
import sys

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server

ORDERS = {"orders": ["W1", "W2", "W3"]}
PROPERTIES = {"orders": {"type": "array", "items": {"type": "string"}}}
OPEN = {"type": "object", "properties": PROPERTIES, "required": ["orders"]}
CLOSED = {**OPEN, "additionalProperties": False}
SCHEMAS = {"none": None, "open": OPEN, "closed": CLOSED, "broken": CLOSED}
READS = types.ToolAnnotations(read_only_hint=True)


def tool(name: str, argument: str, **more: object) -> types.Tool:
    """A tool that takes one string."""
    schema = {"type": "object", "properties": {argument: {"type": "string"}}}
    return types.Tool(name=name, input_schema=schema, annotations=READS, **more)


async def listed(*_: object) -> types.ListToolsResult:
    """The tools."""
    schema = SCHEMAS[sys.argv[1]]
    find = tool("find", "email", output_schema=schema)
    return types.ListToolsResult(tools=[find, tool("get", "id")])


async def called(
    _: object, params: types.CallToolRequestParams
) -> types.CallToolResult:
    """The orders of anybody, and any order."""
    if params.name != "find":
        order = {"id": (params.arguments or {})["id"], "status": "sent"}
        return types.CallToolResult(content=[text(order)])
    more = {"more": True} if sys.argv[1] == "broken" else {}
    return types.CallToolResult(
        content=[text(ORDERS)], structured_content={**ORDERS, **more}
    )


def text(value: object) -> types.TextContent:
    """A value as text."""
    return types.TextContent(type="text", text=json.dumps(value))


async def main() -> None:
    """Serve until the host leaves."""
    server = Server("typed", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


anyio.run(main)
