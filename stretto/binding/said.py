"""What the user has said, and which values that mentions."""

from typing import NamedTuple

from stretto.binding.outputs import Output
from stretto.binding.paths import Leaf
from stretto.binding.values import MIN_LENGTH

_END = 4


class Row(NamedTuple):
    """The strings at a path of an output, in order, and which of them are named."""

    values: tuple[str, ...]
    named: tuple[bool, ...]
    first: dict[str, bool]
    """Each string once, with what holds where it stands first."""
    any_named: bool


class Said:
    """The user's messages so far. What was asked of them once is remembered."""

    __slots__ = ("_by_end", "_mentions", "_odd", "_own", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._mentions: dict[str, bool] = {}
        self._by_end: dict[str, dict[str, str]] = {}
        """
        Of the values known not to be mentioned, what the text would have to hold, by
        how that ends. A message holds few ends, and a session has many values.
        """
        self._odd: dict[str, str] = {}
        """The same of values shorter than an end, or with a line feed in them."""
        self._own: set[str] = set()
        """The ends whose values are kept here alone; copies share the others."""

    def copy(self) -> "Said":
        """The same messages, to which others may be added."""
        other = Said()
        other._text = self._text
        other._mentions, other._odd = self._mentions.copy(), self._odd.copy()
        other._by_end, self._own = self._by_end.copy(), set()
        return other

    def hear(self, message: str) -> list[str]:
        """One message more. Returns the values that were asked of in vain before it."""
        line = message.lower() + "\n"
        self._text += line
        newly = [v for v, needle in self._odd.items() if needle in self._text]
        for end in self._ends(line):
            known = self._by_end[end].items()
            newly += [value for value, needle in known if needle in line]
        for value in newly:
            self._mentions[value] = True
            del self._group(_needle(value))[value]
        return newly

    def mentions(self, value: str) -> bool:
        """Whether the text holds the value, trimmed, whatever its case."""
        known = self._mentions.get(value)
        if known is None:
            needle = _needle(value)
            known = self._mentions[value] = needle != "" and needle in self._text
            if not known and needle:
                self._group(needle)[value] = needle
        return known

    def _ends(self, line: str) -> list[str]:
        """The ends of values that a line holds, found by whichever are fewer."""
        if len(self._by_end) <= len(line):
            return [end for end in self._by_end if end in line]
        found = {line[i : i + _END] for i in range(len(line) - _END + 1)}
        return [end for end in found if end in self._by_end]

    def _group(self, needle: str) -> dict[str, str]:
        """The values that are kept with those of which this has to be held."""
        if len(needle) < _END or "\n" in needle:
            return self._odd
        end = needle[-_END:]
        if end not in self._own:
            self._own.add(end)
            self._by_end[end] = self._by_end.get(end, {}).copy()
        return self._by_end[end]

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


def _needle(value: str) -> str:
    """What a text has to hold to mention a value; empty for one that says nothing."""
    word = value.strip().lower()
    return word.removeprefix("#") or word
