"""
Fields left out of what a System-One model is shown: `TOOL:PATH`.

PATH names fields from the outside in, `customer.email`; arrays on the way are gone
through, and `*` is any field. It is left out of the arguments and of the results of
every call of TOOL, of which `*` is any. `TOOL:$` leaves out all of both.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.episodes.content import parse
from stretto.errors import StrettoError

ANY = "*"

LEFT_OUT = "(left out)"
"""What stands in place of a whole result."""

_STEP = re.compile(r"[^.\[\]:]+")


class Omission(NamedTuple):
    """A field of one tool's calls, or of every tool's."""

    tool: str
    path: tuple[str, ...]
    """The names on the way to it; empty for everything."""


def read_omission(text: str) -> Omission:
    """
    What `TOOL:PATH` leaves out.

    Raises:
        StrettoError: it is no tool and a path.
    """
    tool, colon, path = text.rpartition(":")
    inside = path.replace("[*]", "").removeprefix("$").removeprefix(".")
    names = inside.split(".") if inside else []
    is_path = path == "$" or (bool(names) and all(map(_STEP.fullmatch, names)))
    if not (colon and tool and is_path):
        raise StrettoError(
            f"{text!r} does not say what to leave out",
            hint="TOOL:PATH, such as `get_user:address.street`, `*:email` or "
            "`get_secret:$`",
        )
    return Omission(tool, tuple(names))


def applying(omissions: Iterable[Omission], tool: str) -> tuple[Omission, ...]:
    """Those of a tool's calls."""
    return tuple(one for one in omissions if one.tool in (tool, ANY))


def arguments_without(arguments: Json, omissions: Sequence[Omission]) -> Json:
    """Arguments without what is to be left out."""
    for omission in omissions:
        arguments = _without(arguments, omission.path) if omission.path else {}
    return arguments


def result_without(content: str, omissions: Sequence[Omission]) -> str:
    """
    A result without what is to be left out.

    Where that is nothing the text is as it was, else it is JSON in its canonical form.
    Text that is no JSON has no fields.
    """
    if any(not omission.path for omission in omissions):
        return LEFT_OUT
    found = parse(content) if omissions else None
    if found is None:
        return content
    value = arguments_without(found.value, omissions)
    return content if value == found.value else compact(value)


def _without(value: Json, path: tuple[str, ...]) -> Json:
    match value:
        case list():
            return [_without(item, path) for item in value]
        case dict() if len(path) == 1:
            return {k: v for k, v in value.items() if path[0] not in (k, ANY)}
        case dict():
            return {
                k: _without(v, path[1:]) if path[0] in (k, ANY) else v
                for k, v in value.items()
            }
        case _:
            return value
