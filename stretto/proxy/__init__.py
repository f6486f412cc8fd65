"""What stands between a host and one MCP server: bytes pass, and a log is kept."""
