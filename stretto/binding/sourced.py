"""The values at the sources of a session, and which of them an argument is given."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from stretto.binding.candidates import Candidate, Candidates, Ranked
from stretto.binding.outputs import Output
from stretto.binding.rows import Rows
from stretto.binding.said import Said
from stretto.binding.sources import Source


class Choice(NamedTuple):
    """An argument, and the sources that its values come from."""

    tool: str
    argument: str
    sources: tuple[Source, ...]
    in_order: bool
    """Whether they go one after the other; otherwise the latest output goes first."""


class Sourced:
    """
    Outputs by tool, and what stood at those sources in them that were asked for.

    Args:
        said: What the user has said; it grows.
    """

    __slots__ = ("_by_tool", "_candidates", "_places", "_rows", "_rows_of", "_said")

    def __init__(self, said: Said) -> None:
        self._said = said
        self._by_tool: dict[str, list[Output]] = {}
        self._places: dict[str, list[int]] = {}
        self._rows: dict[Source, Rows] = {}
        self._rows_of: dict[str, list[Rows]] = {}
        self._candidates: dict[Choice, Candidates] = {}

    def copy(self, said: Said) -> "Sourced":
        """The same outputs, for a copy of what the user has said; it grows apart."""
        other = Sourced(said)
        other._by_tool = {tool: x.copy() for tool, x in self._by_tool.items()}
        other._places = {tool: x.copy() for tool, x in self._places.items()}
        for source, rows in self._rows.items():
            copied = other._rows[source] = rows.copy(said)
            other._rows_of.setdefault(source.tool, []).append(copied)
        for choice, candidates in self._candidates.items():
            other._candidates[choice] = candidates.copy(other._ranked(choice))
        return other

    def outputs_of(self, tool: str) -> Sequence[Output]:
        """The outputs of one tool, in order of arrival."""
        return self._by_tool.get(tool, ())

    def rows(self, source: Source) -> Rows:
        """The values at a source, in order of arrival, and which the user named."""
        rows = self._rows.get(source)
        if rows is None:
            rows = self._rows[source] = Rows(source.path, self._said)
            self._rows_of.setdefault(source.tool, []).append(rows)
            for output in self.outputs_of(source.tool):
                rows.take(output)
        return rows

    def first(
        self, choice: Choice, passed: Container[str], also: Container[str]
    ) -> Candidate | None:
        """As `Candidates.first`, among the values of a choice."""
        candidates = self._candidates.get(choice)
        if candidates is None:
            candidates = self._candidates[choice] = Candidates(self._ranked(choice))
        return candidates.first(passed, also)

    def take(self, tool: str, output: Output, place: int) -> None:
        """Take in the next output, whose place among all is `place`."""
        self._places_of(tool).append(place)
        self._by_tool.setdefault(tool, []).append(output)
        for rows in self._rows_of.get(tool, ()):
            rows.take(output)

    def hear(self, newly: Sequence[str]) -> None:
        """Take in what a message mentions that was asked of in vain before."""
        for rows in self._rows.values():
            rows.hear(newly)

    def _ranked(self, choice: Choice) -> list[Ranked]:
        return [
            Ranked(self.rows(s), None if choice.in_order else self._places_of(s.tool))
            for s in choice.sources
        ]

    def _places_of(self, tool: str) -> list[int]:
        """Where the outputs of a tool stand among all; it grows."""
        return self._places.setdefault(tool, [])
