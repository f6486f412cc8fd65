"""Runs of calls, and the LLM turns one macro call per run would leave out."""

from collections.abc import Iterable
from dataclasses import dataclass

from stretto.episodes.episode import AssistantTurn, Episode, UserMessage


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
    turns = tool_turns = runs = 0
    for episode in episodes:
        in_run = False
        for event in episode.events:
            match event:
                case AssistantTurn(calls=()):
                    turns, in_run = turns + 1, False
                case AssistantTurn():
                    turns, tool_turns = turns + 1, tool_turns + 1
                    runs, in_run = runs + (not in_run), True
                case UserMessage():
                    in_run = False
    return Headroom(turns, tool_turns, runs)
