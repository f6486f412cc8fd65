"""
Edits of JSON text that leave every byte outside of them as it is.

Numbers, key order, spaces and repeated keys stay as the server wrote them. Of repeated
keys the last counts, as it does for parsers. All text given is known to be JSON.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from stretto.canonical import Json

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Span(NamedTuple):
    """A value's place in the text."""

    start: int
    end: int


class Member(NamedTuple):
    """An object's member: where its key begins, and its value."""

    key: str
    start: int
    value: Span


class Edit(NamedTuple):
    """Text put in the place of other text."""

    start: int
    end: int
    text: str


def whole(text: str) -> Span:
    """The one value that the text is."""
    return _value(text, 0)


def members(text: str, span: Span) -> Iterator[Member]:
    """An object's members, in order; none for any other value."""
    if text[span.start] != "{":
        return
    at = _skip(text, span.start + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _value(text, _skip(text, end) + 1)
        yield Member(key, at, value)
        at = _next(text, value.end)


def items(text: str, span: Span) -> Iterator[Span]:
    """An array's items, in order; none for any other value."""
    if text[span.start] != "[":
        return
    at = _skip(text, span.start + 1)
    while text[at] != "]":
        item = _value(text, at)
        yield item
        at = _next(text, item.end)


def find(text: str, span: Span, *path: str) -> Span | None:
    """The value at a path of keys; None where there is none."""
    for key in path:
        found = [m.value for m in members(text, span) if m.key == key]
        if not found:
            return None
        span = found[-1]
    return span


def with_member(text: str, span: Span, key: str, value: str) -> Edit:
    """An object with one more member, the last."""
    return _put_last(text, span, f"{json.dumps(key)}:{value}")


def with_item(text: str, span: Span, item: str) -> Edit:
    """An array with one more item, the last."""
    return _put_last(text, span, item)


def without_member(text: str, span: Span, key: str) -> list[Edit]:
    """An object without a member, however often it has it."""
    found = list(members(text, span))
    parts = [Span(m.start, m.value.end) for m in found]
    return _without(parts, {at for at, m in enumerate(found) if m.key == key})


def without_items(text: str, span: Span, dropped: Collection[int]) -> list[Edit]:
    """An array without the items at these places."""
    return _without(list(items(text, span)), dropped)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all of the edits, which do not overlap, made."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def spelled_value(value: Json) -> str:
    """A value as text to put in, in ASCII, so that nothing in it needs encoding."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _without(parts: Sequence[Span], dropped: Collection[int]) -> list[Edit]:
    """Parts between commas taken out, each with one of its commas."""
    if not dropped:
        return []
    last = max((at for at in range(len(parts)) if at not in dropped), default=-1)
    edits = [
        Edit(parts[at].start, parts[at + 1].start, "") for at in dropped if at < last
    ]
    if last < len(parts) - 1:
        begin = parts[last].end if last >= 0 else parts[0].start
        edits.append(Edit(begin, parts[-1].end, ""))
    return edits


def _put_last(text: str, span: Span, new: str) -> Edit:
    is_empty = _skip(text, span.start + 1) == span.end - 1
    return Edit(span.end - 1, span.end - 1, new if is_empty else f",{new}")


def _value(text: str, at: int) -> Span:
    start = _skip(text, at)
    return Span(start, _DECODER.raw_decode(text, start)[1])


def _next(text: str, at: int) -> int:
    """Where the next member or item begins, or the closing bracket stands."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    assert blank is not None
    return blank.end()
