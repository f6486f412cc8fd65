"""
Decision graphs under many settings at once.

Where a setting goes at a node is one comparison of whole numbers, and what an edge adds
is one whole number, so both walks here count exactly what replays one at a time count.
JAX's runs on whatever device JAX has, and takes a second to start; numpy's is the one
to use below some ten million pairs of a setting and an episode.
"""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int
from numpy.typing import NDArray

from stretto.models.batch import bucket
from stretto.models.precision import float64

UNKNOWN = 1
"""The number of an edge's end that nobody has followed; 0 is an episode's end."""

TILE = 2**21
"""How many pairs of a setting and an episode are walked in one go."""


@runtime_checkable
class Graphs(Protocol):
    """Graphs as arrays; `stretto.evaluate.flat.Walkable` says what each one holds."""

    @property
    def first(self) -> NDArray[np.int32]:
        """By episode."""

    @property
    def first_adds(self) -> NDArray[np.int64]:
        """By episode."""

    @property
    def site(self) -> NDArray[np.int32]:
        """By node."""

    @property
    def level(self) -> NDArray[np.int32]:
        """By node."""

    @property
    def to(self) -> NDArray[np.int32]:
        """By edge."""

    @property
    def adds(self) -> NDArray[np.int64]:
        """By edge."""


class Incomplete(Exception):
    """A setting takes an edge that nobody has followed: the graphs have to grow."""


def numpy_walk(graphs: Graphs, levels: NDArray[np.int32]) -> NDArray[np.int64]:
    """
    What each setting (rows) counts in each episode (columns), packed.

    Args:
        levels: By setting and site, the lowest level that is acted on.

    Raises:
        Incomplete: a graph would have to grow.
    """
    shape = len(levels), len(graphs.first)
    at = np.tile(graphs.first, len(levels))
    total = np.tile(graphs.first_adds, len(levels))
    row = np.repeat(np.arange(len(levels)) * levels.shape[1], len(graphs.first))
    flat, live = levels.ravel(), np.arange(at.size)
    while True:
        going = at > UNKNOWN
        if (at == UNKNOWN).any():
            raise Incomplete
        if not going.all():
            at, row, live = at[going], row[going], live[going]
        if not at.size:
            return total.reshape(shape)
        edge = 2 * at + (graphs.level[at] >= flat[row + graphs.site[at]])
        total[live] += graphs.adds[edge]
        at = graphs.to[edge]


def jax_walk(
    graphs: Graphs, levels: NDArray[np.int32], *, tile: int = TILE
) -> NDArray[np.int64]:
    """As `numpy_walk`, compiled, on JAX's device; about `tile` pairs at a time."""
    n_episodes = len(graphs.first)
    nodes = [padded(array, len(graphs.site)) for array in (graphs.site, graphs.level)]
    edges = [padded(array, len(graphs.to)) for array in (graphs.to, graphs.adds)]
    starts = [padded(array, n_episodes) for array in (graphs.first, graphs.first_adds)]
    with float64():
        arrays = [jnp.asarray(array) for array in (*nodes, *edges, *starts)]
        found = [
            _walked(*arrays, jnp.asarray(some))
            for some in tiles(levels, n_episodes, tile)
        ]
        if any(bool(is_unknown) for _, is_unknown in found):
            raise Incomplete
        totals = [np.asarray(total)[:, :n_episodes] for total, _ in found]
    none = np.zeros((0, n_episodes), np.int64)
    return np.concatenate([none, *totals])[: len(levels)]


def padded(array: NDArray[Any], n: int) -> NDArray[Any]:
    """
    The array with zeros behind its first axis, so that few lengths are ever compiled.

    A node of zeros is never come to, and an episode of zeros is over at once.
    """
    found = np.zeros((bucket(n), *array.shape[1:]), array.dtype)
    found[: len(array)] = array
    return found


def tiles(
    levels: NDArray[np.int32], n_episodes: int, tile: int
) -> Iterator[NDArray[np.int32]]:
    """
    The settings, some at a time, so that about `tile` pairs are walked in one go.

    As many as a tile has: the last one again, which goes nowhere new.
    """
    n = max(1, min(bucket(len(levels)), tile // max(1, n_episodes)))
    for i in range(0, len(levels), n):
        some = levels[i : i + n]
        yield np.pad(some, ((0, n - len(some)), (0, 0)), mode="edge")


@jax.jit
def _walked(
    site: Int[Array, " node"],
    level: Int[Array, " node"],
    to: Int[Array, " edge"],
    adds: Int[Array, " edge"],
    first: Int[Array, " episode"],
    first_adds: Int[Array, " episode"],
    levels: Int[Array, "setting site"],
) -> tuple[Int[Array, "setting episode"], Array]:
    def one(
        acts_from: Int[Array, " site"], node: Int[Array, ""], total: Int[Array, ""]
    ) -> tuple[Int[Array, ""], Int[Array, ""]]:
        def goes(state: tuple[Int[Array, ""], Int[Array, ""]]) -> Array:
            return state[0] > UNKNOWN

        def step(
            state: tuple[Int[Array, ""], Int[Array, ""]],
        ) -> tuple[Int[Array, ""], Int[Array, ""]]:
            node, total = state
            makes = level[node] >= acts_from[site[node]]
            edge = 2 * node + makes.astype(node.dtype)
            return to[edge], total + adds[edge]

        return lax.while_loop(goes, step, (node, total))

    over_episodes = jax.vmap(one, in_axes=(None, 0, 0))
    ends, totals = jax.vmap(over_episodes, in_axes=(0, None, None))(
        levels, first, first_adds
    )
    return totals, (ends == UNKNOWN).any()
