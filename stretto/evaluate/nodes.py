"""The nodes and edges of one episode's graph."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.evaluate.counts import LOOKUP, USED_LATER, USED_NEXT, count
from stretto.evaluate.spent import NOTHING, Spent

UNKNOWN, END = -1, -2
"""Where an edge leads that nobody has followed yet, and where the episode is over."""


class Edges:
    """The edges of one kind, by the node they leave."""

    __slots__ = ("adds", "spent", "to")

    def __init__(self) -> None:
        self.to: list[int] = []
        self.adds: list[int] = []
        """What following one adds to the counts, packed."""
        self.spent: list[Spent] = []
        """What is spared and spent of prompts on the way."""


@dataclass(slots=True)
class Nodes:
    """An episode's nodes, numbered as they were found."""

    first: int = UNKNOWN
    adds: int = 0
    """What is counted before the first node, packed."""
    spent: Spent = NOTHING
    """What is spared and spent before it."""
    site: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    """The probability that the lookup and its arguments are the agent's."""
    order: list[int] = field(default_factory=list)
    """Larger at the far end of every edge than where the edge begins."""
    came: list[int] = field(default_factory=list)
    """An edge to the node: twice the node it leaves, plus 1 where that hands back."""
    make: Edges = field(default_factory=Edges)
    hand_back: Edges = field(default_factory=Edges)

    def __len__(self) -> int:
        return len(self.site)

    def add(self, site: str, score: float, *, order: int, came: int) -> int:
        """A node more, whose edges nobody has followed; its number."""
        self.site.append(site)
        self.score.append(score)
        self.order.append(order)
        self.came.append(came)
        for edges in (self.make, self.hand_back):
            edges.to.append(UNKNOWN)
            edges.adds.append(0)
            edges.spent.append(NOTHING)
        return len(self.site) - 1


class Most(NamedTuple):
    """The most lookups that a node is reached with, on any of the ways to it."""

    lookups: int
    unused: int
    """Of those made, the ones that nothing has used yet."""

    def past(self, adds: int) -> "Most":
        """The same at the end of an edge that adds so much to the counts."""
        made = count(adds, LOOKUP)
        used = count(adds, USED_NEXT) + count(adds, USED_LATER)
        return Most(self.lookups + made, self.unused + made - used)

    def with_(self, other: "Most") -> "Most":
        """The most of both."""
        return Most(max(self.lookups, other.lookups), max(self.unused, other.unused))


NONE = Most(-1, -1)
"""Of a node that no way was found to."""


class Known(NamedTuple):
    """Where a state leads, and what adds up on the way there."""

    node: int
    counted: int
    spent: Spent

    def after(self, counted: int, spent: Spent) -> "Known":
        """The same of a state from which that is added on the way to this one."""
        return Known(self.node, counted + self.counted, spent.then(self.spent))
