"""A small shop behind an MCP server, and the whole job done on it."""
