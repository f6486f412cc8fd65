"""What reading brought to light besides the episodes."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stretto.episodes.manifest import Manifest

MAX_PROBLEMS = 1000
"""How many problems a ledger keeps word for word; it counts them all."""


class Problem(NamedTuple):
    """A file, or one entry of it, that could not be read."""

    path: str
    cause: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.cause}"


@dataclass(slots=True)
class Ledger:
    """
    The account of one read, complete once the last episode has been taken.

    The names counted are `files`, `episodes`, `empty` (episodes without events),
    `crashed` (runs that left no messages), `problems`, `not recognised` (files of a
    folder that no reader claimed), `logs beside sessions` (of what a flow or a judge
    decided), `incomplete sessions` (read up to where their log lacks lines), `dropped
    calls` (without a result, where a format says that such a call never ran), `stray
    results` (of no known call), `renamed calls`, `renamed episodes`, `replaced
    surrogates` and `unparsed arguments`; a reader may count more.
    """

    problems: list[Problem] = field(default_factory=list)
    """The first thousand."""
    counts: Counter[str] = field(default_factory=Counter)
    manifest: Manifest = field(default_factory=lambda: Manifest(""))
    """What the sessions themselves say about the tools."""
    contracts: dict[str, str] = field(default_factory=dict)
    """The tools' input contracts, where the sessions list them."""
    conventions: str | None = None
    """The semantic conventions that spans were read by."""
    apart: list[str] = field(default_factory=list)
    """The hosts' sessions whose logs could not be merged: one server's overlap."""

    def problem(self, path: Path | str, cause: str, *, line: int | None = None) -> None:
        """Enter a problem. Reading goes on with the next entry."""
        self.counts["problems"] += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(str(path), cause, line))

    def count(self, name: str, n: int = 1) -> None:
        """Count `n` more of something."""
        self.counts[name] += n
