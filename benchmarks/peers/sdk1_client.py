"""A call made with the client of the MCP SDK's first version: `COMMAND...`."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

command, *arguments = sys.argv[1:]


async def main() -> None:
    """List the tools, call one, and print what the client made of the result."""
    server = StdioServerParameters(command=command, args=arguments)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.list_tools()
        result = await session.call_tool("find", {"email": "a@b.c"})
    said = {
        "texts": [item.text for item in result.content],
        "structured": result.structuredContent,
    }
    print(json.dumps(said))


asyncio.run(main())
