"""Chunks as lines, which end at a line feed and nowhere else."""

from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """A line without its line feed."""

    data: bytes
    size: int
    """How many bytes it had when it passed."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it was kept."""
        return self.size == len(self.data)


class Lines:
    """
    Puts the lines of one stream together.

    Args:
        longest: How many bytes of a line are kept. Its end is dropped as it comes, so
            that no more than this is ever held.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that `chunk` completes; at the end, an empty one, the last."""
        if not chunk:
            if self._size:
                yield self._line()
            return
        *ends, rest = chunk.split(b"\n")
        for piece in ends:
            self._add(piece)
            yield self._line()
        self._add(rest)

    def drop(self) -> None:
        """Forget the line begun."""
        self._pieces, self._size = [], 0

    def _add(self, piece: bytes) -> None:
        if piece and (room := self._longest - self._size) > 0:
            self._pieces.append(piece[:room])
        self._size += len(piece)

    def _line(self) -> Line:
        line = Line(b"".join(self._pieces), self._size)
        self.drop()
        return line
