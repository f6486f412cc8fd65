"""Making flows."""
