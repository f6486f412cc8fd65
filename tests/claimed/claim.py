"""A claim of the paper or of the formats page, and what has become of it here."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Status(StrEnum):
    """What has become of a claim."""

    REPRODUCED = "reproduced"
    """A test of this suite checks it."""
    DIVERGENT = "divergent"
    """It differs here, on purpose or for other agents; the note says how."""
    DEFERRED = "deferred"
    """Nothing here can check it yet; the note says what is missing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One number, formula or rule."""

    source: str
    says: str
    status: Status = Status.REPRODUCED
    note: str = ""


class Unchecked(NamedTuple):
    """A claim that no test confirms, as a section lists it."""

    says: str
    status: Status
    note: str


Row: TypeAlias = str | Unchecked


def deferred(says: str, *why: str) -> Unchecked:
    """A claim that nothing here can check yet."""
    return Unchecked(says, Status.DEFERRED, " ".join(why))


def divergent(says: str, *how: str) -> Unchecked:
    """A claim that differs here: on purpose, or since other agents were measured."""
    return Unchecked(says, Status.DIVERGENT, " ".join(how))


def section(source: str, rows: Mapping[str, Row]) -> dict[str, Claim]:
    """The claims of one section, by id. A plain sentence is a reproduced claim."""
    return {
        key: Claim(source, row) if isinstance(row, str) else Claim(source, *row)
        for key, row in rows.items()
    }


def union(*sections: Mapping[str, Claim]) -> dict[str, Claim]:
    """
    All sections' claims in one table.

    Raises:
        ValueError: an id is used twice.
    """
    table: dict[str, Claim] = {}
    for part in sections:
        if again := table.keys() & part.keys():
            raise ValueError(f"used twice: {', '.join(sorted(again))}")
        table.update(part)
    return table
