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

    __slots__ = ("_mentions", "_text", "_unsaid")

    def __init__(self) -> None:
        self._text = ""
        self._mentions: dict[str, bool] = {}
        self._unsaid: dict[str, str] = {}
        """Of the values known not to be mentioned, what the text would have to hold."""

    def copy(self) -> "Said":
        """The same messages, to which others may be added."""
        other = Said()
        other._text = self._text
        other._mentions, other._unsaid = self._mentions.copy(), self._unsaid.copy()
        return other

    def hear(self, message: str) -> list[str]:
        """One message more. Returns the values that were asked of in vain before it."""
        line = message.lower() + "\n"
        self._text += line
        newly = [
            value
            for value, needle in self._unsaid.items()
            if needle in line or ("\n" in needle and needle in self._text)
        ]
        for value in newly:
            self._mentions[value] = True
            del self._unsaid[value]
        return newly

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
        leaves = output.at(path)
        named = tuple([self.names(leaf) for leaf in leaves])
        values = tuple([leaf.value for leaf in leaves])
        first = dict(zip(reversed(values), reversed(named), strict=True))
        first = {value: first[value] for value in values}
        return Row(values, named, first, True in named)


def names_of(leaf: Leaf) -> list[str]:
    """What a string, or the record that holds it, may be mentioned by."""
    return [leaf.value, *[s for s in leaf.siblings if len(s) >= MIN_LENGTH]]
