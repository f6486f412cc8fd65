"""What a result holds: its content as JSON or as lines, and the scalars in it."""

import json
import math
import re
from typing import NoReturn

from stretto.canonical import Json, number

MAX_DEPTH = 128
"""The deepest nesting read as JSON; content nested deeper is text."""

MIN_LENGTH = 4
"""The characters a value needs before it tells one record from another."""

_DIGIT = re.compile("[0-9]")


def parse(content: str) -> Json:
    """
    The content's JSON, or the text it is.

    Text of several non-empty lines is the list of them, trimmed; any other text is one
    string, as it stands. NaN, infinities, numbers beyond a float and nesting beyond
    `MAX_DEPTH` are not JSON.
    """
    try:
        value: Json = _DECODER.decode(content)
    except (ValueError, RecursionError):
        return _lines(content)
    return _lines(content) if _too_deep(content, value) else value


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


def _too_deep(content: str, value: Json) -> bool:
    if content.count("[") + content.count("{") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for items in level for item in _containers(items)]
        if not level:
            return False
    return True


def _containers(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [item for item in value.values() if isinstance(item, dict | list)]
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict | list)]
    return []


def _finite(digits: str) -> float:
    found = float(digits)
    if math.isinf(found):
        _refuse(digits)
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
