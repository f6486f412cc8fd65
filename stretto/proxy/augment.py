"""A result with lookups added, and every other byte of it as the server wrote it."""

from stretto.proxy.schema import RESERVED, Room
from stretto.proxy.serving import Structured
from stretto.proxy.splice import (
    Edit,
    Span,
    edited,
    find,
    spelled_value,
    whole,
    with_item,
    with_member,
    without_member,
)
from stretto.proxy.tooltable import Listed


def augmented(line: bytes, added: str, structured: Structured, tool: Listed) -> bytes:
    """
    A result with `added` as one more item of its content.

    An object of structured content holds it too, under the reserved key, unless the
    host was told a schema that does not let it.

    Args:
        line: A successful result.
        tool: The call's, as the host was told.
    """
    text = line.decode()
    if structured is Structured.STRIP and not tool.has_schema:
        text = edited(text, without_member(text, _result(text), "structuredContent"))
    edits = [_in_content(text, added)]
    if structured is Structured.AUTO and tool.room is Room.OPEN:
        edits += _in_structured(text, added)
    return edited(text, edits).encode()


def is_in_text_alone(line: bytes) -> bool:
    """Whether a result has structured content that does not hold what was added."""
    text = line.decode()
    content = find(text, _result(text), "structuredContent")
    return content is not None and find(text, content, RESERVED) is None


def _in_structured(text: str, added: str) -> list[Edit]:
    content = find(text, _result(text), "structuredContent")
    if content is None or text[content.start] != "{":
        return []
    if find(text, content, RESERVED) is not None:  # the server's own
        return []
    return [with_member(text, content, RESERVED, spelled_value(added))]


def _in_content(text: str, added: str) -> Edit:
    item = spelled_value({"type": "text", "text": added})
    result = _result(text)
    content = find(text, result, "content")
    if content is None:
        return with_member(text, result, "content", f"[{item}]")
    if text[content.start] == "[":
        return with_item(text, content, item)
    return Edit(content.start, content.end, f"[{item}]")


def _result(text: str) -> Span:
    result = find(text, whole(text), "result")
    assert result is not None
    return result
