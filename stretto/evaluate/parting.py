"""Many settings sent through an episode's graph together, to part where they differ."""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.graph import Graph, NearCaps
from stretto.evaluate.nodes import Edges
from stretto.evaluate.setting import Batch
from stretto.evaluate.spent_by import SpentBy

Counted: TypeAlias = NDArray[np.int64]
"""What was counted, packed, by setting."""


def counted(graph: Graph, batch: Batch) -> Counted:
    """
    What every setting's replay of the graph's episode counts.

    The graph grows by the edges that a setting takes and that were unknown; its floors
    have admitted the batch.

    Raises:
        CannotGraph: the graph does not stand for the replay, or is too large.
    """
    try:
        return _counted(graph, batch)
    except NearCaps:
        graph.count()
        return _counted(graph, batch)


def _counted(graph: Graph, batch: Batch) -> Counted:
    graph.begin()
    total = np.full(len(batch.settings), graph.nodes.adds, np.int64)
    for edges, node, group in _followed(graph, batch):
        total[group] += edges.adds[node]
    return total


def spent(graph: Graph, batch: Batch) -> SpentBy:
    """
    What every setting's replay of the graph's episode spares and spends.

    Raises:
        CannotGraph: as `counted`; never for a batch that was counted before.
    """
    graph.begin()
    by = SpentBy(len(batch.settings))
    by.add(np.arange(len(batch.settings)), graph.nodes.spent)
    for edges, node, group in _followed(graph, batch):
        by.add(group, edges.spent[node])
    return by


def _followed(
    graph: Graph, batch: Batch
) -> Iterator[tuple[Edges, int, NDArray[np.intp]]]:
    """The edges that settings follow, in some order that is each one's own too."""
    parting, nodes = _Parting(graph), graph.nodes
    parting.send(nodes.first, np.arange(len(batch.settings)))
    while parting.heap:
        node, who = parting.next()
        makes = nodes.score[node] >= batch.at(nodes.site[node])[who]
        making, others = who[makes], who[~makes]
        graph.grow(node, make=making.size > 0, hand_back=others.size > 0)
        for edges, group in ((nodes.make, making), (nodes.hand_back, others)):
            if group.size:
                yield edges, node, group
                parting.send(edges.to[node], group)


class _Parting:
    """The settings on their way, by the node they have come to."""

    def __init__(self, graph: Graph) -> None:
        self.order = graph.nodes.order
        self.heap: list[tuple[int, int]] = []
        self.at: dict[int, list[NDArray[np.intp]]] = {}

    def send(self, node: int, who: NDArray[np.intp]) -> None:
        """Have these settings come to a node; past the end there is none."""
        if node < 0:
            return
        if node not in self.at:
            self.at[node] = []
            heappush(self.heap, (self.order[node], node))
        self.at[node].append(who)

    def next(self) -> tuple[int, NDArray[np.intp]]:
        """A node that no setting under way has still to come to, and those there."""
        _, node = heappop(self.heap)
        groups = self.at.pop(node)
        return node, groups[0] if len(groups) == 1 else np.concatenate(groups)
