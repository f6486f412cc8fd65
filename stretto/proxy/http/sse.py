"""
Server-sent events, told apart while their bytes stay as they are.

Lines end at CR, LF or CRLF and nowhere else, and a blank one ends an event. What a
splitter gives, put together again, is what it was fed: byte for byte, and so also
where the bytes are no events at all.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 16 * 2**20
"""How many bytes an event may have to be understood; longer ones only pass."""

_BLANK_LINE = re.compile(rb"(?>\r\n|\r|\n){2}")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_REACH = 3
"""How many bytes of a blank line's four can be there before its last one comes."""
_BOM = b"\xef\xbb\xbf"


class Piece(NamedTuple):
    """The bytes of one event with the blank line behind it, or some without meaning."""

    raw: bytes
    data: bytes | None = None
    """The event's data; None where there are none, or they were not understood."""
    id: bytes | None = None
    retry_s: float | None = None
    """How long a client is to wait before it asks for the rest of the stream."""


class Splitter:
    """
    Takes a stream's bytes as they come, and gives them back by event.

    Args:
        longest: An event of more bytes passes in parts that have no data.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._held = bytearray()
        self._looked_at = 0
        self._is_overlong = False

    @property
    def is_between(self) -> bool:
        """Whether no event has begun that has not ended."""
        return not self._held and not self._is_overlong

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """The events that `chunk` ends."""
        self._held += chunk
        while (end := _BLANK_LINE.search(self._held, self._looked_at)) is not None:
            yield self._piece(end.end())
        if len(self._held) > self._longest:
            self._is_overlong = True
            yield Piece(bytes(self._held[:-_REACH]))
            del self._held[:-_REACH]
        self._looked_at = max(len(self._held) - _REACH, 0)

    def end(self) -> Iterator[Piece]:
        """What is left when the stream has ended; an event cut off by that counts."""
        if self._held:
            yield self._piece(len(self._held))

    def _piece(self, size: int) -> Piece:
        raw = bytes(self._held[:size])
        del self._held[:size]
        self._looked_at = 0
        is_overlong, self._is_overlong = self._is_overlong, False
        return Piece(raw) if is_overlong else parsed(raw)


class Whole:
    """
    Like a splitter, for a body that is one message: all of it comes at the end.

    Args:
        longest: A body of more bytes passes in parts that have no data.
    """

    is_between = False

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Nothing yet, unless the body is too long."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > self._longest:
            yield Piece(self._taken())

    def end(self) -> Iterator[Piece]:
        """The body."""
        if self._size > self._longest or not self._chunks:
            return
        body = self._taken()
        yield Piece(body, body)

    def _taken(self) -> bytes:
        body = b"".join(self._chunks)
        self._chunks.clear()
        return body


def parsed(raw: bytes) -> Piece:
    """An event's bytes, and what they say."""
    data: list[bytes] = []
    id = retry_s = None
    for line in _LINE_END.split(raw.removeprefix(_BOM)):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            data.append(value)
        elif name == b"id":
            id = value
        elif name == b"retry" and value.isdigit():
            retry_s = int(value) / 1_000
    return Piece(raw, b"\n".join(data) if data else None, id, retry_s)


def framed(data: bytes, *, like: Piece | None = None) -> bytes:
    """
    An event with these data.

    Args:
        like: Whose other fields it keeps.
    """
    kept: list[bytes] = []
    if like is not None:
        kept = [line for line in _LINE_END.split(like.raw) if _is_kept(line)]
    lines = [*kept, *(b"data: " + line for line in _LINE_END.split(data))]
    return b"\n".join(lines) + b"\n\n"


def _is_kept(line: bytes) -> bool:
    return line != b"" and line.partition(b":")[0] != b"data"
