"""
The values that an argument may be given, in the order in which they are preferred.

A value counts where it stands first in that order: there the user has named it, or has
not. What was passed once is not given again, so each value is looked at, over a whole
session, a few times.
"""

from collections.abc import Container, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from stretto.binding.rows import Rows
from stretto.binding.said import Row

_Key: TypeAlias = tuple[int, int, int]
"""A value's place in the order: the smaller, the earlier."""


class Ranked(NamedTuple):
    """A source's rows, and where each of them is in the session."""

    rows: Rows
    places: Sequence[int] | None
    """Of each row, that of its output among all; None where sources go one by one."""


class Candidate(NamedTuple):
    """A value that was not passed before."""

    value: str
    is_named: bool
    row: Row
    """Where it stands first."""


class _Entry(NamedTuple):
    key: _Key
    source: int
    row: int
    is_named: bool


class Candidates:
    """
    Keeps the values at several sources in order, as rows come and messages name them.

    Args:
        sources: In order. The latest output goes first, of the first source or of all.
    """

    def __init__(self, sources: Sequence[Ranked]) -> None:
        self._sources = sources
        self._n_rows = [0] * len(sources)
        self._n_changed = [0] * len(sources)
        self._entries: dict[str, _Entry] = {}
        self._all: list[tuple[_Key, str]] = []
        self._named: list[tuple[_Key, str]] = []

    def copy(self, sources: Sequence[Ranked]) -> "Candidates":
        """The same order so far, for copies of the sources."""
        other = Candidates(sources)
        other._n_rows, other._n_changed = self._n_rows.copy(), self._n_changed.copy()
        other._entries = self._entries.copy()
        other._all, other._named = self._all.copy(), self._named.copy()
        return other

    def first(
        self, passed: Container[str], also: Container[str] = ()
    ) -> Candidate | None:
        """
        The first value that was named and not passed, else the first not passed.

        Args:
            passed: What has been passed; it only grows from one asking to the next.
            also: What counts as passed now, and may not later.
        """
        self._catch_up()
        value = self._earliest(self._named, passed, also) if self._named else None
        if value is None:
            value = self._earliest(self._all, passed, also)
        if value is None:
            return None
        entry = self._entries[value]
        row = self._sources[entry.source].rows[entry.row]
        return Candidate(value, entry.is_named, row)

    def _catch_up(self) -> None:
        for nth, (rows, _) in enumerate(self._sources):
            if self._n_rows[nth] < len(rows):
                for index in range(self._n_rows[nth], len(rows)):
                    self._enter(nth, index)
                self._n_rows[nth] = len(rows)
            if self._n_changed[nth] < len(rows.changed):
                for index in rows.changed[self._n_changed[nth] :]:
                    self._name(nth, index)
                self._n_changed[nth] = len(rows.changed)

    def _enter(self, nth: int, index: int) -> None:
        rows, places = self._sources[nth]
        for position, (value, is_named) in enumerate(rows[index].first.items()):
            at = (nth, -index) if places is None else (-places[index], nth)
            key = (*at, position)
            known = self._entries.get(value)
            if known is not None and known.key < key:
                continue
            self._entries[value] = _Entry(key, nth, index, is_named)
            heappush(self._all, (key, value))
            if is_named:
                heappush(self._named, (key, value))

    def _name(self, nth: int, index: int) -> None:
        """Enter the values that a changed row names now."""
        for value, is_named in self._sources[nth].rows[index].first.items():
            entry = self._entries[value]
            is_here = (entry.source, entry.row) == (nth, index)
            if is_here and is_named and not entry.is_named:
                self._entries[value] = entry._replace(is_named=True)
                heappush(self._named, (entry.key, value))

    def _earliest(
        self,
        heap: list[tuple[_Key, str]],
        passed: Container[str],
        also: Container[str],
    ) -> str | None:
        """The earliest value in a heap; what cannot come any more is taken out."""
        aside = []
        while heap:
            key, value = heap[0]
            if self._entries[value].key != key or value in passed:
                heappop(heap)
            elif value in also:
                aside.append(heappop(heap))
            else:
                break
        found = heap[0][1] if heap else None
        for item in aside:
            heappush(heap, item)
        return found
