"""A call made with FastMCP's client, which makes objects of schemas: `COMMAND...`."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

command, *arguments = sys.argv[1:]


async def main() -> None:
    """List the tools, call one, and print what the client made of the result."""
    async with Client(StdioTransport(command, arguments)) as client:
        await client.list_tools()
        result = await client.call_tool("find", {"email": "a@b.c"})
    said = {
        "texts": [item.text for item in result.content],
        "structured": result.structured_content,
    }
    print(json.dumps(said))


asyncio.run(main())
