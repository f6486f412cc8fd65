"""
Text that only grows, and whether it holds a value.

A long text is told by its words, each taken in once: a value that is part of a word is
in the text where a word of the text holds it, and a value of several words can only be
there if each of them is. So an id is told at a cost that hardly depends on the length
of the text; what is searched for, from where it was searched for last, are values of
one or two characters, and longer ones of which every word is there.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

_SHORT = 2**14
"""The longest text, in characters, that is searched as it is."""

_WINDOW = 64
"""The longest part of a word that is looked up, in characters."""

_GRAM = 3
_WORD = re.compile(r"""[^\s"',:;(){}\[\]]+""")
_LAST_WORD = re.compile(rf"(?:{_WORD.pattern})?\Z")


class Growing:
    """The pieces added so far, as one text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        """Where each piece begins."""
        self._n_chars = 0
        self._searched: dict[str, int] = {}
        """Up to where there was none of the values that were searched for."""
        self._words = _Words()

    def add(self, piece: str) -> None:
        """One piece more, right behind the others."""
        self._pieces.append(piece)
        self._starts.append(self._n_chars)
        self._n_chars += len(piece)
        self._words.fresh.append(piece)

    def extend(self, other: "Growing") -> None:
        """The pieces of another text, one by one."""
        for piece in other._pieces:
            self.add(piece)

    def __contains__(self, value: str) -> bool:
        if self._n_chars > _SHORT:
            known = self._words.hold(value)
            if known is not None:
                return known
        start = max(0, self._searched.get(value, 0) - len(value) + 1)
        first = max(0, bisect_right(self._starts, start) - 1)
        if value in "".join(self._pieces[first:]):
            return True
        self._searched[value] = self._n_chars
        return False


class _Words:
    """The words of a text, by what they hold; long ones in parts that overlap."""

    def __init__(self) -> None:
        self.fresh: list[str] = []
        """Pieces at the end of the text that are not taken in yet."""
        self._last = ""
        """The end of the last word taken in, which may go on."""
        self._known: set[str] = set()
        self._holding: defaultdict[str, list[str]] = defaultdict(list)
        """By three characters, the words and parts that hold them."""

    def hold(self, value: str) -> bool | None:
        """Whether the text holds a value; None where the words do not tell."""
        if self.fresh:
            self._take_in("".join((self._last, *self.fresh)))
            self.fresh.clear()
        words = [w[:_WINDOW] for w in _WORD.findall(value) if len(w) >= _GRAM]
        if not all(map(self._is_part, words)):
            return False
        return True if words == [value] else None

    def _is_part(self, word: str) -> bool:
        nothing: list[str] = []
        holding = [self._holding.get(gram, nothing) for gram in _grams(word)]
        return any(word in known for known in min(holding, key=len))

    def _take_in(self, text: str) -> None:
        words = set(_WORD.findall(text)) - self._known
        self._known |= words
        for part in chain.from_iterable(map(_parts, words)):
            for gram in _grams(part):
                self._holding[gram].append(part)
        last = _LAST_WORD.search(text[-_WINDOW:])
        self._last = last[0] if last else ""


def _parts(word: str) -> Iterator[str]:
    """A word in parts, of which one holds whatever the word does and is a window."""
    for start in range(0, max(1, len(word) - _WINDOW), _WINDOW):
        yield word[start : start + 2 * _WINDOW]


def _grams(word: str) -> set[str]:
    return {word[i : i + _GRAM] for i in range(len(word) - _GRAM + 1)}
