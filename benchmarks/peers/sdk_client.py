"""
A call made with the client of the MCP SDK's second version:

    python sdk_client.py legacy|2026-07-28 COMMAND...
"""

import json
import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

mode, command, *arguments = sys.argv[1:]


async def main() -> None:
    """List the tools, call one, and print what the client made of the result."""
    server = stdio_client(StdioServerParameters(command=command, args=arguments))
    async with Client(server, mode=mode) as client:
        await client.list_tools()
        result = await client.call_tool("find", {"email": "a@b.c"})
    said = {
        "texts": [item.text for item in result.content],
        "structured": result.structured_content,
    }
    print(json.dumps(said))


anyio.run(main)
