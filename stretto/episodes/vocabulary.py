"""The actions a habit predicts, and the symbols its histories are made of."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.episodes.step import Outcome

RESPOND = "respond"
"""How handing back is spelled among a site's options."""

START = 4294967295
"""The symbol that pads a history shorter than the order."""

MAX_FEATURE = 4095


class Symbol(NamedTuple):
    """A symbol taken apart."""

    action: int
    outcome: Outcome
    feature: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """
    Action ids: 0 is a message, then come the tools, sorted. One more id, the last,
    stands for any other tool.
    """

    tools: tuple[str, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {tool: i for i, tool in enumerate(self.tools, start=1)}
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def of(cls, tools: Iterable[str]) -> "Vocabulary":
        """The vocabulary of these tools, in any order, repeats allowed."""
        return cls(tuple(sorted(set(tools))))

    @property
    def size(self) -> int:
        """The number of ids: a message, the tools, and any other tool."""
        return len(self.tools) + 2

    def id(self, tool: str | None) -> int:
        """The id of a tool, or of a message for None."""
        if tool is None:
            return 0
        return self._ids.get(tool, len(self.tools) + 1)


def symbol(action: int, outcome: int, feature: int = 0) -> int:
    """`(action × 4 + outcome) × 4096 + feature`, the feature capped at 4095."""
    return (action * 4 + outcome) * 4096 + min(feature, MAX_FEATURE)


def parse(code: int) -> Symbol | None:
    """The parts of a symbol; None for `START`."""
    if code == START:
        return None
    head, feature = divmod(code, 4096)
    action, outcome = divmod(head, 4)
    return Symbol(action, Outcome(outcome), feature)
