"""A result's content: JSON where it is, text where it is not."""

import json
import math
import re
from functools import lru_cache
from typing import NamedTuple, NoReturn

from stretto.canonical import Json, compact

MAX_DEPTH = 128
"""The deepest nesting read as JSON; content nested deeper is text."""

SMALL = 2**16
"""The longest content, in characters, that is remembered parsed."""

_MAYBE_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Output(NamedTuple):
    """A result that is JSON, parsed. Its value may be null."""

    value: Json


def parse(content: str) -> Output | None:
    """
    A result's content as JSON; None where it is text.

    NaN, infinities, numbers beyond a float, halves of surrogate pairs and nesting
    beyond `MAX_DEPTH` make it text. Whoever parses a content lately seen is given the
    same value, which nobody may change.
    """
    return _remembered(content) if len(content) <= SMALL else _parse(content)


def _parse(content: str) -> Output | None:
    try:
        value: Json = _DECODER.decode(content)
        if _MAYBE_HALF.search(content):
            compact(value).encode()
    except (ValueError, RecursionError):
        return None
    return None if _is_too_deep(content, value) else Output(value)


_remembered = lru_cache(maxsize=1024)(_parse)


def _is_too_deep(content: str, value: Json) -> bool:
    if content.count("[") + content.count("{") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for items in level for item in _containers(items)]
        if not level:
            return False
    return True


def _containers(value: Json) -> list[Json]:
    items: list[Json] = []
    if isinstance(value, dict):
        items = [*value.values()]
    elif isinstance(value, list):
        items = value
    return [item for item in items if isinstance(item, dict | list)]


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits} is beyond a float")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
