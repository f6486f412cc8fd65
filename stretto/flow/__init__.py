"""The compiled thing: what a flow holds, and how it decides."""
