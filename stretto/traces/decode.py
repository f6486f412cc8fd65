"""
Strict JSON, and text that can be written again.

Python's `json` accepts `NaN` and lone surrogates; neither can be told to another
program. The one is refused, the other replaced by U+FFFD and counted.
"""

import json
import re
from typing import NoReturn

from stretto.canonical import Json
from stretto.traces.ledger import Ledger

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_PAIR = re.compile(r"\\u(?<!\\\\u)[dD][89abAB]..\\u[dD][c-fC-F]..")
"""Two halves of one character; not where the first backslash may be escaped."""


class Unreadable(ValueError):
    """An entry of a file that cannot be used; the message says why."""


def _refuse(constant: str) -> NoReturn:
    raise Unreadable(f"is not JSON: {constant} is no JSON number")


DECODER = json.JSONDecoder(parse_constant=_refuse)


def decode(text: str, ledger: Ledger) -> Json:
    """
    The value that a text holds.

    Raises:
        Unreadable: it is not JSON, or nested too deep.
    """
    try:
        value: Json = DECODER.decode(text)
        return repaired(value, ledger) if has_surrogates(text) else value
    except Unreadable:
        raise
    except ValueError as cause:
        raise Unreadable(f"is not JSON: {cause}") from cause
    except RecursionError as cause:
        raise Unreadable("is nested too deep") from cause


def has_surrogates(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether JSON text escapes a surrogate without its other half; rarely in vain."""
    end = len(text) if end is None else end
    if _ESCAPE.search(text, start, end) is None:
        return False
    return _ESCAPE.search(_PAIR.sub("", text[start:end])) is not None


def repaired(value: Json, ledger: Ledger) -> Json:
    """`value` with every lone surrogate replaced by U+FFFD."""
    match value:
        case str() if not value.isascii():
            text, n = _SURROGATE.subn("\ufffd", value)
            if n:
                ledger.count("replaced surrogates", n)
            return text
        case dict():
            return {
                str(repaired(k, ledger)): repaired(v, ledger) for k, v in value.items()
            }
        case list():
            return [repaired(item, ledger) for item in value]
        case _:
            return value
