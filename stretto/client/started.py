"""A server that is started for a while, and ended with all that it started."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from stretto.client.session import Ends
from stretto.errors import CannotStart

_GRACE_S = 2.0


class Open:
    """
    What is open in any thread, for one that calls all of it off.

    Each is told in its own way to end; whoever waits for it then finds that it did.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: dict[int, Callable[[], None]] = {}
        self._is_over = False

    @contextmanager
    def holding(self, end: Callable[[], None]) -> Iterator[None]:
        """Something that is open for the length of the block, and `end` ends."""
        with self._lock:
            self._ends[id(end)] = end
            is_over = self._is_over
        try:
            if is_over:
                end()
            yield
        finally:
            with self._lock:
                del self._ends[id(end)]

    def call_off(self) -> None:
        """End all that is open, and whatever is opened from now on."""
        with self._lock:
            self._is_over = True
            ends = list(self._ends.values())
        for end in ends:
            end()


@contextmanager
def started(
    command: Sequence[str], is_open: Open | None = None, *, is_quiet: bool = False
) -> Iterator[Ends]:
    """
    A server for the length of the block; its process group is ended behind it.

    Its input is closed first. It is told to end after two seconds, and killed after
    two more.

    Args:
        is_quiet: Drops what it says on standard error, which is ours if left out.

    Raises:
        CannotStart: the command cannot be run.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if is_quiet else None,
            start_new_session=True,
        )
    except (OSError, ValueError) as cause:
        raise CannotStart(command[0], cause) from cause
    assert process.stdin is not None
    assert process.stdout is not None

    def kill() -> None:
        _signal(process, signal.SIGKILL)

    with process:
        try:
            with (is_open or Open()).holding(kill):
                yield Ends(process.stdin, process.stdout)
        finally:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
        _signal(process, number)


def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
