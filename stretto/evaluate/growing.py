"""Graphs grown for a batch of settings, an episode at a time, here or in processes."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stretto.episodes.episode import Episode
from stretto.evaluate.asking import Asking
from stretto.evaluate.course import Course, Size
from stretto.evaluate.flat import Flat
from stretto.evaluate.graph import MAX_NODES, CannotGraph, Graph
from stretto.evaluate.nodes import Nodes
from stretto.evaluate.parting import counted, spent
from stretto.evaluate.replay import Replayer
from stretto.evaluate.setting import Batch, Floors, Setting, open_flow
from stretto.evaluate.spent import Spent
from stretto.evaluate.spent_by import SpentBy
from stretto.evaluate.walk import Walk
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.deciders.protocol import Decider
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.oracle.oracle import Oracle

CHUNK = 16
"""How many episodes a process is sent at a time."""


@dataclass(slots=True)
class Grower:
    """A flow and a decider, ready to grow the graph of any episode."""

    flow: Flow
    name: str | None = None
    """The decider's; by default that of the one the flow asks for."""
    max_nodes: int = MAX_NODES
    floors: Floors = field(default_factory=Floors)
    given: Decider | None = None
    """The decider itself, in place of its name."""
    oracle: Oracle | None = None
    """Whom to ask, where the decider asks."""
    decider: Decider = field(init=False)
    asking: Asking = field(init=False)

    def __post_init__(self) -> None:
        self.decider = self.given or decider_of(self.flow, self.name)
        self.flow = open_flow(self.flow)
        self.asking = Asking(Runner.of(self.flow))

    def graph(self, episode: Episode) -> Graph:
        """The episode's graph, before anything has grown."""
        course = Course.of(episode, self.flow.manifest)
        start = Walk.through(self.flow, self.decider, self.asking, course)
        return Graph(
            self.flow,
            self.decider,
            self.floors,
            start,
            oracle=self.oracle,
            max_nodes=self.max_nodes,
        )

    def one_at_a_time(
        self, episode: Episode, batch: Batch
    ) -> tuple[NDArray[np.int64], SpentBy]:
        """What every setting's replay counts and spends, each replayed by itself."""
        counts: list[int] = []
        spends: list[Spent] = []
        for setting in batch.settings:
            replayer = Replayer(setting.applied(self.flow), self.decider, self.oracle)
            walk = replayer.walk(episode)
            replayer.finish(walk, setting.threshold)
            counted, spent = walk.take()
            counts.append(counted)
            spends.append(spent)
        return np.array(counts, np.int64), SpentBy.of(spends)


class Played(NamedTuple):
    """An episode replayed under a batch of settings."""

    size: Size
    counted: NDArray[np.int64]
    """By setting, packed."""
    n_nodes: int
    why_not: str = ""
    """Why it has no graph, and every setting was replayed by itself."""
    spent: SpentBy | None = None
    """What each setting spares and spends, where that was asked for."""


def play(
    grower: Grower,
    graph: Graph,
    episode: Episode,
    batch: Batch,
    *,
    is_spent: bool = False,
) -> Played:
    """
    The episode under every setting of the batch, which the floors have admitted.

    A graph that would be too large is emptied, and the settings replayed one by one.

    Args:
        is_spent: Whether to find out what is spared and spent, too.
    """
    size = graph.start.course.size
    try:
        found = counted(graph, batch)
    except CannotGraph as cause:
        graph.hold(Nodes(), is_counting=False)
        return alone(grower, size, episode, batch, str(cause))
    spends = spent(graph, batch) if is_spent else None
    return Played(size, found, len(graph.nodes), spent=spends)


def alone(
    grower: Grower, size: Size, episode: Episode, batch: Batch, why_not: str
) -> Played:
    """The episode under every setting, each replayed by itself."""
    counts, spends = grower.one_at_a_time(episode, batch)
    return Played(size, counts, 0, why_not, spends)


class Grown(NamedTuple):
    """Some episodes replayed, and their graphs where they were asked for."""

    played: list[Played]
    flat: Flat | None
    floors: Mapping[str, float]


def grow_all(
    grower: Grower,
    episodes: Iterable[Episode],
    batch: Batch,
    *,
    jobs: int,
    keep: bool = False,
    is_spent: bool = False,
) -> Iterator[Grown]:
    """
    Episodes replayed in order, some at a time, by as many processes.

    The processes are started afresh, as a fork after JAX began can hang. No more is
    read ahead than keeps them busy.
    """
    chunks = _chunks(episodes)
    how = Shared(batch.settings, keep, is_spent)
    begin = (grower.flow, grower.decider.name, grower.max_nodes, how)
    pool = ProcessPoolExecutor(
        jobs, get_context("spawn"), initializer=_Process.begin, initargs=begin
    )
    try:
        waiting = deque(
            pool.submit(_Process.grow, chunk) for chunk in islice(chunks, 2 * jobs)
        )
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(
                pool.submit(_Process.grow, chunk) for chunk in islice(chunks, 1)
            )
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(episodes: Iterable[Episode]) -> Iterator[list[Episode]]:
    left = iter(episodes)
    while chunk := list(islice(left, CHUNK)):
        yield chunk


class Shared(NamedTuple):
    """What all processes of `grow_all` do alike."""

    settings: tuple[Setting, ...]
    keep: bool
    is_spent: bool


class _Process:
    """What a process of `grow_all` holds."""

    grower: Grower
    batch: Batch
    how: Shared

    @classmethod
    def begin(
        cls,
        flow: Flow,
        name: str,
        max_nodes: int,
        how: Shared,
    ) -> None:
        """Get ready for any episode. An interrupt is for the first process to tell."""
        signal(SIGINT, SIG_IGN)
        cls.grower = Grower(flow, name, max_nodes)
        cls.batch, cls.how = Batch(how.settings), how
        cls.grower.floors.admit(cls.batch)

    @classmethod
    def grow(cls, episodes: list[Episode]) -> Grown:
        """Some episodes' share of the work."""
        graphs = [cls.grower.graph(episode) for episode in episodes]
        played = [
            play(cls.grower, graph, episode, cls.batch, is_spent=cls.how.is_spent)
            for graph, episode in zip(graphs, episodes, strict=True)
        ]
        flat = (
            Flat.of([(g.nodes, g.is_counting) for g in graphs])
            if cls.how.keep
            else None
        )
        return Grown(played, flat, cls.grower.floors.known)
