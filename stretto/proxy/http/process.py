"""A server's process, talked to from an event loop."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from stretto.proxy.child import Child
from stretto.proxy.lines import Lines
from stretto.proxy.notes import note
from stretto.proxy.pump import CHUNK, Outlet

LONGEST_LINE = 64 * 2**20
"""How many bytes a line may have; what is longer cannot be passed on."""
GRACE_S = 5.0

_LINGERING_S = 0.5
"""How long what a server said last may take to come after its end."""


class Process:
    """
    A server that has been started. To be made on the main thread's event loop.

    Args:
        command: The server's.
        hears: Called with each line that it says, without its end.
        on_silence: Called once, when it will say nothing more.

    Raises:
        CannotStart: there is no such program, or it may not be run.
    """

    def __init__(
        self,
        command: Sequence[str],
        hears: Callable[[bytes], None],
        on_silence: Callable[[], None],
    ) -> None:
        self._child = Child(command)
        self._hears, self._on_silence = hears, on_silence
        self._loop = asyncio.get_running_loop()
        self._lines = Lines(LONGEST_LINE)
        self._unsent = bytearray()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._exited = asyncio.Event()
        self._ending: asyncio.Future[int] | None = None
        self._is_closed = self._is_silent = False
        os.set_blocking(self._child.input, False)
        os.set_blocking(self._child.output, False)
        self._loop.add_reader(self._child.output, self._read)
        threading.Thread(target=self._wait, daemon=True).start()

    def write(self, line: bytes) -> None:
        """Say a line, given without its end; nothing if it no longer reads."""
        if self._is_closed:
            return
        self._unsent += line + b"\n"
        self._flush()

    async def room(self) -> None:
        """Return when it has read all that was said."""
        await self._has_room.wait()

    async def end(self, grace_s: float = GRACE_S) -> int:
        """
        Its exit status, once it is gone with everything that it started.

        It is told to end by the end of its input, then by a signal, then it is killed;
        it has `grace_s` seconds after each.
        """
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end(grace_s))
        return await asyncio.shield(self._ending)

    async def _end(self, grace_s: float) -> int:
        self._close_input()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self._child.signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._exited.wait(), grace_s)
                break
        await asyncio.to_thread(self._child.sweep, grace_s)
        self._stop_reading()
        self._child.close()
        return self._child.status

    def _wait(self) -> None:
        self._child.wait()
        with suppress(RuntimeError):  # the loop may be over
            self._loop.call_soon_threadsafe(self._see_exit)

    def _see_exit(self) -> None:
        self._exited.set()
        # Something that it started may keep its output open for ever.
        self._loop.call_later(_LINGERING_S, self._give_up)

    def _give_up(self) -> None:
        self._stop_reading()
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end(GRACE_S))

    def _read(self) -> None:
        try:
            chunk = os.read(self._child.output, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        for line in self._lines.feed(chunk):
            if line.is_whole:
                self._hears(line.data)
            else:
                note(f"a line of {line.size} bytes from the server is too long")
        if not chunk:
            self._stop_reading()

    def _stop_reading(self) -> None:
        if not self._is_silent:
            self._is_silent = True
            self._loop.remove_reader(self._child.output)
            self._on_silence()

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._child.input, self._unsent)]
        except BlockingIOError:
            self._has_room.clear()
            self._loop.add_writer(self._child.input, self._flush)
            return
        except OSError:
            self._close_input()
        self._has_room.set()
        self._loop.remove_writer(self._child.input)

    def _close_input(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._unsent.clear()
        self._has_room.set()
        self._loop.remove_writer(self._child.input)
        Outlet(self._child.input, on_broken=lambda: None).close()
