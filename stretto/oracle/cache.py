"""
Answers kept in a folder: `KK/KEY.json`, KK the key's first two digits.

A file holds a response and nothing of its request, so the folder says nothing of what
was asked but through the options' names.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stretto.errors import CannotWrite, OracleError
from stretto.files import read_json, write_text
from stretto.oracle.answer import Response
from stretto.oracle.wire import read_response, response_json

_KEY = re.compile(r"[0-9a-f]{3,128}")

DAMAGED = ".damaged"
"""What a file that does not read is renamed to, behind its name."""


@dataclass(frozen=True, slots=True)
class Cache:
    """The answers in a folder, which need not be there before something is kept."""

    folder: Path

    def get(self, key: str) -> Response | None:
        """
        The answer to `key`, or None where there is none.

        Raises:
            OracleError: the key is none.
            FormatError: there is a file, and it is damaged.
        """
        path = self.path(key)
        return read_response(read_json(path)) if path.is_file() else None

    def put(self, key: str, response: Response) -> None:
        """
        Keep an answer, in place of any other to `key`.

        Raises:
            OracleError: the key is none.
            CannotWrite: the folder cannot be made or written to.
        """
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            why = cause.strerror or cause
            raise CannotWrite(f"{path.parent} cannot be made: {why}") from cause
        write_text(path, json.dumps(response_json(response), indent=2))

    def set_aside(self, key: str) -> None:
        """Rename a damaged file, so that its answer can be kept anew."""
        path = self.path(key)
        with suppress(OSError):  # another thread may have been first
            path.replace(path.with_name(path.name + DAMAGED))

    def listed(self) -> Iterator[str]:
        """The keys of the answers kept, sorted. Other files are passed over."""
        for folder in sorted(self.folder.glob("[0-9a-f][0-9a-f]")):
            for path in sorted(folder.glob("*.json")):
                key = path.name.removesuffix(".json")
                if _KEY.fullmatch(key) and key.startswith(folder.name):
                    yield key

    def path(self, key: str) -> Path:
        """
        Where the answer to `key` is kept.

        Raises:
            OracleError: it is no key: three lower-case hexadecimal digits or more.
        """
        if not _KEY.fullmatch(key):
            raise OracleError(f"{key[:80]!r} is no key of an answer")
        return self.folder / key[:2] / f"{key}.json"
