"""What it takes to change one value of a file that people write by hand."""

from typing import Protocol, TypeAlias

from stretto.canonical import Json

Path: TypeAlias = tuple[str, ...]
"""The keys on the way from the top down to a value."""


class CannotEdit(ValueError):
    """A file that is written in a way in which the value cannot be put; says why."""


class Syntax(Protocol):
    """A format, read as values and edited as text."""

    def parse(self, text: str) -> dict[str, Json]:
        """
        What the text holds; nothing where it is blank.

        Raises:
            ValueError: it is broken; the message says where, and quotes none of it.
        """

    def put(self, text: str, path: Path, value: Json) -> str:
        """
        The text with `value` at `path`, the objects on the way made where missing.

        Raises:
            CannotEdit: something else stands on the way.
        """

    def comments(self, text: str) -> list[str]:
        """The comments, in order."""

    def spelled(self, path: Path, value: Json) -> str:
        """A text that holds nothing but `value`, at `path`."""
