"""Texts taken apart: words, ids and their shapes, and the keys and values of JSON."""

import re
from functools import lru_cache
from typing import NamedTuple

MAX_TEXT = 4000
"""The characters of a text that are read."""

KEPT = 4096
"""How many texts are kept taken apart: a session shows the same ones again."""

_WORD = re.compile(r"[^\W_]++(?:['’_#-][^\W_]++)*+")
_ID = re.compile(r"[#\w](?:[\w#@.:-]{0,62}\w)?")
_IS_ID = re.compile(r"(?=[^0-9]*[0-9])(?!-?[0-9]+\.[0-9]*\Z)\S{3,64}")
_JSON = re.compile(
    r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?'  # a string, which is a key before a colon
    r'|"[\s\S]*'  # one that was cut short
    r"|(-?[0-9][0-9.eE+-]*|true|false|null)(?=[\s,\]}])"
)
_LABEL = re.compile(r"[A-Za-z_ ]{1,24}")
_DIGITS, _LETTERS = re.compile(r"[0-9]+"), re.compile(r"[^\W\d_]+")


class Result(NamedTuple):
    """What a result holds, whole or cut short; plain text has ids under no key."""

    keys: tuple[str, ...]
    ids: tuple[tuple[str, str], ...]
    """Values that look like a record's id, each with its key."""
    plain: tuple[tuple[str, str], ...]
    """Other values, of three characters or more."""
    labels: tuple[tuple[str, str], ...]
    """Those of `plain` that are a word or two, such as a status."""
    length: int


@lru_cache(KEPT)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, in lower case, each once."""
    found = _WORD.findall(text[:MAX_TEXT].lower())
    return tuple(dict.fromkeys(found))


@lru_cache(KEPT)
def ids(text: str) -> tuple[str, ...]:
    """What in a text looks like an id, each once."""
    # between blanks and of letters alone there is no id: most of a message goes so
    parts = [part for part in text[:MAX_TEXT].split() if not part.isalpha()]
    found = _ID.findall(" ".join(parts))
    return tuple([word for word in dict.fromkeys(found) if is_id(word)])


def is_id(value: str) -> bool:
    """Whether a value may be a record's id: no blanks, a digit, and no price."""
    return _IS_ID.fullmatch(value) is not None


@lru_cache(KEPT)
def shape(id: str) -> str:
    """An id's shape: `a` for its letters in a row, `9` for its digits."""
    return _DIGITS.sub("9", _LETTERS.sub("a", id))


def bucket(n: int) -> int:
    """A count in coarse steps: 0 to 3, 4 to 6, more."""
    return n if n < 4 else 4 if n < 7 else 5


@lru_cache(KEPT)
def result(text: str) -> Result:
    """A result's text, JSON or not."""
    text = text[:MAX_TEXT].strip()
    if not text.startswith(("{", "[")):
        found = tuple(("", id) for id in ids(text))
        return Result((), found, (), (), len(text))
    pairs = dict.fromkeys(_pairs(text))
    values = [pair for pair in pairs if len(pair[1]) >= 3]
    with_ids = dict.fromkeys(
        [pair for pair in values if not pair[1].isalpha() and is_id(pair[1])]
    )
    plain = [pair for pair in values if pair not in with_ids]
    return Result(
        keys=tuple(dict.fromkeys([key for key, _ in pairs])),
        ids=tuple(with_ids),
        plain=tuple(plain),
        labels=tuple([pair for pair in plain if _LABEL.fullmatch(pair[1])]),
        length=len(text),
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    """Each scalar with the key before it; a key that holds an object, with nothing."""
    pairs, key = [], ""
    for string, colon, scalar in _JSON.findall(text):
        if colon:
            key = string
            pairs.append((key, ""))
        else:
            pairs.append((key, scalar or string))
    return pairs
