"""
Values inside JSON bytes, found and replaced by their spelling.

The bytes need not be JSON, nor even text; then there is nothing to be found in them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from stretto.proxy import splice
from stretto.proxy.splice import Edit, Span

Path: TypeAlias = tuple[str, ...]
"""The keys on the way from the top down to a value."""

T = TypeVar("T")

_BLANK = " \t\r\n"
_BLANKS = re.compile(f"[{_BLANK}]*")
_DECODER = json.JSONDecoder()


def members(message: bytes) -> dict[str, bytes]:
    """An object's values by key, as they are spelled; none of anything else."""
    found = _read(message, lambda text: _members(text, 0)) or {}
    return {key: message[start:end] for key, (start, end) in found.items()}


def elements(message: bytes) -> list[bytes] | None:
    """An array's elements as they are spelled; None where that is no array."""
    if not message.lstrip().startswith(b"["):
        return None
    spans = _read(message, lambda text: [*splice.items(text, _start(text))])
    if spans is None:
        return None
    return [message[span.start : span.end] for span in spans]


def found(message: bytes, path: Path) -> bytes | None:
    """The value at `path`, as it is spelled; None where there is none."""
    span = _read(message, lambda text: _find(text, path))
    return span and message[span[0] : span[1]]


def spliced(message: bytes, values: Mapping[Path, bytes]) -> bytes:
    """The message with other values at these paths; what is not there is not added."""

    def edits(text: str) -> Iterator[Edit]:
        for path, value in values.items():
            if (span := _find(text, path)) is not None:
                yield Edit(*span, value.decode("latin-1"))

    def edited(text: str) -> bytes:
        return splice.edited(text, edits(text)).encode("latin-1")

    changed = _read(message, edited)
    return message if changed is None else changed


def _find(text: str, path: Path) -> tuple[int, int] | None:
    """Where the value at a path begins and ends; None where there is none."""
    span = (0, len(text))
    for key in path:
        within = _members(text, span[0])
        if key not in within:
            return None
        span = within[key]
    return span


def _members(text: str, at: int) -> dict[str, tuple[int, int]]:
    """Where an object's values begin and end, by key; none of anything else."""
    at = _skip(text, at)
    if text[at] != "{":
        return {}
    at = _skip(text, at + 1)
    found = {}
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        if not isinstance(key, str):
            raise ValueError("a key is no string")
        start = _skip(text, _skip(text, end) + 1)
        end = _DECODER.raw_decode(text, start)[1]
        found[key] = (start, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    """Where the first character is that is not blank, from a place on."""
    if text[at] not in _BLANK:
        return at
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def _read(message: bytes, reads: Callable[[str], T]) -> T | None:
    """What `reads` makes of the text; None where that is broken."""
    try:
        # One character a byte: places in the text are places in the message.
        return reads(message.decode("latin-1"))
    except (ValueError, IndexError, RecursionError):
        return None


def _start(text: str) -> Span:
    """Where the value begins; that it ends well nobody needs to know here."""
    return Span(len(text) - len(text.lstrip(_BLANK)), len(text))
