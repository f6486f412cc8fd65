"""Values in JSON and in text, replaced where they stand."""

import re

from stretto.canonical import Json, in_order
from stretto.episodes.content import parse
from stretto.traces.appended import HEADER, is_notice
from stretto.traces.redact.values import Under, Values

_NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
_CALL = re.compile(r"^(\S+) (\{.*\})( \(error\):|:|.*)$", re.MULTILINE)
"""The line above what a call returned, in a text that the proxy wrote."""
_ENDS = ("", ":", " (error):")


def leaves(value: Json, values: Values, under: Under = ()) -> Json:
    """JSON with its strings and numbers replaced, and the keys that are data."""
    match value:
        case dict():
            return {
                values.key(key): leaves(item, values, (*under, key))
                for key, item in value.items()
            }
        case list():
            return [leaves(item, values, under) for item in value]
        case bool() | None:
            return value
        case str():
            return values.text(value, under)
        case _:
            return values.number(value, under)


def text(content: str, values: Values) -> str:
    """
    A result's text: the leaves of JSON, or else each line as one value.

    Calls that the proxy wrote above their results stay calls.
    """
    if (found := parse(content)) is not None:
        return in_order(leaves(found.value, values))
    if _CALL.search(content) is None:
        return lines(content, values)
    return "\n\n".join(_block(block, values) for block in content.split("\n\n"))


def lines(content: str, values: Values) -> str:
    """Text whose lines are each one value."""
    return "\n".join(map(values.text, content.split("\n")))


def name(value: Json, values: Values) -> Json:
    """A tool's name as it is; anything else with its leaves replaced."""
    is_name = isinstance(value, str) and _NAME.fullmatch(value)
    return value if is_name else leaves(value, values)


def _block(block: str, values: Values) -> str:
    """A call and what it returned, or a paragraph of a text that has some."""
    head, *rest = block.split("\n")
    if (call := _CALL.fullmatch(head)) is not None:
        new = _call(call, values)
    elif head == HEADER or is_notice(head):
        new = head
    else:
        return _returned(block, values)
    notice = rest[-1:] if rest and is_notice(rest[-1]) else []
    body = rest[: len(rest) - len(notice)]
    told = [_returned("\n".join(body), values)] if body else []
    return "\n".join((new, *told, *notice))


def _returned(content: str, values: Values) -> str:
    found = parse(content)
    return lines(content, values) if found is None else text(content, values)


def _call(call: re.Match[str], values: Values) -> str:
    tool, arguments, end = call.groups()
    if (found := parse(arguments)) is None:
        return values.text(call[0])
    told = in_order(leaves(found.value, values))
    tail = end if end in _ENDS else f" {values.text(end.strip())}"
    return f"{values.text(tool)} {told}{tail}"
