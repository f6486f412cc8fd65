"""
What the log says: the lines of each stream, and word of those that are missing.

The log begins with the first thing a host asks of the server. Hosts of two eras start
a server only to ask who it is, and stop it again; such a start leaves no log.
"""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from stretto.canonical import Json
from stretto.proxy.entry import GAP, Sender, as_message, as_text, report, verbatim
from stretto.proxy.lines import Line, Lines
from stretto.proxy.notes import note

LONGEST = 16 * 2**20
"""How many bytes of a line are kept."""
PROBES = ("server/discover", "notifications/cancelled")
"""What a host may send without asking anything of the server."""

_UNASKED = 2**20
"""How much a server may say, in bytes, before the log begins all the same."""
_BATCH = 2**18
_LSP_FRAMING = b"content-length:"


class Log(Protocol):
    """Where a journal's lines go. Both methods raise an `OSError` if they cannot."""

    def append(self, lines: bytes) -> None:
        """Add lines."""

    def close(self) -> None:
        """Make them last."""


class Loss(NamedTuple):
    """A stretch of one stream that was not kept."""

    n_feeds: int = 0
    size: int = 0
    ends_line: bool = True

    def then(self, chunk: bytes) -> "Loss":
        """This stretch and the chunk after it."""
        n_feeds = self.n_feeds + chunk.count(b"\n")
        return Loss(n_feeds, self.size + len(chunk), chunk.endswith(b"\n"))


class Journal:
    """
    Makes a session's log out of what its streams said.

    Args:
        opens: Makes the log, its header written. Called when the log begins.
        longest: How many bytes of a line are kept.

    Every method raises the `OSError` with which the log refused.
    """

    def __init__(self, opens: Callable[[], Log], longest: int = LONGEST) -> None:
        self.n_texts = 0
        """How many lines were no JSON."""
        self._opens, self._longest = opens, longest
        self._log: Log | None = None
        self._streams: dict[Sender, _Stream] = {}
        self._entries: list[bytes] = []
        self._size = 0
        self._has_begun = self._is_framed = False

    def add(self, t_ms: int, sender: Sender, said: bytes | Loss) -> None:
        """Take in what `sender` said next, or that some of it was not kept."""
        if sender not in self._streams:
            self._streams[sender] = _Stream(self._longest)
        stream = self._streams[sender]
        if isinstance(said, Loss):
            lost = stream.lose(said)
            gap: dict[str, Json] = {"from": sender, "lines": lost, "bytes": said.size}
            self._enter(report(t_ms, GAP, gap))
        else:
            for line in stream.lines(said):
                self._line(t_ms, sender, line)

    def flush(self) -> None:
        """Hand what was taken in to the log, if that has begun."""
        if not (self._has_begun and self._entries):
            return
        self._log = self._log or self._opens()
        lines, self._entries, self._size = b"".join(self._entries), [], 0
        self._log.append(lines)

    def close(self) -> None:
        """End the log."""
        self.flush()
        if self._log is None:
            return
        self._log.close()
        if self.n_texts:
            note(f"{self.n_texts} lines were no JSON; the log has them as text")

    def _line(self, t_ms: int, sender: Sender, line: Line) -> None:
        if not self._has_begun and sender is Sender.CLIENT:
            self._has_begun = not _is_probe(line.data)
        message = verbatim(line.data) if line.is_whole else None
        if message is None:
            self._count(line)
            self._enter(as_text(t_ms, sender, line))
        else:
            self._enter(as_message(t_ms, sender, message))

    def _enter(self, entry: bytes) -> None:
        if self._size + len(entry) > _BATCH:
            self.flush()
        self._entries.append(entry)
        self._size += len(entry)
        self._has_begun = self._has_begun or self._size > _UNASKED

    def _count(self, line: Line) -> None:
        self.n_texts += 1
        if not self._is_framed and line.data.lower().startswith(_LSP_FRAMING):
            self._is_framed = True
            note(
                "a Content-Length header passed: MCP has one message a line, and no "
                "such headers"
            )


class _Stream:
    """One sender's lines, also across what was not kept."""

    def __init__(self, longest: int) -> None:
        self._lines = Lines(longest)
        self._is_within_lost_line = False

    def lines(self, chunk: bytes) -> Iterator[Line]:
        if not self._is_within_lost_line:
            yield from self._lines.feed(chunk)
            return
        _, feed, rest = chunk.partition(b"\n")
        self._is_within_lost_line = not feed
        if rest:
            yield from self._lines.feed(rest)

    def lose(self, loss: Loss) -> int:
        """How many lines went with a stretch, those that it only touches included."""
        begun = self._is_within_lost_line
        self._lines.drop()
        self._is_within_lost_line = not loss.ends_line
        return loss.n_feeds + (not loss.ends_line) - begun


def _is_probe(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("method") in PROBES
