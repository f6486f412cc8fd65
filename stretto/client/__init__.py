"""The client's side of an MCP server: started or reached, asked, and ended again."""
