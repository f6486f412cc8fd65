"""
A relay that copies bytes and reads none: what a hop costs in Python at the least.

`python -m benchmarks.copying PORT TO_PORT` listens at one port of this machine, and
connects each connection to another.
"""

import asyncio
import sys


class Copy(asyncio.Protocol):
    """One side of a connection."""

    def __init__(self, other: "Copy | None" = None, to: int = 0) -> None:
        self.other, self._to = other, to
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self.other is None:
            self._connecting = asyncio.ensure_future(self._connect())

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self._early.append(data)
        else:
            self.other.transport.write(data)

    def connection_lost(self, _: Exception | None) -> None:
        if self.other is not None:
            self.other.transport.close()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        _, self.other = await loop.create_connection(
            lambda: Copy(self), "127.0.0.1", self._to
        )
        self.other.transport.writelines(self._early)


async def main(port: int, to: int) -> None:
    """Copy for ever."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Copy(to=to), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
