"""A log beside the session's own, written by a thread that the session is not."""

import os

from stretto.errors import CannotWrite
from stretto.proxy.notes import note
from stretto.proxy.pump import Outlet
from stretto.proxy.writer import Writer

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND


class LineLog:
    """
    A file that lines are added to.

    Raises:
        CannotWrite: it cannot be opened for that.
    """

    def __init__(self, path: str) -> None:
        try:
            self._fd = os.open(path, _FLAGS, 0o600)
        except OSError as cause:
            raise CannotWrite(f"{path} cannot be written: {cause.strerror}") from cause
        gone = f"{path} takes no more, and what is said from here on is not in it"
        self._writer = Writer(Outlet(self._fd, lambda: note(gone)))

    def put(self, line: bytes) -> None:
        """Add a line; does not wait."""
        self._writer.put(line)

    def wait(self) -> None:
        """Wait until all lines are in the file, or it takes no more."""
        self._writer.wait()

    def close(self) -> None:
        """Wait for that, and close the file."""
        self._writer.wait()
        self._writer.end()
        os.close(self._fd)
