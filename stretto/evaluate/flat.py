"""Many episodes' graphs as a few arrays: to be kept, sent elsewhere, or walked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.nodes import END, UNKNOWN, Edges, Nodes
from stretto.evaluate.setting import Batch
from stretto.evaluate.spent import Spent
from stretto.evaluate.spent_table import Places, stretches

N_SPECIAL = 2
"""The numbers below a walkable's first node: where an edge ends, and is unknown."""


@dataclass(frozen=True, slots=True)
class Flat:
    """The nodes of many episodes, one episode after the other."""

    sites: tuple[str, ...]
    start: NDArray[np.int64]
    """Where each episode's nodes begin, and after them where the last one's end."""
    first: NDArray[np.int32]
    first_adds: NDArray[np.int64]
    is_counting: NDArray[np.bool_]
    site: NDArray[np.int32]
    """By place among `sites`."""
    score: NDArray[np.float64]
    order: NDArray[np.int32]
    came: NDArray[np.int32]
    to: NDArray[np.int32]
    """Node by kind of edge: handing back, and making the lookup."""
    adds: NDArray[np.int64]
    spent: NDArray[np.int32]
    """What edges spare and spend, by place in the two tables."""
    first_spent: NDArray[np.int32]
    """The same of what comes before each episode's first node."""
    whole: NDArray[np.int64]
    dollars: NDArray[np.float64]

    @property
    def n_episodes(self) -> int:
        """The episodes, those without a node among them."""
        return len(self.first)

    @property
    def n_nodes(self) -> int:
        """The nodes of all of them."""
        return len(self.site)

    @property
    def n_bytes(self) -> int:
        """What the arrays take up in memory."""
        arrays = (getattr(self, name) for name in ARRAYS)
        return sum(array.nbytes for array in arrays)

    @classmethod
    def of(cls, graphs: Sequence[tuple[Nodes, bool]]) -> "Flat":
        """The nodes of some episodes, and whether each graph counts calls."""
        nodes = [found for found, _ in graphs]
        sites = tuple(sorted({site for found in nodes for site in found.site}))
        place = {site: number for number, site in enumerate(sites)}

        edges = [[found.hand_back for found in nodes], [found.make for found in nodes]]
        places = Places()
        first_spent = [places.of(found.spent) for found in nodes]
        spent = [[places.of(x) for e in kind for x in e.spent] for kind in edges]
        return cls(
            sites=sites,
            start=np.array([0, *accumulate(map(len, nodes))], np.int64),
            first=np.array([found.first for found in nodes], np.int32),
            first_adds=np.array([found.adds for found in nodes], np.int64),
            is_counting=np.array([counting for _, counting in graphs], np.bool_),
            site=np.array([place[s] for found in nodes for s in found.site], np.int32),
            score=np.array([s for found in nodes for s in found.score], np.float64),
            order=np.array([n for found in nodes for n in found.order], np.int32),
            came=np.array([n for found in nodes for n in found.came], np.int32),
            to=np.array([[n for e in kind for n in e.to] for kind in edges], np.int32),
            adds=np.array(
                [[n for e in kind for n in e.adds] for kind in edges], np.int64
            ),
            spent=np.array(spent, np.int32),
            first_spent=np.array(first_spent, np.int32),
            whole=places.whole,
            dollars=places.dollars,
        )

    def every(self) -> Iterator[Nodes]:
        """Each episode's nodes, as a graph grows them."""
        table = stretches(self.whole, self.dollars)
        return (self._nodes(episode, table) for episode in range(self.n_episodes))

    def _nodes(self, episode: int, table: Sequence[Spent]) -> Nodes:
        its = slice(self.start[episode], self.start[episode + 1])
        hand_back, make = Edges(), Edges()
        for number, edges in enumerate((hand_back, make)):
            edges.to = self.to[number, its].tolist()
            edges.adds = self.adds[number, its].tolist()
            edges.spent = [table[place] for place in self.spent[number, its].tolist()]
        return Nodes(
            first=int(self.first[episode]),
            adds=int(self.first_adds[episode]),
            spent=table[self.first_spent[episode]],
            site=[self.sites[number] for number in self.site[its]],
            score=self.score[its].tolist(),
            order=self.order[its].tolist(),
            came=self.came[its].tolist(),
            make=make,
            hand_back=hand_back,
        )


ARRAYS = (
    "start", "first", "first_adds", "is_counting", "site", "score", "order", "came",
    "to", "adds", "spent", "first_spent", "whole", "dollars",
)  # fmt: skip
"""The fields of `Flat` that are arrays."""


