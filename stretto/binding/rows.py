"""
The values at one source of a session, kept output by output.

A message of the user's may name values that stood there before. It is told which rows
those are, so a long session costs no more than the rows that a message changes.
"""

from collections.abc import Iterator, Sequence

from stretto.binding.outputs import Output
from stretto.binding.said import Row, Said, names_of


class Rows:
    """
    The rows at a path of one tool's outputs, in order of arrival.

    Args:
        path: Leads into each output.
        said: What the user has said; it grows.
    """

    def __init__(self, path: str, said: Said) -> None:
        self.any_named = False
        """Whether the user has named any of the values."""
        self.changed: list[int] = []
        """Which rows a message has changed, in that order."""
        self._path, self._said = path, said
        self._outputs: list[Output] = []
        self._rows: list[Row] = []
        self._unnamed: dict[str, tuple[int, ...]] = {}
        """By what would name a value, the rows with values that it would."""

    def copy(self, said: Said) -> "Rows":
        """The same rows, for a copy of what the user has said."""
        other = Rows(self._path, said)
        other.any_named, other.changed = self.any_named, self.changed.copy()
        other._outputs, other._rows = self._outputs.copy(), self._rows.copy()
        other._unnamed = self._unnamed.copy()
        return other

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    def __reversed__(self) -> Iterator[Row]:
        return reversed(self._rows)

    def take(self, output: Output) -> None:
        """Take in the next output."""
        row = self._said.row(output, self._path)
        for leaf, is_named in zip(output.at(self._path), row.named, strict=True):
            if not is_named:
                for name in names_of(leaf):
                    known = self._unnamed.get(name, ())
                    self._unnamed[name] = (*known, len(self._rows))
        self._outputs.append(output)
        self._rows.append(row)
        self.any_named |= row.any_named

    def hear(self, newly: Sequence[str]) -> None:
        """Take in what a message mentions that was asked of in vain before."""
        for index in {i for name in newly for i in self._unnamed.pop(name, ())}:
            row = self._said.row(self._outputs[index], self._path)
            self._rows[index] = row
            self.any_named |= row.any_named
            self.changed.append(index)
