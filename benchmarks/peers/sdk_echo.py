"""A server of the MCP SDK's over HTTP that says again what it is given: its port."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo", log_level="WARNING")


@server.tool(structured_output=False)
def echo(text: str) -> str:
    """Say it again."""
    return text


server.run("streamable-http", port=int(sys.argv[1]))
