"""System-One models: small, fast, and asked typed questions about one state."""
