"""One call to the shop's server, with a flow between the caller and the server."""

import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

INSTALLED = Path(sys.executable).parent
SERVER = [str(INSTALLED / "stretto-mcp-demo"), "--seed", "7"]
PROXIED = StdioServerParameters(
    command=str(INSTALLED / "stretto-proxy"),
    args=["--flow", "shop.flow.json", "--", *SERVER],
)


async def main() -> None:
    """Ask the shop for a customer, and print all that comes back."""
    async with Client(stdio_client(PROXIED), mode="legacy") as client:
        await client.list_tools()
        email = {"email": "vera.rossi@example.org"}
        found = await client.call_tool("find_customer", email)
        for item in found.content:
            print(item.text)


anyio.run(main)
