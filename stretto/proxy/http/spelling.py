"""
Values inside JSON bytes, found and replaced by their spelling.

The bytes need not be JSON, nor even text; then there is nothing to be found in them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from stretto.proxy import splice
from stretto.proxy.splice import Edit, Span

Path: TypeAlias = tuple[str, ...]
"""The keys on the way from the top down to a value."""

T = TypeVar("T")


def members(message: bytes) -> dict[str, bytes]:
    """An object's values by key, as they are spelled; none of anything else."""

    def spans(text: str) -> dict[str, Span]:
        return {m.key: m.value for m in splice.members(text, _start(text))}

    found = _read(message, spans) or {}
    return {key: message[span.start : span.end] for key, span in found.items()}


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
    span = _read(message, lambda text: splice.find(text, _start(text), *path))
    return span and message[span.start : span.end]


def spliced(message: bytes, values: Mapping[Path, bytes]) -> bytes:
    """The message with other values at these paths; what is not there is not added."""

    def edits(text: str) -> Iterator[Edit]:
        for path, value in values.items():
            if (span := splice.find(text, _start(text), *path)) is not None:
                yield Edit(span.start, span.end, value.decode("latin-1"))

    def edited(text: str) -> bytes:
        return splice.edited(text, edits(text)).encode("latin-1")

    changed = _read(message, edited)
    return message if changed is None else changed


def _read(message: bytes, reads: Callable[[str], T]) -> T | None:
    """What `reads` makes of the text; None where that is broken."""
    try:
        # One character a byte: places in the text are places in the message.
        return reads(message.decode("latin-1"))
    except (ValueError, IndexError, RecursionError):
        return None


def _start(text: str) -> Span:
    """Where the value begins; that it ends well nobody needs to know here."""
    return Span(len(text) - len(text.lstrip(" \t\r\n")), len(text))
