"""
What is added to a result: what a flow looked up, as text for the agent.

Whoever finds lookups in a result again goes by the first line, so it never changes.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.traces.messages import Message, fields

HEADER = (
    "--- Read for you a moment ago and up to date; "
    "making these same calls again would return nothing new ---"
)

_LEAST = 200
"""The fewest characters of a result that are worth adding."""
_NOTICE = 80
"""The longest a notice of what was cut is."""
_HEAD = re.compile(r"\n\n(\S+) (\{.*\})( \(error\))?:(?=\n)")
_CUT = re.compile(r"\n\(cut here; \d+ characters more\)\Z")
_LEFT_OUT = re.compile(r"\n\n\(\d+ more were read, and are too long to add\)\Z")


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


class Appendix(NamedTuple):
    """The text to add, and how many of its lookups are there whole."""

    text: str
    n_whole: int


def said(response: Message) -> Said:
    """
    What an answer says, in words.

    The text items of the result, one a line; without any, its structured content. An
    error says its message.
    """
    if (error := response.get("error")) is not None:
        message = fields(error).get("message")
        return Said(True, message if isinstance(message, str) else "error")
    result = fields(response, "result")
    has_failed = result.get("isError") is True
    content = result.get("content")
    items = content if isinstance(content, list) else []
    found = [fields(item).get("text") for item in items]
    texts = [text for text in found if isinstance(text, str)]
    structured = result.get("structuredContent")
    if not texts and structured is not None:
        return Said(has_failed, compact(structured))
    if n_other := len(items) - len(texts):
        texts.append(f"({n_other} items that are no text are not here)")
    return Said(has_failed, "\n".join(texts))


def appendix(made: Sequence[Made], *, each: int, room: int) -> Appendix | None:
    """
    The lookups, each under its call, in the order made.

    What is too long is cut, and says so. None where not one of them fits.

    Args:
        each: How many characters of one result are added at most.
        room: How long the whole may be.
    """
    parts = [HEADER]
    left = room - len(HEADER)
    n_whole = 0
    for lookup in made:
        head, text = f"\n\n{_call(lookup)}:\n", lookup.said.text
        if len(text) > (most := min(each, left - len(head))):
            most = min(each, left - len(head) - _NOTICE)
            if most < min(_LEAST, each):
                break
            text = f"{text[:most]}\n(cut here; {len(text) - most} characters more)"
        else:
            n_whole += 1
        parts += head, text
        left -= len(head) + len(text)
    n_left_out = len(made) - (len(parts) - 1) // 2
    if n_left_out == len(made):
        return None
    if n_left_out and left >= _NOTICE:
        parts.append(f"\n\n({n_left_out} more were read, and are too long to add)")
    return Appendix("".join(parts), n_whole)


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


def _call(lookup: Made) -> str:
    error = " (error)" if lookup.said.has_failed else ""
    return f"{lookup.tool} {compact(dict(lookup.arguments))}{error}"
