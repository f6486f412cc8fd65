"""MCP hosts: where each keeps its servers, and how an entry is changed there."""
