"""The conversation beside a session: a file that the host adds lines to."""

import os
from typing import NamedTuple


class _Place(NamedTuple):
    """Up to where a file was read, and which file that was."""

    inode: int
    offset: int


class Context:
    """
    A file of JSON lines `{"role", "content"}`, read as it grows.

    A line is read once it is whole. A file that is shorter than it was, or another one
    under its name, is read from its start. No file means that nothing was said.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._read = _Place(-1, 0)

    def lines(self) -> list[bytes]:
        """The lines that are new, each with its line feed; blank ones are left out."""
        try:
            with open(self._path, "rb") as file:
                new = self._rest(file.fileno())
        except OSError:
            return []
        return [line + b"\n" for line in new.split(b"\n") if line.strip()]

    def _rest(self, fd: int) -> bytes:
        """What was added, up to its last line feed."""
        found = os.fstat(fd)
        is_same = found.st_ino == self._read.inode
        offset = self._read.offset if is_same else 0
        if found.st_size < offset:
            offset = 0
        new = os.pread(fd, found.st_size - offset, offset)
        new = new[: new.rfind(b"\n") + 1]
        self._read = _Place(found.st_ino, offset + len(new))
        return new
