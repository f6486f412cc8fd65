"""How much a flow may do, unless who serves it says otherwise."""

PER_CALL = 8
"""Lookups behind one of the agent's calls."""

PER_SESSION = 40
"""Lookups in one session."""
