"""Learn an agent's tool-calling habit; serve its read-only part as a flow."""

__version__ = "0.1.0"
