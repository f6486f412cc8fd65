"""
Values inside a JSON message replaced, every other byte of it kept.

Reading a message and writing it again would respell its numbers, reorder nothing only
by luck, and lose doubled keys. A host and a server are owed what the other one said.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str, ...]
"""The keys on the way from the top down to a value."""

_DECODER = json.JSONDecoder(
    object_pairs_hook=len, parse_int=len, parse_float=len, strict=False
)
_SPACE = re.compile(r"[ \t\r\n]*")


class Span(NamedTuple):
    """Where a value stands in a message, in bytes."""

    start: int
    end: int


def members(message: bytes) -> dict[str, bytes]:
    """
    The values of an object's members as they are spelled, by key.

    Empty where the message is no object. Of a doubled key the last value counts, as
    it does for JSON readers.
    """
    text = message.decode("latin-1")
    try:
        spans = dict(_members(text, _behind_space(text, 0)))
    except (ValueError, IndexError, RecursionError):
        return {}
    return {key: message[span.start : span.end] for key, span in spans.items()}


def spliced(message: bytes, values: Mapping[Path, bytes]) -> bytes:
    """The message with other values at these paths; what is not there is not added."""
    # One character a byte: places in the text are places in the message.
    text = message.decode("latin-1")
    spans = [(_span(text, path), value) for path, value in values.items()]
    for span, value in sorted(
        ((span, value) for span, value in spans if span is not None), reverse=True
    ):
        message = message[: span.start] + value + message[span.end :]
    return message


def _span(text: str, path: Path) -> Span | None:
    span = Span(_behind_space(text, 0), len(text))
    for key in path:
        last = None
        try:
            for name, value in _members(text, span.start):
                if name == key:
                    last = value
        except (ValueError, IndexError, RecursionError):
            return None
        if last is None:
            return None
        span = last
    return span


def _members(text: str, at: int) -> Iterator[tuple[str, Span]]:
    """
    The members of the object that begins at `at`; none where that is no object.

    Raises:
        ValueError, IndexError: it is broken.
    """
    if not text.startswith("{", at):
        return
    at = _behind_space(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _behind_space(text, at)
        if text[at] != ":" or not isinstance(key, str):
            raise ValueError("an object's key is followed by a colon")
        start = _behind_space(text, at + 1)
        _, at = _DECODER.raw_decode(text, start)
        yield key, Span(start, at)
        at = _behind_space(text, at)
        if text[at] == ",":
            at = _behind_space(text, at + 1)


def _behind_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
