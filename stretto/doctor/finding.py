"""One line of the doctor's."""

from enum import StrEnum
from typing import NamedTuple

from stretto.canonical import Json


class Status(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, and it may be worth knowing."""
    PROBLEM = "problem"
    """Something does not work as it is."""


class Finding(NamedTuple):
    """What was found."""

    status: Status
    text: str

    def __str__(self) -> str:
        return f"{self.status} {self.text}"

    def json(self) -> dict[str, Json]:
        """The finding as JSON."""
        return {"status": self.status.value, "text": self.text}


def ok(text: str) -> Finding:
    """All is well."""
    return Finding(Status.OK, text)


def note(text: str) -> Finding:
    """Worth knowing."""
    return Finding(Status.NOTE, text)


def problem(text: str) -> Finding:
    """Something does not work."""
    return Finding(Status.PROBLEM, text)
