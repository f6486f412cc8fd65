"""The LLM turns that one macro call per run of calls would leave out."""

from collections.abc import Iterable
from dataclasses import dataclass

from stretto.episodes.episode import Episode
from stretto.evaluate.runs import runs


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much of an agent's work sits inside runs of calls."""

    turns: int
    """LLM turns."""
    tool_turns: int
    """LLM turns with calls."""
    runs: int
    """Stretches of turns with calls, with nothing said in between."""

    @property
    def spared(self) -> int:
        """The turns beyond each run's first."""
        return self.tool_turns - self.runs

    @property
    def share(self) -> float:
        """`spared` as a share of all LLM turns, 0 where there are none."""
        return self.spared / self.turns if self.turns else 0.0


def headroom(episodes: Iterable[Episode]) -> Headroom:
    """The headroom of all `episodes` together."""
    turns = tool_turns = n_runs = 0
    for episode in episodes:
        turns += len(episode.turns)
        found = runs(episode.events)
        n_runs += len(found)
        tool_turns += sum(run.turns for run in found)
    return Headroom(turns, tool_turns, n_runs)
