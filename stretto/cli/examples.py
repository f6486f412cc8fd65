"""The examples at the end of a command's help."""


def example(*lines: str) -> str:
    """An epilog that shows these command lines as they are."""
    return "\n".join(["\b", "Example:", *(f"  {line}" for line in lines)])
