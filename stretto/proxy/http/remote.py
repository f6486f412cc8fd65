"""
A server at a URL in the place of a server's process.

It reads and writes pipes, and ends when its input has, so a session treats it as any
other server. What a process would be is a thread with an event loop here.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress

from stretto.proxy.http.outbound import Outbound
from stretto.proxy.http.process import LONGEST_LINE
from stretto.proxy.http.upstream import Upstream
from stretto.proxy.lines import Lines
from stretto.proxy.notes import note
from stretto.proxy.pump import CHUNK


class Remote:
    """
    A server that is spoken to over HTTP.

    Args:
        url: Where it is.
        own_headers: What every request to it says.

    Raises:
        StrettoError: that is no URL of a server.
    """

    def __init__(self, url: str, own_headers: Mapping[str, str] | None = None) -> None:
        self._upstream = Upstream(url, own_headers)
        self._hears, self.input = os.pipe()
        self.output, self._says = os.pipe()
        self._exited = threading.Event()
        self._killed_by: int | None = None
        self._loop = asyncio.new_event_loop()
        self._speaking: asyncio.Future[None] | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def wait(self) -> None:
        """Return when it has ended."""
        self._exited.wait()

    def signal(self, number: int) -> None:
        """End it as a signal would end a process."""
        if not self._exited.is_set():
            self._killed_by = number
            with suppress(RuntimeError):  # its loop is over already
                self._loop.call_soon_threadsafe(self._call_off)
        if number == signal.SIGKILL:
            self._exited.set()

    def sweep(self, _: float) -> None:
        """Leave it: it has started nothing."""

    @property
    def status(self) -> int:
        """0, or `128 + n` where signal n ended it."""
        return 0 if self._killed_by is None else 128 + self._killed_by

    def _run(self) -> None:
        runner = asyncio.Runner(loop_factory=lambda: self._loop)
        with runner, suppress(asyncio.CancelledError):
            runner.run(self._speak())
        os.close(self._hears)
        os.close(self._says)
        self._exited.set()

    async def _speak(self) -> None:
        self._speaking = asyncio.current_task()
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop.add_reader(self._hears, self._read, lines, Lines(LONGEST_LINE))
        async with self._upstream as upstream:
            outbound = Outbound(upstream, self._say)
            while (line := await lines.get()) is not None:
                await outbound.hear(line)
            await outbound.end()

    def _read(self, into: "asyncio.Queue[bytes | None]", lines: Lines) -> None:
        chunk = os.read(self._hears, CHUNK)
        for line in lines.feed(chunk):
            if not line.is_whole:
                note(f"a line of {line.size} bytes from the host is too long")
            elif line.data.strip():
                into.put_nowait(line.data)
        if not chunk:
            self._loop.remove_reader(self._hears)
            into.put_nowait(None)

    def _say(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[os.write(self._says, rest) :]

    def _call_off(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
