"""Outside records, read as episodes."""
