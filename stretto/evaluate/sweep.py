"""Sessions kept at hand to be replayed under one batch of settings after another."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stretto.episodes.episode import Episode
from stretto.evaluate.course import Size
from stretto.evaluate.flat import Flat, joined
from stretto.evaluate.graph import Graph
from stretto.evaluate.growing import Grower, Played, alone, grow_all, play
from stretto.evaluate.nodes import Nodes
from stretto.evaluate.parting import spent
from stretto.evaluate.setting import Batch, Setting
from stretto.evaluate.spent_by import SpentBy


def replay_all(
    grower: Grower,
    episodes: Iterable[Episode],
    settings: Sequence[Setting],
    *,
    jobs: int = 1,
    is_spent: bool = False,
) -> Iterator[Played]:
    """
    Each episode, in order, under every setting; its graph is gone once it was played.

    Args:
        is_spent: Whether to find out what is spared and spent, too.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    batch = Batch(settings)
    grower.floors.admit(batch)
    if jobs > 1 and grower.oracle is None:
        for grown in grow_all(grower, episodes, batch, jobs=jobs, is_spent=is_spent):
            yield from grown.played
        return
    for episode in episodes:
        graph = grower.graph(episode)
        yield play(grower, graph, episode, batch, is_spent=is_spent)


@dataclass(slots=True)
class Sweep:
    """
    Episodes and their graphs under one decider.

    A batch of settings costs the states it is the first to come to. One that acts on
    less than every setting before it did starts all graphs anew.
    """

    grower: Grower
    episodes: Sequence[Episode]
    jobs: int = 1
    graphs: list[Graph] = field(init=False)
    why_not: dict[int, str] = field(default_factory=dict)
    """By episode: why it has no graph, and is replayed setting by setting."""
    _is_new: bool = True

    def __post_init__(self) -> None:
        self.graphs = [self.grower.graph(episode) for episode in self.episodes]

    @property
    def sizes(self) -> list[Size]:
        """What of each episode is the same under every setting."""
        return [graph.start.course.size for graph in self.graphs]

    @property
    def n_nodes(self) -> int:
        """The nodes of all graphs."""
        return sum(len(graph.nodes) for graph in self.graphs)

    def counted(self, settings: Sequence[Setting]) -> NDArray[np.int64]:
        """
        What each setting (rows) counts in each episode (columns), packed.

        Raises:
            CannotDecide: the decider did not keep to the options, or to probabilities.
        """
        batch = Batch(settings)
        if not self.grower.floors.admit(batch):
            for graph in self.graphs:
                graph.hold(Nodes(), is_counting=False)
            self.why_not.clear()
            self._is_new = True
        played = self._in_processes(batch) if self._in_parts else None
        found = played or [self._play(i, batch) for i in range(len(self.graphs))]
        self._is_new = False
        if not found:
            return np.zeros((len(batch.settings), 0), np.int64)
        return np.stack([each.counted for each in found], axis=1)

    def spent(self, settings: Sequence[Setting]) -> list[SpentBy]:
        """
        What each setting spares and spends, by episode.

        Raises:
            CannotDecide: as `counted` does.
        """
        self.counted(settings)
        batch = Batch(settings)
        return [
            self.grower.one_at_a_time(self.episodes[number], batch)[1]
            if number in self.why_not
            else spent(graph, batch)
            for number, graph in enumerate(self.graphs)
        ]

    def flat(self) -> Flat:
        """The graphs as they have grown."""
        return Flat.of([(graph.nodes, graph.is_counting) for graph in self.graphs])

    def hold(self, flat: Flat, floors: dict[str, float]) -> None:
        """Go on from graphs of these episodes that were grown elsewhere."""
        self.grower.floors.known.update(floors)
        held = zip(self.graphs, flat.every(), flat.is_counting.tolist(), strict=True)
        for graph, nodes, is_counting in held:
            graph.hold(nodes, is_counting=is_counting)
        self._is_new = False

    @property
    def _in_parts(self) -> bool:
        """Whether other processes can begin; an oracle is asked by this one alone."""
        return self._is_new and self.jobs > 1 and self.grower.oracle is None

    def _play(self, number: int, batch: Batch) -> Played:
        episode, graph = self.episodes[number], self.graphs[number]
        if number in self.why_not:
            size, cause = graph.start.course.size, self.why_not[number]
            return alone(self.grower, size, episode, batch, cause)
        played = play(self.grower, graph, episode, batch)
        if played.why_not:
            self.why_not[number] = played.why_not
        return played

    def _in_processes(self, batch: Batch) -> list[Played]:
        played: list[Played] = []
        flats: list[Flat] = []
        for grown in grow_all(
            self.grower, self.episodes, batch, jobs=self.jobs, keep=True
        ):
            played += grown.played
            assert grown.flat is not None
            flats.append(grown.flat)
            self.grower.floors.known.update(grown.floors)
        if flats:
            self.hold(joined(flats), {})
        self.why_not = {i: p.why_not for i, p in enumerate(played) if p.why_not}
        return played
