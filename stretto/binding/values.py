"""What a result holds: its content as JSON or as lines, and the scalars in it."""

import re

from stretto.canonical import Json, number
from stretto.episodes.content import parse as content_json

MIN_LENGTH = 4
"""The characters a value needs before it tells one record from another."""

_DIGIT = re.compile("[0-9]")


def parse(content: str) -> Json:
    """
    The content's JSON, or the text it is.

    Text of several non-empty lines is the list of them, trimmed; any other text is one
    string, as it stands.
    """
    found = content_json(content)
    return _lines(content) if found is None else found.value


def scalars(value: Json) -> set[str]:
    """The strings, trimmed and lower-cased, and the numbers as text, at any depth."""
    found: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.add(item.strip().lower())
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif item is not None and not isinstance(item, bool):
            found.add(number(item))
    return found


def is_keyish(value: str) -> bool:
    """Whether the value looks like a record's key: four characters and a digit."""
    return len(value) >= MIN_LENGTH and _DIGIT.search(value) is not None


def _lines(content: str) -> Json:
    lines = [line for line in map(str.strip, content.split("\n")) if line]
    return [*lines] if len(lines) > 1 else content
