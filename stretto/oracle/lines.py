"""Files of one JSON value a line."""

import sys
from collections.abc import Iterator
from pathlib import Path

from stretto.errors import FormatError
from stretto.files import Node, parse_json

MAX_LINE = 16 * 2**20
"""The longest line, in bytes."""

STDIN = Path("-")
"""Stands for standard input."""


def json_lines(path: Path) -> Iterator[Node]:
    """
    A file's values, one at a time; each calls itself by the file and its line.

    Raises:
        FormatError: the file cannot be read, or a line is too long or not JSON.
    """
    try:
        with sys.stdin.buffer if path == STDIN else path.open("rb") as file:
            pieces = iter(lambda: file.readline(MAX_LINE + 1), b"")
            for number, line in enumerate(pieces, start=1):
                name = f"{path}:{number}"
                if len(line) > MAX_LINE:
                    raise FormatError(name, f"is longer than {MAX_LINE // 2**20} MiB")
                if line.strip():
                    yield parse_json(line, name)
    except OSError as cause:
        why = cause.strerror or cause
        raise FormatError(str(path), f"cannot be read: {why}") from cause
