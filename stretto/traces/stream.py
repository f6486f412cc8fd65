"""
JSON documents of any size as a stream of records.

A file is a sequence of JSON values: one document, or one value a line. What is held at
any time is the value being read and about a mebibyte more, however many there are. A
value that cannot be read is reported, and reading goes on behind it: behind its last
bracket, or, where its brackets do not match, at the next line that begins with one.
"""

import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from stretto.canonical import Json
from stretto.traces.decode import DECODER, Unreadable, has_surrogates, repaired
from stretto.traces.ledger import Ledger
from stretto.traces.source import pieces

MAX_LENGTH = 64 * 2**20
"""The longest record that is read, in characters."""

_SPACE = re.compile(r"[ \t\n\r]*")
_OUTSIDE = re.compile(r'["\[\]{},]|\n(?=[\[{])')
_INSIDE = re.compile(r'\\.|["\n]', re.DOTALL)
_NEWLINE = re.compile(r"\n")
_FRESH_LINE = re.compile(r"\n(?=[\[{])")
_NEAR = 12
"""How close to the end of what is held a mistake may be the cut's: `-Infinit`."""


class Record(NamedTuple):
    """One value of a file, and where it stands."""

    value: Json
    line: int
    """The line it begins on, from 1."""
    key: str = ""
    """The field it stands in, where the file is an object taken apart."""
    position: int | None = None
    """Its position in its array, from 0."""
    top: int = 0
    """Which of the file's values it is part of, from 0."""

    @property
    def place(self) -> str:
        """Where it stands in its document, as `simulations[3]`."""
        return self.key if self.position is None else f"{self.key}[{self.position}]"


def records(path: Path, ledger: Ledger) -> Iterator[Record]:
    """The file's values, each array among them item by item."""
    return _records(_Text(path, ledger), opened="[")


def fields(path: Path, ledger: Ledger) -> Iterator[Record]:
    """As `records`, with each object field by field, and its arrays item by item."""
    return _records(_Text(path, ledger), opened="[{")


def _records(text: "_Text", opened: str) -> Iterator[Record]:
    top, lost = 0, False
    while first := text.peek():
        if lost and first in ",]}":
            text.at += 1  # left over from an array or object that was given up
            continue
        if first not in opened:
            whole = yield from _value(text, top)
        elif first == "[":
            whole = yield from _array(text, "", top)
        else:
            whole = yield from _object(text, top)
        lost |= not whole
        top += 1


def _value(text: "_Text", top: int) -> Generator[Record, None, bool]:
    """A value as it is; returns whether its end was found."""
    if (record := text.record("", None, top)) is not None:
        yield record
    elif not text.skip():
        return False
    else:
        text.skip_line()
    return True


def _array(text: "_Text", key: str, top: int) -> Generator[Record, None, bool]:
    """An array's items; returns whether its end was found."""
    text.at += 1
    position = 0
    if text.took("]"):
        return True
    while True:
        record = text.record(key, position, top)
        if record is not None:
            yield record
        elif not text.skip():
            return False
        if text.took("]"):
            return True
        position += 1
        if not text.took(","):
            return text.give_up(f"{key}[{position}]", "`,` or `]`")


def _object(text: "_Text", top: int) -> Generator[Record, None, bool]:
    """An object's fields, arrays item by item; returns whether its end was found."""
    text.at += 1
    if text.took("}"):
        return True
    while True:
        name = text.record("", None, top) if text.peek() == '"' else None
        if name is None or not text.took(":"):
            return text.give_up("", "a field's name and `:`")
        key = str(name.value)
        if text.peek() == "[":
            if not (yield from _array(text, key, top)):
                return False
        elif (record := text.record(key, None, top)) is not None:
            yield record
        elif not text.skip():
            return False
        if text.took("}"):
            return True
        if not text.took(","):
            return text.give_up(key, "`,` or `}`")


class _Text:
    """The part of a file's text that is held, and a position in it."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self.path, self.ledger = path, ledger
        self.held, self.at = "", 0
        self._pieces = pieces(path, ledger)
        self._line, self._counted = 1, 0

    def line(self) -> int:
        """The line of the position."""
        self._line += self.held.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def more(self, size: int = 1) -> bool:
        """Holds `size` more and lets go of what lies behind; False at the end."""
        parts: list[str] = []
        while size > 0 and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            size -= len(piece)
        if not parts:
            return False
        self.line()
        self.held = "".join((self.held[self.at :], *parts))
        self.at = self._counted = 0
        return True

    def peek(self) -> str:
        """The next character that is not white space; nothing at the end."""
        while True:
            self.at = _SPACE.match(self.held, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.held):
                return self.held[self.at]
            if not self.more():
                return ""

    def took(self, wanted: str) -> bool:
        """Whether that character came next; if so it now lies behind."""
        if self.peek() != wanted:
            return False
        self.at += 1
        return True

    def record(self, key: str, position: int | None, top: int) -> Record | None:
        """The value that comes next; None, and a problem, where it is unreadable."""
        self.peek()
        record = Record(None, self.line(), key, position, top)
        try:
            return record._replace(value=self._value())
        except Unreadable as cause:
            self._problem(record.place, str(cause), record.line)
            return None

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
                self.at -= 1
                return True
            elif token != "," and (depth := depth - 1) == 0:
                return True
        return False

    def skip_line(self) -> None:
        """Moves behind the end of the line."""
        self._seek(_NEWLINE)

    def give_up(self, place: str, wanted: str) -> bool:
        """Reports what comes next, and moves to a line that begins with a bracket."""
        found, line = self.peek(), self.line()
        cause = f"has {found} where {wanted} should be" if found else "is cut off"
        self._problem(place, cause, line)
        self._seek(_FRESH_LINE)
        return False

    def _value(self) -> Json:
        while True:
            try:
                value: Json
                value, end = DECODER.raw_decode(self.held, self.at)
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
                if isinstance(value, int | float) and self._reaches_end(end):
                    continue  # more digits may follow
                if has_surrogates(self.held, self.at, end):
                    value = repaired(value, self.ledger)
                self.at = end
                return value

    def _is_cut(self, cause: json.JSONDecodeError) -> bool:
        """Whether the mistake may only be that what is held ends there."""
        near = cause.pos >= len(self.held) - _NEAR
        return near or cause.msg.startswith("Unterminated string")

    def _grow(self) -> None:
        """Holds twice as much of the value that comes next."""
        n_held = len(self.held) - self.at
        if n_held > MAX_LENGTH:
            raise Unreadable(f"is longer than {MAX_LENGTH} characters")
        if not self.more(min(n_held, MAX_LENGTH + 1 - n_held)):
            raise Unreadable("is cut off")

    def _reaches_end(self, end: int) -> bool:
        return end >= len(self.held) - _NEAR and self.more()

    def _skip_string(self) -> None:
        """Moves behind the string it is inside of, or to the end of the line."""
        while token := self._seek(_INSIDE):
            if token == '"':
                return
            if token == "\n":
                self.at -= 1
                return

    def _seek(self, pattern: re.Pattern[str]) -> str:
        """Moves behind the pattern's next match and gives it; to the end without."""
        while (found := pattern.search(self.held, self.at)) is None:
            kept = self.held.endswith(("\\", "\n"), self.at)
            self.at = len(self.held) - kept
            if not self.more():
                self.at = len(self.held)
                return ""
        self.at = found.end()
        return found[0]

    def _problem(self, place: str, cause: str, line: int) -> None:
        where = f"{place}: " if place else ""
        self.ledger.problem(self.path, f"{where}{cause}", line=line)
