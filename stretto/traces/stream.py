"""
JSON documents of any size as a stream of records.

A file is a sequence of JSON values: one document, or one value a line. What is held at
any time is the value being read and one piece more, however many there are. A value
that cannot be read is reported, and reading goes on behind it: behind its last bracket,
or, where its brackets do not match, at the next line that begins with one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from stretto.canonical import Json
from stretto.traces.decode import Unreadable
from stretto.traces.ledger import Ledger
from stretto.traces.window import Window


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
    return _Splitter(path, ledger).records(opened="[")


def fields(path: Path, ledger: Ledger) -> Iterator[Record]:
    """As `records`, with each object field by field, and its arrays item by item."""
    return _Splitter(path, ledger).records(opened="[{")


class _Lost(Exception):
    """The end of an array or object was not found, and a fresh line was sought."""


class _Splitter:
    """A file's values, taken apart as far as asked."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self._path, self._ledger = path, ledger
        self._text = Window(path, ledger)
        self._top = 0

    def records(self, opened: str) -> Iterator[Record]:
        """The values, those that begin with one of `opened` part by part."""
        leftovers = ""
        while first := self._text.peek():
            if first in leftovers:
                self._text.took(first)
                continue
            try:
                if first not in opened:
                    yield from self._whole()
                elif first == "[":
                    yield from self._items("")
                else:
                    yield from self._fields()
            except _Lost:
                leftovers = ",]}"  # of what was given up
            self._top += 1

    def _whole(self) -> Iterator[Record]:
        if (record := self._record("")) is not None:
            yield record
        else:
            self._skip()
            self._text.skip_line()

    def _items(self, key: str) -> Iterator[Record]:
        self._text.took("[")
        position = 0
        while not self._text.took("]"):
            if position and not self._text.took(","):
                self._give_up(f"{key}[{position}]", "`,` or `]`")
            if (record := self._record(key, position)) is not None:
                yield record
            else:
                self._skip()
            position += 1

    def _fields(self) -> Iterator[Record]:
        self._text.took("{")
        key: str | None = None
        while not self._text.took("}"):
            if key is not None and not self._text.took(","):
                self._give_up(key, "`,` or `}`")
            key = self._key()
            if self._text.peek() == "[":
                yield from self._items(key)
            elif (record := self._record(key)) is not None:
                yield record
            else:
                self._skip()

    def _key(self) -> str:
        name = self._record("") if self._text.peek() == '"' else None
        if name is None or not self._text.took(":"):
            self._give_up("", "a field's name and `:`")
        return str(name.value)

    def _record(self, key: str, position: int | None = None) -> Record | None:
        """The value that comes next; None, and a problem, where it is unreadable."""
        self._text.peek()
        line = self._text.line()
        try:
            return Record(self._text.value(), line, key, position, self._top)
        except Unreadable as cause:
            place = Record(None, line, key, position).place
            self._report(place, str(cause), line)
            return None

    def _skip(self) -> None:
        if not self._text.skip():
            raise _Lost

    def _give_up(self, place: str, wanted: str) -> NoReturn:
        found, line = self._text.peek(), self._text.line()
        cause = f"has {found} where {wanted} should be" if found else "is cut off"
        self._report(place, cause, line)
        self._text.skip_to_bracket()
        raise _Lost

    def _report(self, place: str, cause: str, line: int) -> None:
        where = f"{place}: " if place else ""
        self._ledger.problem(self._path, f"{where}{cause}", line=line)
