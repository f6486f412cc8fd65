"""A file that only grows by whole lines."""

import os
from contextlib import suppress


class LogFile:
    """
    A new file, for its owner alone to read.

    What is written reaches the kernel before `append` returns, so a proxy that is
    killed leaves whole lines, and at most the beginning of one more.

    Raises:
        FileExistsError: there is such a file already.
        OSError: it cannot be made.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._fd = os.open(path, flags, 0o600)
        self.size = 0
        """How many bytes have been added."""

    def append(self, lines: bytes) -> None:
        """
        Add `lines`, each with its line feed.

        Raises:
            OSError: it could not; the lines that fit whole are there, nothing else.
        """
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as cause:
            written = len(lines) - len(rest)
            self.size += lines.rfind(b"\n", 0, written) + 1
            with suppress(OSError):
                os.ftruncate(self._fd, self.size)
            raise OSError(cause.errno, cause.strerror, self._path) from cause
        self.size += len(lines)

    def close(self) -> None:
        """
        Put everything on the disk, and let go of the file.

        Raises:
            OSError: the disk would not take it.
        """
        try:
            os.fsync(self._fd)
        except OSError as cause:
            raise OSError(cause.errno, cause.strerror, self._path) from cause
        finally:
            os.close(self._fd)
