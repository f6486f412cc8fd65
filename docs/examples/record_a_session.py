"""One session with the shop's server, recorded by the proxy in front of it."""

import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

INSTALLED = Path(sys.executable).parent
SERVER = str(INSTALLED / "stretto-mcp-demo")
PROXIED = StdioServerParameters(
    command=str(INSTALLED / "stretto-proxy"),
    args=["--record", "sessions", "--domain", "shop", "--", SERVER],
)


async def main() -> None:
    """Ask the shop for a customer who does not exist."""
    async with Client(stdio_client(PROXIED), mode="legacy") as client:
        tools = await client.list_tools()
        print(f"{len(tools.tools)} tools")
        email = {"email": "nobody@example.com"}
        found = await client.call_tool("find_customer", email)
        print(found.content[0].text)


anyio.run(main)
