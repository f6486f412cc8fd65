"""Keys, which are sent to one server and shown to nobody."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stretto.errors import OracleError

MAX_FILE = 4096
"""The most bytes that a key's file may hold."""

HIDDEN = "[key]"

_KEY = re.compile(r"[!-~]{8,1000}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. Neither its `repr` nor its `str` holds it."""

    value: str = field(repr=False)

    def hidden_in(self, data: bytes) -> bytes:
        """`data` with every copy of the key replaced by `[key]`."""
        return data.replace(self.value.encode(), HIDDEN.encode())


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """Where a key is to be found: in a variable, or in the file another one names."""

    variable: str
    environ: Mapping[str, str] = field(repr=False)

    def find(self) -> Secret | None:
        """
        The key; None where neither variable is set.

        Raises:
            OracleError: the file cannot be read, or what is there is no key.
        """
        if key := self.environ.get(self.variable, "").strip():
            return _checked(key, self.variable)
        if not (path := self.environ.get(f"{self.variable}_FILE")):
            return None
        try:
            with Path(path).open("rb") as file:
                key = file.read(MAX_FILE).decode("ascii").strip()
        except UnicodeDecodeError:
            key = ""
        except OSError as cause:
            why = cause.strerror or "an error"
            message = f"{self.variable}_FILE names a file that cannot be read: {why}"
            raise OracleError(message) from cause
        return _checked(key, f"the file that {self.variable}_FILE names")

    def get(self) -> Secret:
        """
        The key.

        Raises:
            OracleError: there is none, or what is there is no key.
        """
        if (found := self.find()) is None:
            raise OracleError(
                f"there is no key: {self.variable} is not set",
                hint=f"set {self.variable}, or {self.variable}_FILE to a file with the "
                "key; `--oracle replay` needs none",
            )
        return found


def _checked(key: str, place: str) -> Secret:
    if not _KEY.fullmatch(key):
        raise OracleError(
            f"{place} holds no key",
            hint="a key is 8 to 1,000 visible ASCII characters without blanks",
        )
    return Secret(key)
