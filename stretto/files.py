"""Files at the door: JSON read with limits, output written whole or not at all."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

from stretto.canonical import Json
from stretto.errors import CannotWrite, FormatError, json_fault

T = TypeVar("T")

MAX_BYTES = 256 * 2**20
"""The largest stretto file that is read, in bytes."""


@dataclass(slots=True)
class Node:
    """
    A JSON value from a file, and where it stands there.

    Its methods give the value as the type asked for, or raise a `FormatError` that
    names the file, the place, the value found and what was wanted.
    """

    # Not frozen: a file makes one for each of its values, and freezing takes six times
    # as long as making it.

    value: Json
    path: str
    key: str | int = ""
    parent: "Node | None" = None

    def __getitem__(self, key: str) -> "Node":
        """The value of a key that has to be there."""
        if key not in (fields := self.fields()):
            self.fail(f"has no `{key}`")
        return Node(fields[key], self.path, key, self)

    def get(self, key: str) -> "Node | None":
        """The value of a key that may be left out; null counts as left out."""
        value = self.fields().get(key)
        return None if value is None else Node(value, self.path, key, self)

    def fields(self) -> dict[str, Json]:
        """The object itself."""
        if not isinstance(self.value, dict):
            self.wanted("an object")
        return self.value

    def items(self) -> Iterator[tuple[str, "Node"]]:
        """An object's keys and values."""
        for key, value in self.fields().items():
            yield key, Node(value, self.path, key, self)

    def array(self, length: int | None = None) -> list["Node"]:
        """An array's items, of which there have to be `length`."""
        if not isinstance(self.value, list):
            self.wanted("an array")
        if length is not None and len(self.value) != length:
            self.wanted(f"an array of {length}")
        return [Node(item, self.path, i, self) for i, item in enumerate(self.value)]

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.wanted("a string")
        return self.value

    def boolean(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.wanted("true or false")
        return self.value

    def integer(self, low: int = 0, high: int = 2**63 - 1) -> int:
        """A whole number in `low..high`, both included."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int):
            self.wanted("a whole number")
        if not low <= value <= high:
            self.wanted(f"a whole number from {low} to {high}")
        return value

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number in `low..high`, both included."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wanted("a number")
        if abs(value) > sys.float_info.max:
            self.wanted("a finite number")
        if not low <= value <= high:
            self.wanted(f"a number from {low:g} to {high:g}")
        return float(value)

    def one_of(self, kinds: Callable[[str], T], wanted: str) -> T:
        """A string that `kinds` accepts, such as an enumeration's value."""
        try:
            return kinds(self.text())
        except ValueError:
            self.wanted(wanted)

    def only(self, *known: str) -> None:
        """Fail on a key that is not among `known`."""
        for key in self.fields():
            if key not in known:
                self.fail(f"has an unknown field `{key}`; known: {', '.join(known)}")

    def place(self) -> str:
        """Where the value stands, as `habit.base.levels[0]`."""
        if self.parent is None:
            return ""
        above = self.parent.place()
        if isinstance(self.key, int):
            return f"{above}[{self.key}]"
        return f"{above}.{self.key}" if above else self.key

    def wanted(self, what: str) -> NoReturn:
        """Fail because the value is not `what`."""
        found = json.dumps(self.value, ensure_ascii=True)
        if len(found) > 60:
            found = found[:57] + "…"
        self.fail(f"is {found}, and should be {what}")

    def fail(self, cause: str, *, hint: str | None = None) -> NoReturn:
        """Fail at this place, for `cause`."""
        raise FormatError(self.path, cause, place=self.place(), hint=hint)


def read_json(path: str | Path) -> Node:
    """
    A JSON file as a node.

    Raises:
        FormatError: it is missing, too large, not UTF-8, not JSON, or nested too deep.
    """
    return parse_json(read_bytes(path), str(path))


def read_text(path: str | Path) -> str:
    """
    A text file's content.

    Raises:
        FormatError: it is missing, too large or not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise FormatError(str(path), f"is not UTF-8 (byte {cause.start})") from cause


def read_bytes(path: str | Path) -> bytes:
    """
    A file's content.

    Raises:
        FormatError: it is missing or too large.
    """
    name = str(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as cause:
        raise FormatError(name, f"cannot be read: {cause.strerror or cause}") from cause
    if len(data) > MAX_BYTES:
        raise FormatError(name, f"is larger than {MAX_BYTES // 2**20} MiB")
    return data


def parse_json(data: bytes | str, name: str) -> Node:
    """
    JSON text as a node that calls itself `name` in errors.

    Raises:
        FormatError: it is not UTF-8, not JSON, or nested too deep.
    """
    try:
        return Node(json.loads(data, parse_constant=_refuse), name)
    except UnicodeDecodeError as cause:
        raise FormatError(name, f"is not UTF-8 (byte {cause.start})") from cause
    except json.JSONDecodeError as cause:
        raise FormatError(name, f"is not JSON: {json_fault(cause)}") from cause
    except ValueError as cause:
        raise FormatError(name, f"is not JSON: {cause}") from cause
    except RecursionError as cause:
        raise FormatError(name, "is nested too deep") from cause


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def write_text(path: str | Path, content: str) -> None:
    """
    Write a file, or the one that a link points to, whole or not at all: a temporary
    neighbour, then a rename. A pipe or a terminal is not replaced but written to.

    Raises:
        CannotWrite: the folder is missing or closed, or the disk is full.
    """
    write_bytes(path, content.encode("utf-8", errors="replace"))


def write_bytes(path: str | Path, content: bytes) -> None:
    """As `write_text`, for bytes."""
    path = Path(path)
    with neighbour(path) as beside:
        if path.is_file() or not path.exists():
            _replace(path, beside, content)
        else:
            path.write_bytes(content)


@contextmanager
def neighbour(path: Path) -> Iterator[Path]:
    """
    A name beside the file's own to write to first; nothing of it is left over.

    Raises:
        CannotWrite: the block could not write.
    """
    file = Path(os.path.realpath(path))
    beside = file.with_name(f".{file.name}.{os.urandom(6).hex()}")
    try:
        yield beside
    except OSError as cause:
        why = cause.strerror or cause
        raise CannotWrite(f"{path} cannot be written: {why}") from cause
    finally:
        with suppress(OSError):
            beside.unlink()


def _replace(path: Path, beside: Path, content: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    with open(beside, "xb", opener=partial(os.open, mode=mode or 0o666)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        beside.chmod(mode)
    beside.replace(os.path.realpath(path))
