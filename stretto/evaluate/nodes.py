"""The nodes and edges of one episode's graph."""

from dataclasses import dataclass, field

UNKNOWN, END = -1, -2
"""Where an edge leads that nobody has followed yet, and where the episode is over."""


class Edges:
    """The edges of one kind, by the node they leave."""

    __slots__ = ("adds", "to")

    def __init__(self) -> None:
        self.to: list[int] = []
        self.adds: list[int] = []
        """What following one adds to the counts, packed."""


@dataclass(slots=True)
class Nodes:
    """An episode's nodes, numbered as they were found."""

    first: int = UNKNOWN
    adds: int = 0
    """What is counted before the first node, packed."""
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
        return len(self.site) - 1
