"""The demo's shop over HTTP, as the SDK serves it; says where it is."""

import asyncio
import socket
import sys

import uvicorn
from mcp.server import Server

from stretto.demo.server import NAME, TOOLS, _Shop
from stretto.demo.world import build


def main(seed: int) -> None:
    shop = _Shop(build(seed), TOOLS)
    server: Server = Server(
        NAME, on_list_tools=shop.list_tools, on_call_tool=shop.call_tool
    )
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
    asyncio.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
