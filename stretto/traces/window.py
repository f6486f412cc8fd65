"""A window on a file's text, moved forward over one JSON value after another."""

import json
import re
from pathlib import Path

from stretto.canonical import Json
from stretto.traces.decode import DECODER, Unreadable, has_surrogates, repaired
from stretto.traces.ledger import Ledger
from stretto.traces.source import pieces

MAX_LENGTH = 64 * 2**20
"""The longest value that is read, in characters."""

_SPACE = re.compile(r"[ \t\n\r]*")
_OUTSIDE = re.compile(r'["\[\]{},]|\n(?=[\[{])')
_INSIDE = re.compile(r'\\.|["\n]', re.DOTALL)
_NEWLINE = re.compile(r"\n")
_FRESH_LINE = re.compile(r"\n(?=[\[{])")
_NEAR = 12
"""How close to the end of what is held a mistake may be the cut's: `-Infinit`."""


class Window:
    """The part of a file's text that is held, and a position in it."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self._ledger = ledger
        self._pieces = pieces(path, ledger)
        self._held, self._at = "", 0
        self._line, self._counted = 1, 0

    def line(self) -> int:
        """The line of the position, from 1."""
        self._line += self._held.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def peek(self) -> str:
        """The next character that is not white space; nothing at the end."""
        while True:
            if space := _SPACE.match(self._held, self._at):
                self._at = space.end()
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def took(self, wanted: str) -> bool:
        """Whether that character came next; if so, it now lies behind."""
        if self.peek() != wanted:
            return False
        self._at += 1
        return True

    def value(self) -> Json:
        """
        The value that comes next, which then lies behind.

        Raises:
            Unreadable: it is cut off, too long, nested too deep, or not JSON; the
                position has not moved.
        """
        while True:
            try:
                value: Json
                value, end = DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError as cause:
                if not self._is_cut(cause):
                    raise Unreadable(f"is not JSON: {cause.msg}") from cause
                self._grow()
            except RecursionError as cause:
                raise Unreadable("is nested too deep") from cause
            except Unreadable:
                raise
            except ValueError as cause:  # a number of thousands of digits
                raise Unreadable(f"is not JSON: {cause}") from cause
            else:
                if isinstance(value, int | float) and self._goes_on(end):
                    continue
                if has_surrogates(self._held, self._at, end):
                    value = repaired(value, self._ledger)
                self._at = end
                return value

    def skip(self) -> bool:
        """
        Moves behind the value that comes next, or before the `,` or bracket that ends a
        bare one. False where its brackets do not match: the position is then the next
        line that begins with one, or the end.
        """
        depth = 0
        while token := self._seek(_OUTSIDE):
            if token == '"':
                self._skip_string()
            elif token == "\n":
                return False
            elif token in "[{":
                depth += 1
            elif depth == 0:
                self._at -= 1
                return True
            elif token != "," and (depth := depth - 1) == 0:
                return True
        return False

    def skip_line(self) -> None:
        """Moves behind the end of the line."""
        self._seek(_NEWLINE)

    def skip_to_bracket(self) -> None:
        """Moves to the next line that begins with a bracket, or to the end."""
        self._seek(_FRESH_LINE)

    def _is_cut(self, cause: json.JSONDecodeError) -> bool:
        """Whether the mistake may only be that what is held ends there."""
        near = cause.pos >= len(self._held) - _NEAR
        return near or cause.msg.startswith("Unterminated string")

    def _goes_on(self, end: int) -> bool:
        """Whether more was there to hold behind a number, which may be cut."""
        return end >= len(self._held) - _NEAR and self._more()

    def _grow(self) -> None:
        """Holds twice as much of the value that comes next."""
        n_held = len(self._held) - self._at
        if n_held > MAX_LENGTH:
            raise Unreadable(f"is longer than {MAX_LENGTH} characters")
        if not self._more(min(n_held, MAX_LENGTH + 1 - n_held)):
            raise Unreadable("is cut off")

    def _more(self, size: int = 1) -> bool:
        """Holds `size` more and lets go of what lies behind; False at the end."""
        parts: list[str] = []
        while size > 0 and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            size -= len(piece)
        if not parts:
            return False
        self.line()
        self._held = "".join((self._held[self._at :], *parts))
        self._at = self._counted = 0
        return True

    def _skip_string(self) -> None:
        """Moves behind the string it is inside of, or to the end of the line."""
        while token := self._seek(_INSIDE):
            if token == '"':
                return
            if token == "\n":
                self._at -= 1
                return

    def _seek(self, pattern: re.Pattern[str]) -> str:
        """Moves behind the pattern's next match and gives it; to the end without."""
        while (found := pattern.search(self._held, self._at)) is None:
            may_go_on = self._held.endswith(("\\", "\n"), self._at)
            self._at = len(self._held) - may_go_on
            if not self._more():
                self._at = len(self._held)
                return ""
        self._at = found.end()
        return found[0]
