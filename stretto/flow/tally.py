"""Many runs, counted by the lookups they made."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from stretto.episodes.site import Site
from stretto.flow.recorded import lookups
from stretto.flow.run import Numbers
from stretto.program.handlers import Run

Path: TypeAlias = tuple[Site, ...]
"""The lookups of a run, in order, and whether each failed."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What many runs of one program came to."""

    runs: int
    paths: Mapping[Path, int]
    """How many runs went each way, the most common first."""
    impossible: int
    """How many met a soft error, and so have no probability."""

    @property
    def mean_lookups(self) -> float:
        """Lookups a run."""
        made = sum(len(path) * n for path, n in self.paths.items())
        return made / self.runs if self.runs else 0.0


def tally(runs: Iterable[Run], tools: Numbers) -> Tally:
    """The runs, counted."""
    paths: Counter[Path] = Counter()
    impossible = 0
    for run in runs:
        paths[lookups(run, tools)] += 1
        impossible += bool(run.warnings)
    ordered = sorted(paths.items(), key=lambda item: (-item[1], item[0]))
    return Tally(paths.total(), dict(ordered), impossible)
