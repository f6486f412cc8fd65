"""What is added to a result: what a flow looked up, as text for the agent."""

from collections.abc import Sequence
from typing import NamedTuple

from stretto.canonical import compact
from stretto.traces.appended import HEADER, Made, Said
from stretto.traces.messages import Message, fields

_LEAST = 200
"""The fewest characters of a result that are worth adding."""
_NOTICE = 80
"""The longest a notice of what was cut is."""


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


def _call(lookup: Made) -> str:
    error = " (error)" if lookup.said.has_failed else ""
    return f"{lookup.tool} {compact(dict(lookup.arguments))}{error}"
