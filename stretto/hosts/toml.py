"""
TOML tables, edited in place.

A text is a run of statements: headers, assignments that may take several lines, blank
lines and comments. Tables spelled as headers are edited; tables written inline, or
with dotted keys, are left to their owner.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stretto.canonical import Json
from stretto.hosts.syntax import CannotEdit, Path

_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\r\n]*',
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class _Statement(NamedTuple):
    text: str
    header: Path | None
    """The table it opens; None where it is no header."""
    assigns: str | None
    """The first key of an assignment."""


class Toml:
    """TOML as people write it."""

    def parse(self, text: str) -> dict[str, Json]:
        """What the text holds."""
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as cause:
            raise ValueError(f"is not TOML: {_place(str(cause))}") from None
        except RecursionError:
            raise ValueError("is nested too deep") from None

    def put(self, text: str, path: Path, value: Json) -> str:
        """The text with `value` at `path`: a table, or a value in one."""
        statements, newline = list(_statements(text)), _newline(text)
        headers = {statement.header for statement in statements}
        if isinstance(value, dict) and path in headers:
            return _table_replaced(statements, path, value, newline)
        at = _assignment(statements, path)
        if at is not None or (path[:-1] in headers and not isinstance(value, dict)):
            return _assigned(statements, path, value, newline, at)
        if not isinstance(value, dict) or _is_there(self.parse(text), path):
            raise CannotEdit(f"`{'.'.join(path)}` is no table with a header of its own")
        gap = newline if text.strip() else ""
        ended = text if not text or text.endswith("\n") else text + newline
        return ended + gap + self.spelled(path, value).replace("\n", newline)

    def comments(self, text: str) -> list[str]:
        """The comments, in order."""
        return [t[0] for t in _TOKEN.finditer(text) if t[0][0] == "#"]

    def spelled(self, path: Path, value: Json) -> str:
        """A text that holds nothing but the table `value`, at `path`."""
        if not isinstance(value, dict):
            raise CannotEdit("only a table can stand by itself")
        return "".join(_lines(path, value))


TOML = Toml()


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a text that parses, in order; together they are the text."""
    lines = _LINE.findall(text)
    at = 0
    while at < len(lines):
        end = at + 1
        while (held := _held("".join(lines[at:end]))) is None:
            end += 1
            if end > len(lines):
                raise CannotEdit("it is written in a way that is not understood")
        yield _statement("".join(lines[at:end]), held)
        at = end


def _held(text: str) -> Mapping[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _statement(text: str, held: Mapping[str, object]) -> _Statement:
    if not held:
        return _Statement(text, None, None)
    if not text.lstrip().startswith("["):
        return _Statement(text, None, next(iter(held)))
    path: list[str] = []
    value: object = held
    while isinstance(value, dict) and value:
        path += value
        value = value[path[-1]]
    return _Statement(text, tuple(path), None)


def _assignment(statements: list[_Statement], path: Path) -> int | None:
    """Where the last key of `path` is assigned, in the table of the others."""
    table: Path | None = ()
    for at, statement in enumerate(statements):
        if statement.header is not None:
            table = statement.header
        elif statement.assigns == path[-1] and table == path[:-1]:
            return at
    return None


def _assigned(
    statements: list[_Statement], path: Path, value: Json, newline: str, at: int | None
) -> str:
    """The text with an assignment replaced at `at`, or added to the table it is for."""
    assignment = f"{_key(path[-1])} = {_value(value)}"
    if at is None:
        place = _end_of(statements, path[:-1])
        added = _Statement(assignment + newline, None, path[-1])
        statements = [*statements[:place], added, *statements[place:]]
    else:
        old = statements[at].text
        indent = old[: len(old) - len(old.lstrip(" \t"))]
        comments = TOML.comments(old)
        end = f"  {comments[0]}" if len(comments) == 1 else ""
        statements[at] = statements[at]._replace(
            text=indent + assignment + end + newline
        )
    return "".join(statement.text for statement in statements)


def _end_of(statements: list[_Statement], table: Path) -> int:
    """The place behind the last assignment of a table that has a header."""
    place, inside = 0, False
    for at, statement in enumerate(statements):
        if statement.header is not None:
            inside = statement.header == table
        if inside and (statement.header or statement.assigns):
            place = at + 1
    return place


def _table_replaced(
    statements: list[_Statement], path: Path, value: Mapping[str, Json], newline: str
) -> str:
    kept: list[str] = []
    inside = False
    for statement in statements:
        if statement.header is not None:
            inside = statement.header[: len(path)] == path
            if inside:
                if statement.header == path:
                    kept += [
                        line.replace("\n", newline) for line in _lines(path, value)
                    ]
                continue
        if not (inside and statement.assigns is not None):
            kept.append(statement.text)
    return "".join(kept)


def _lines(path: Path, table: Mapping[str, Json]) -> Iterator[str]:
    yield f"[{'.'.join(map(_key, path))}]\n"
    for key, value in table.items():
        yield f"{_key(key)} = {_value(value)}\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Json) -> str:
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            pairs = (f"{_key(key)} = {_value(item)}" for key, item in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case _:
            raise CannotEdit("TOML has no such value")


def _is_there(value: Json, path: Path) -> bool:
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def _place(message: str) -> str:
    """Where a parser gave up: its message without what it quotes of the text."""
    found = re.search(r"\(at [^)]*\)", message)
    return "broken" if found is None else found[0].strip("()")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
