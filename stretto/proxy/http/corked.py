"""What is written in one turn of the event loop, sent in one piece."""

import asyncio
from typing import Any

MOST = 2**16
"""How many bytes wait for the end of the turn at most."""


class Corked(asyncio.Transport):
    """
    A transport that gathers what is written to it.

    A head and its body otherwise leave by themselves, and wake whom they are for twice.

    Args:
        transport: Where it goes at the end of the turn, or once it is flushed.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._waiting: list[bytes] = []
        self._size = 0

    def write(self, data: "bytes | bytearray | memoryview[Any]") -> None:
        """Send it by the end of the turn."""
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append(bytes(data))
        self._size += len(data)
        if self._size > MOST:
            self.flush()

    def flush(self) -> None:
        """Send what waits now."""
        if self._waiting:
            data = b"".join(self._waiting)
            self._waiting.clear()
            self._size = 0
            self._transport.write(data)

    def close(self) -> None:
        """Send what waits, and close the connection once it is sent."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._waiting.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        """Take nothing more from the client for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take on."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)
