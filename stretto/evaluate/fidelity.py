"""How far a server answers as the record does."""

from collections import Counter
from dataclasses import dataclass, field

from stretto.episodes.episode import ToolResult
from stretto.evaluate.made import Made, Recorded, same


@dataclass(slots=True)
class Fidelity:
    """How far a server answers otherwise than the record."""

    executed: int = 0
    """The agent's calls that were executed and have a recorded result."""
    differing: Counter[str] = field(default_factory=Counter)
    """Those that returned something else, by tool."""
    answered: int = 0
    """The agent's calls that a lookup answered."""
    misread: Counter[str] = field(default_factory=Counter)
    """Those that the record has another result for, by tool."""
    unsent: int = 0
    """The agent's calls whose arguments are no object, which no server takes."""

    def add(self, other: "Fidelity") -> None:
        """Add another episode's."""
        self.executed += other.executed
        self.answered += other.answered
        self.unsent += other.unsent
        self.differing.update(other.differing)
        self.misread.update(other.misread)

    def read(self, made: Made, recorded: Recorded) -> None:
        """Count a call that a lookup answered."""
        self.answered += 1
        if not alike(made.content, made.error, recorded.result):
            self.misread[recorded.call.tool] += 1


def alike(content: str, error: bool, result: ToolResult | None) -> bool:
    """Whether a call returned what the record has."""
    return result is not None and error == result.error and same(content, result)
