"""What the proxy tells the people who run it: one line on standard error."""

import os
from contextlib import suppress


def note(text: str) -> None:
    """Say `text`; nobody has to be listening."""
    with suppress(OSError):
        os.write(2, f"stretto-proxy: {text}\n".encode(errors="replace"))
