"""A session at the shop in which an order is cancelled before it is read, and after."""

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
ORDERS = build(7).orders.values()
ORDER = next(o.order_id for o in ORDERS if o.status == "processing")


async def main() -> None:
    """Cancel, read, cancel again; print what the agent is given to read."""
    async with Client(stdio_client(PROXIED), mode="legacy") as client:
        for tool in ("cancel_order", "get_order", "cancel_order"):
            given = {"order_id": ORDER, "reason": "no longer needed"}
            if tool == "get_order":
                del given["reason"]
            answer = await client.call_tool(tool, given)
            print(f"{tool}: {answer.content[0].text}")


anyio.run(main)
