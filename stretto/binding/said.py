"""What the user has said, and which values that mentions."""

from typing import NamedTuple

from stretto.binding.outputs import Output
from stretto.binding.paths import Leaf
from stretto.binding.values import MIN_LENGTH


class Row(NamedTuple):
    """The strings at a path of an output, in order, and which of them are named."""

    values: tuple[str, ...]
    named: tuple[bool, ...]
    first: dict[str, bool]
    """Each string once, with what holds where it stands first."""
    any_named: bool


class Said:
    """The user's messages so far. What was asked of them once is remembered."""

    __slots__ = ("_mentions", "_rows", "_text", "_unsaid", "changes")

    def __init__(self) -> None:
        self.changes = 0
        """How many messages mentioned a value that was asked of in vain before."""
        self._text = ""
        self._mentions: dict[str, bool] = {}
        self._unsaid: dict[str, str] = {}
        """Of the values known not to be mentioned, what the text would have to hold."""
        self._rows: dict[tuple[Output, str], Row] = {}

    def then(self, message: str) -> "Said":
        """All of this, and one more message."""
        line = message.lower() + "\n"
        text = self._text + line
        newly = [
            value
            for value, needle in self._unsaid.items()
            if needle in line or ("\n" in needle and needle in text)
        ]
        later = Said()
        later.changes = self.changes + bool(newly)
        later._text = text
        later._mentions = self._mentions | dict.fromkeys(newly, True)
        later._unsaid = self._unsaid.copy()
        if newly:
            for value in newly:
                del later._unsaid[value]
        else:
            later._rows = self._rows.copy()
        return later

    def mentions(self, value: str) -> bool:
        """Whether the text holds the value, trimmed, whatever its case."""
        known = self._mentions.get(value)
        if known is None:
            word = value.strip().lower()
            needle = word.removeprefix("#") or word
            known = self._mentions[value] = needle != "" and needle in self._text
            if not known and needle:
                self._unsaid[value] = needle
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
            first = dict(zip(reversed(values), reversed(named), strict=True))
            first = {value: first[value] for value in values}
            known = self._rows[output, path] = Row(values, named, first, True in named)
        return known
