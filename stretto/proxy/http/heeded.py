"""What becomes of a line, and those who wait for that."""

import asyncio
from typing import NamedTuple


class Waiting(NamedTuple):
    """Somebody who waits for what becomes of a line."""

    fallback: bytes | None
    """What they get where the proxy fails; None where they have to wait on."""
    outcome: asyncio.Future[bytes | None]

    def give(self, line: bytes | None) -> None:
        """Tell them."""
        if not self.outcome.done():
            self.outcome.set_result(line)


class Heeded(NamedTuple):
    """What becomes of a line of the host's."""

    line: bytes | None
    """What the server gets; the very same object where that is unchanged."""
    answers: tuple[bytes, ...] = ()
    """What the host gets for it without the server, or for parts of it."""
    later: "asyncio.Future[bytes | None] | None" = None
    """What the host gets once it is there; None where there will be nothing."""
