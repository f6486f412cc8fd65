"""What the user has said, and which values that mentions."""

from typing import NamedTuple

from stretto.binding.outputs import Output
from stretto.binding.paths import Leaf
from stretto.binding.values import MIN_LENGTH


class Row(NamedTuple):
    """The strings at a path of an output, in order, and which of them are named."""

    values: tuple[str, ...]
    named: tuple[bool, ...]
    any_named: bool


class Said:
    """The user's messages so far. Answers are remembered until the next one."""

    __slots__ = ("_mentions", "_rows", "_text")

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._mentions: dict[str, bool] = {}
        self._rows: dict[tuple[Output, str], Row] = {}

    def then(self, message: str) -> "Said":
        """All of this, and one more message."""
        later = Said(f"{self._text}{message.lower()}\n")
        later._mentions = {value: True for value, yes in self._mentions.items() if yes}
        return later

    def mentions(self, value: str) -> bool:
        """Whether the text holds the value, trimmed, whatever its case."""
        known = self._mentions.get(value)
        if known is None:
            known = self._mentions[value] = self._holds(value.strip().lower())
        return known

    def names(self, leaf: Leaf) -> bool:
        """Whether the text mentions a string, or the record that holds it."""
        if self.mentions(leaf.value):
            return True
        for sibling in leaf.siblings:
            if len(sibling) >= MIN_LENGTH and self.mentions(sibling):
                return True
        return False

    def row(self, output: Output, path: str) -> Row:
        """The strings at a path, and which of them the text names."""
        known = self._rows.get((output, path))
        if known is None:
            leaves = output.at(path)
            named = tuple([self.names(leaf) for leaf in leaves])
            values = tuple([leaf.value for leaf in leaves])
            known = self._rows[output, path] = Row(values, named, True in named)
        return known

    def _holds(self, value: str) -> bool:
        if not value:
            return False
        bare = value.removeprefix("#")
        return value in self._text or (bare != "" and bare in self._text)
