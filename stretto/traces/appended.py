"""
Lookups that a proxy added to a result, found in it again.

Whoever looks for them goes by one fixed line, so that line never changes.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stretto.canonical import Json

HEADER = (
    "--- Read for you a moment ago and up to date; "
    "making these same calls again would return nothing new ---"
)

_HEAD = re.compile(r"\n\n(\S+) (\{.*\})( \(error\))?:(?=\n)")
_CUT = re.compile(r"\n\(cut here; \d+ characters more\)\Z")
_LEFT_OUT = re.compile(r"\n\n\(\d+ more were read, and are too long to add\)\Z")
_NOTICE = re.compile(
    r"\(cut here; \d+ characters more\)"
    r"|\(\d+ more were read, and are too long to add\)"
)


class Said(NamedTuple):
    """What a lookup's answer says."""

    has_failed: bool
    text: str


class Made(NamedTuple):
    """A lookup that was answered."""

    tool: str
    """As its server calls it."""
    arguments: Mapping[str, Json]
    said: Said


class Content(NamedTuple):
    """A result's content: the tool's own, and the lookups that were added whole."""

    own: str
    lookups: list[Made]


def taken_apart(content: str) -> Content:
    """A result's content without what a proxy added to it, and that by itself."""
    if HEADER not in content:
        return Content(content, [])
    own, _, added = f"\n{content}".partition(f"\n{HEADER}")
    return Content(own[1:], parsed(HEADER + added) if added else [])


def is_notice(line: str) -> bool:
    """Whether a line says that something was cut or left out."""
    return _NOTICE.fullmatch(line) is not None


def parsed(text: str) -> list[Made]:
    """
    The lookups that an appendix holds whole, in order; none in any other text.

    A result that itself has a blank line and then what could be the line above a
    lookup is taken apart there: nothing in the text tells the two apart.
    """
    body = _LEFT_OUT.sub("", text)
    heads = [*_heads(body)] if text.startswith(HEADER) else []
    if not heads:
        return []
    ends = [*(head.start for head in heads[1:]), len(body)]
    found = [
        Made(head.tool, head.arguments, Said(head.has_failed, body[head.text : end]))
        for head, end in zip(heads, ends, strict=True)
    ]
    return [lookup for lookup in found if not _CUT.search(lookup.said.text)]


class _Head(NamedTuple):
    """The line above a lookup: where it and the lookup's text begin, and its call."""

    start: int
    tool: str
    arguments: dict[str, Json]
    has_failed: bool
    text: int


def _heads(text: str) -> Iterator[_Head]:
    for line in _HEAD.finditer(text):
        try:
            arguments = json.loads(line[2])
        except (ValueError, RecursionError):
            continue
        yield _Head(line.start(), line[1], arguments, bool(line[3]), line.end() + 1)
