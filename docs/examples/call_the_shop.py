"""One session with the shop's server, and the proxy in front of it as one likes."""

import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from stretto.demo.world import build

INSTALLED = Path(sys.executable).parent
SERVER = [str(INSTALLED / "stretto-mcp-demo"), "--seed", "7"]
PROXIED = StdioServerParameters(
    command=str(INSTALLED / "stretto-proxy"), args=[*sys.argv[1:], "--", *SERVER]
)
CUSTOMER = max(build(7).customers.values(), key=lambda c: len(c.order_ids))


async def main() -> None:
    """Find a customer, and print what the agent is given to read."""
    async with Client(stdio_client(PROXIED), mode="legacy") as client:
        await client.list_tools()
        found = await client.call_tool("find_customer", {"email": CUSTOMER.email})
        print("\n\n".join(item.text for item in found.content))


anyio.run(main)