def joined(parts: Sequence[Flat]) -> Flat:
    """The episodes of all parts, in order; there is at least one part."""
    sites = tuple(sorted({site for part in parts for site in part.sites}))
    place = {site: number for number, site in enumerate(sites)}
    ends = np.cumsum([0, *(part.n_nodes for part in parts)])
    starts = [part.start[:-1] + end for part, end in zip(parts, ends, strict=False)]
    numbers = [np.array([place[s] for s in part.sites], np.int32) for part in parts]
    rows = np.cumsum([0, *(len(part.whole) for part in parts)])[:-1].astype(np.int32)
    return Flat(
        sites=sites,
        start=np.concatenate([*starts, ends[-1:]]),
        first=np.concatenate([part.first for part in parts]),
        first_adds=np.concatenate([part.first_adds for part in parts]),
        is_counting=np.concatenate([part.is_counting for part in parts]),
        site=np.concatenate(
            [own[part.site] for own, part in zip(numbers, parts, strict=True)]
        ),
        score=np.concatenate([part.score for part in parts]),
        order=np.concatenate([part.order for part in parts]),
        came=np.concatenate([part.came for part in parts]),
        to=np.concatenate([part.to for part in parts], axis=1),
        adds=np.concatenate([part.adds for part in parts], axis=1),
        spent=np.concatenate(
            [part.spent + row for part, row in zip(parts, rows, strict=True)], axis=1
        ),
        first_spent=np.concatenate(
            [part.first_spent + row for part, row in zip(parts, rows, strict=True)]
        ),
        whole=np.concatenate([part.whole for part in parts]),
        dollars=np.concatenate([part.dollars for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class Walkable:
    """
    Flat graphs numbered through, for walks that follow many settings at once.

    0 is the end and 1 is unknown; both lead to themselves and add nothing. Scores are
    whole numbers, their places among all scores, so that a walk compares no floats.
    """

    scores: NDArray[np.float64]
    """Every score there is, rising."""
    first: NDArray[np.int32]
    first_adds: NDArray[np.int64]
    site: NDArray[np.int32]
    level: NDArray[np.int32]
    to: NDArray[np.int32]
    """Of node n: handing back at 2n, and making the lookup at 2n + 1."""
    adds: NDArray[np.int64]
    spent: NDArray[np.int32]
    first_spent: NDArray[np.int32]
    whole: NDArray[np.int64]
    dollars: NDArray[np.float64]

    @classmethod
    def of(cls, flat: Flat) -> "Walkable":
        """The graphs as they are; nothing grows in them any more."""
        scores, level = np.unique(flat.score, return_inverse=True)
        starts = np.repeat(flat.start[:-1], np.diff(flat.start))
        special = np.zeros(N_SPECIAL, np.int32)
        to = np.empty((N_SPECIAL + flat.n_nodes, 2), np.int32)
        to[:N_SPECIAL] = np.arange(N_SPECIAL)[:, None]
        to[N_SPECIAL:] = _through(flat.to, starts).T
        adds = np.zeros((N_SPECIAL + flat.n_nodes, 2), np.int64)
        adds[N_SPECIAL:] = flat.adds.T
        spent = np.zeros((N_SPECIAL + flat.n_nodes, 2), np.int32)
        spent[N_SPECIAL:] = flat.spent.T
        return cls(
            scores=scores,
            first=_through(flat.first, flat.start[:-1]),
            first_adds=flat.first_adds,
            site=np.concatenate([special, flat.site]),
            level=np.concatenate([special, level.astype(np.int32)]),
            to=to.ravel(),
            adds=adds.ravel(),
            spent=spent.ravel(),
            first_spent=flat.first_spent,
            whole=flat.whole,
            dollars=flat.dollars,
        )

    def levels(self, flat: Flat, batch: Batch) -> NDArray[np.int32]:
        """By setting and site: the lowest level of a score that is acted on."""
        found = np.zeros((len(batch.settings), max(1, len(flat.sites))), np.int32)
        for number, site in enumerate(flat.sites):
            found[:, number] = np.searchsorted(self.scores, batch.at(site), "left")
        return found


def _through(to: NDArray[np.int32], start: NDArray[np.int64]) -> NDArray[np.int32]:
    numbered = np.where(to >= 0, to + start + N_SPECIAL, 0)
    numbered[to == END] = 0
    numbered[to == UNKNOWN] = 1
    return numbered.astype(np.int32)
