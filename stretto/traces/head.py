"""The beginning of a file, by which its format is told."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from stretto.canonical import Json
from stretto.traces.source import beginning

SIZE = 2**16
"""How much of a file is looked at, in bytes after decompression."""

_LENIENT = json.JSONDecoder()
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*"?|[\[\]{},]', re.DOTALL)
_LINE_START = re.compile(r"^(?=[\[{])", re.MULTILINE)
_CLOSING = {"[": "]", "{": "}"}
_MAX_LINES = 20


@dataclass(frozen=True, slots=True)
class Head:
    """The first 64 KiB of a file, as text and as JSON."""

    path: Path
    text: str
    value: Json
    """
    The file's first JSON value: its document, or its first readable line. One that
    goes on past the head is closed where the head ends, so its first keys and items
    are there. None where nothing is JSON.
    """

    @classmethod
    def of(cls, path: Path) -> "Head":
        """
        The head of a file, compressed or not.

        Raises:
            OSError: the file cannot be opened.
        """
        text = beginning(path, SIZE).decode("utf-8", "replace").removeprefix("\ufeff")
        return cls(path, text, _first_value(text))


def _first_value(text: str) -> Json:
    """The first array or object that starts a line and can be read."""
    for candidate in _candidates(text.lstrip()):
        try:
            value: Json = _LENIENT.raw_decode(candidate)[0]
        except (ValueError, RecursionError):
            continue
        return value
    return None


def _candidates(text: str) -> Iterator[str]:
    """From each line that starts an array or object on: as it is, then closed."""
    for line in islice(_LINE_START.finditer(text), _MAX_LINES):
        rest = text[line.end() :]
        yield rest
        yield _closed(rest)


def _closed(text: str) -> str:
    """JSON that is cut somewhere, ended after its last whole value."""
    still_open: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case ",":
                end = token.start()
            case "[" | "{" as bracket:
                still_open.append(_CLOSING[bracket])
                end = token.end()
            case "]" | "}" if still_open:
                still_open.pop()
                end = token.end()
    return text[:end] + "".join(reversed(still_open))
