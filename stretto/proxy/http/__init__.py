"""MCP over Streamable HTTP: with a host that listens for, a server that is at a URL."""
