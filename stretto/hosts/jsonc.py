"""
JSON with comments and trailing commas, edited in place.

Comments are blanked to find one's way, so that places in the blanked text are places
in the text itself.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from stretto.canonical import Json
from stretto.errors import json_fault
from stretto.hosts.syntax import CannotEdit, Path

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*.*?\*/|//[^\r\n]*)*", re.DOTALL)
_NOT_BLANK = re.compile(r"[^\r\n]")
_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_LINE_START = re.compile(r"^[ \t]*", re.MULTILINE)
_SPACE = re.compile(r"\s*")
_UNIT = "  "


class _Member(NamedTuple):
    key: str
    key_at: int
    start: int
    end: int


class Jsonc:
    """JSON as people write it."""

    def parse(self, text: str) -> dict[str, Json]:
        """What the text holds; nothing where it is blank."""
        plain = _plain(text)
        if not plain.strip():
            return {}
        try:
            value: Json = json.loads(plain, parse_constant=_refuse)
        except json.JSONDecodeError as cause:
            raise ValueError(f"is not JSON: {json_fault(cause)}") from None
        except RecursionError:
            raise ValueError("is nested too deep") from None
        if not isinstance(value, dict):
            raise ValueError("holds no object")
        return value

    def put(self, text: str, path: Path, value: Json) -> str:
        """The text with `value` at `path`."""
        plain = _plain(text)
        if not plain.strip():
            plain = _plain(text := f"{text}{{}}\n")
        at = _behind_space(plain, 0)
        for depth, key in enumerate(path):
            if plain[at] != "{":
                raise CannotEdit(f"`{'.'.join(path[:depth])}` is no object")
            found = [m for m in _members(plain, at) if m.key == key]
            if not found:
                rest = path[depth + 1 :]
                return _inserted(text, plain, at, key, _nested(rest, value))
            at, end = found[-1].start, found[-1].end
        indent = _indent_at(text, found[-1].key_at)
        return text[:at] + _rendered(value, text, indent) + text[end:]

    def comments(self, text: str) -> list[str]:
        """The comments, in order."""
        return [t[0] for t in _TOKEN.finditer(text) if t[0][0] == "/"]

    def spelled(self, path: Path, value: Json) -> str:
        """A text that holds nothing but `value`, at `path`."""
        whole = _nested(path, value)
        return json.dumps(whole, indent=_UNIT, ensure_ascii=False) + "\n"


JSONC = Jsonc()


def _plain(text: str) -> str:
    """The text as JSON: comments and trailing commas are spaces, ends of lines stay."""
    bare = _without_comments(text)
    return _TRAILING.sub(lambda t: t[0] if t[0][0] == '"' else " ", bare)


def _without_comments(text: str) -> str:
    def blanked(token: re.Match[str]) -> str:
        found = token[0]
        return found if found[0] == '"' else _NOT_BLANK.sub(" ", found)

    return _TOKEN.sub(blanked, text)


def _members(plain: str, at: int) -> Iterator[_Member]:
    """The members of the object that begins at `at`."""
    decoder = json.JSONDecoder()
    at = _behind_space(plain, at + 1)
    while plain[at] != "}":
        key_at = at
        key, at = decoder.raw_decode(plain, at)
        start = _behind_space(plain, _behind_space(plain, at) + 1)  # behind the colon
        _, end = decoder.raw_decode(plain, start)
        yield _Member(key, key_at, start, end)
        at = _behind_space(plain, end)
        if plain[at] == ",":
            at = _behind_space(plain, at + 1)


def _inserted(text: str, plain: str, at: int, key: str, value: Json) -> str:
    """The text with a new last member in the object that begins at `at`."""
    members = list(_members(plain, at))
    close = json.JSONDecoder().raw_decode(plain, at)[1] - 1
    behind = members[-1].end if members else at + 1
    trailing = _without_comments(text).find(",", behind, close)
    if trailing >= 0:
        behind = trailing + 1
    before = "," if members and trailing < 0 else ""
    line_end = _REST_OF_LINE.match(text, behind)
    assert line_end is not None
    place = min(line_end.end(), close)
    outer = _indent_at(text, at)
    indent = _indent_at(text, members[0].key_at) if members else outer
    if indent == outer:  # no member begins a line of its own
        indent = outer + _unit(text)
    newline = _newline(text)
    key_text = json.dumps(key, ensure_ascii=False)
    member = f"{newline}{indent}{key_text}: {_rendered(value, text, indent)}"
    ends_line = newline + outer if place == close else ""
    tail = text[behind:place].rstrip(" \t") + member + ends_line
    return text[:behind] + before + tail + text[place:]


def _nested(path: Path, value: Json) -> Json:
    for key in reversed(path):
        value = {key: value}
    return value


def _rendered(value: Json, text: str, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _indent_at(text: str, at: int) -> str:
    """The white space that the line of `at` begins with."""
    start = text.rfind("\n", 0, at) + 1
    found = _LINE_START.match(text, start)
    return "" if found is None else found[0][: at - start]


def _unit(text: str) -> str:
    found = _INDENT.search(_plain(text))
    return _UNIT if found is None else found[0]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"is not JSON: {constant} is no JSON number")
