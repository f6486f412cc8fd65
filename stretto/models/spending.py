"""
What many settings spare and spend in decision graphs, in one go.

The walks of `stretto.models.sweep`, with what `stretto.evaluate.spent` joins along the
way: whole numbers come out the same to the integer, and dollars but for the order they
are added in.
"""

from types import ModuleType
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int
from numpy.typing import NDArray

from stretto.models.precision import float64
from stretto.models.sweep import TILE, UNKNOWN, Graphs, Incomplete, padded, tiles


@runtime_checkable
class SpendingGraphs(Graphs, Protocol):
    """Graphs that say what is spared and spent; `stretto.evaluate.flat.Walkable`."""

    @property
    def spent(self) -> NDArray[np.int32]:
        """By edge, a place in the tables."""

    @property
    def first_spent(self) -> NDArray[np.int32]:
        """By episode."""

    @property
    def whole(self) -> NDArray[np.int64]:
        """By place: prompt, completion, turns, carried, fresh and again."""

    @property
    def dollars(self) -> NDArray[np.float64]:
        """By place."""


class Spends(NamedTuple):
    """By setting (rows) and episode (columns), as `stretto.evaluate.spent` has them."""

    prompt: NDArray[np.int64]
    completion: NDArray[np.int64]
    dollars: NDArray[np.float64]
    once: NDArray[np.int64]
    again: NDArray[np.int64]


_Stretch: TypeAlias = tuple[Any, ...]
"""Prompt, completion, carried, fresh, again and dollars, of pairs on their way."""


def _joined(xp: ModuleType, so_far: _Stretch, row: Any, cost: Any) -> _Stretch:
    prompt, completion, carried, fresh, again, dollars = so_far
    turns = row[..., 2]
    is_made = turns > 0
    return (
        prompt + row[..., 0],
        completion + row[..., 1],
        xp.where(is_made, carried + fresh + row[..., 3], carried),
        xp.where(is_made, row[..., 4], fresh + row[..., 4]),
        again
        + row[..., 5]
        + xp.where(is_made, turns * carried + (turns - 1) * fresh, 0),
        dollars + cost,
    )


def numpy_spends(graphs: SpendingGraphs, levels: NDArray[np.int32]) -> Spends:
    """
    What each setting spares and spends in each episode.

    Args:
        levels: As `numpy_walk` takes them.

    Raises:
        Incomplete: a graph would have to grow.
    """
    shape = len(levels), len(graphs.first)
    at = np.tile(graphs.first, len(levels))
    row = np.repeat(np.arange(len(levels)) * levels.shape[1], len(graphs.first))
    zeros = (*np.zeros((5, at.size), np.int64), np.zeros(at.size))
    place = np.tile(graphs.first_spent, len(levels))
    total = _joined(np, zeros, graphs.whole[place], graphs.dollars[place])
    live = np.flatnonzero(at > 0)
    while live.size:
        here = at[live]
        if (here == UNKNOWN).any():
            raise Incomplete
        makes = graphs.level[here] >= levels.ravel()[row[live] + graphs.site[here]]
        edge = 2 * here + makes
        place = graphs.spent[edge]
        so_far = tuple(each[live] for each in total)
        joined = _joined(np, so_far, graphs.whole[place], graphs.dollars[place])
        for each, found in zip(total, joined, strict=True):
            each[live] = found
        at[live] = graphs.to[edge]
        live = live[at[live] > 0]
    return _spends([each.reshape(shape) for each in total])


def jax_spends(
    graphs: SpendingGraphs, levels: NDArray[np.int32], *, tile: int = TILE
) -> Spends:
    """As `numpy_spends`, compiled, on JAX's device; about `tile` pairs at a time."""
    n = len(graphs.first)
    by_node = [padded(array, len(graphs.site)) for array in (graphs.site, graphs.level)]
    by_edge = [padded(array, len(graphs.to)) for array in (graphs.to, graphs.spent)]
    by_episode = [padded(array, n) for array in (graphs.first, graphs.first_spent)]
    by_place = [padded(a, len(graphs.dollars)) for a in (graphs.whole, graphs.dollars)]
    with float64():
        arrays = [
            jnp.asarray(array) for array in (*by_node, *by_edge, *by_episode, *by_place)
        ]
        found = [_walked(*arrays, jnp.asarray(some)) for some in tiles(levels, n, tile)]
        if any(bool(is_unknown) for _, is_unknown in found):
            raise Incomplete
        totals = [[np.asarray(each)[:, :n] for each in total] for total, _ in found]
    if not totals:
        return numpy_spends(graphs, levels)
    joined = [
        np.concatenate(parts)[: len(levels)] for parts in zip(*totals, strict=True)
    ]
    return _spends(joined)


def _spends(total: list[NDArray[Any]]) -> Spends:
    prompt, completion, carried, _, again, dollars = total
    return Spends(prompt, completion, dollars, carried, again)


@jax.jit
def _walked(
    site: Int[Array, " node"],
    level: Int[Array, " node"],
    to: Int[Array, " edge"],
    spent: Int[Array, " edge"],
    first: Int[Array, " episode"],
    first_spent: Int[Array, " episode"],
    whole: Int[Array, "place field"],
    dollars: Float[Array, " place"],
    levels: Int[Array, "setting site"],
) -> tuple[_Stretch, Array]:
    def one(acts_from: Array, node: Array, place: Array) -> tuple[Array, _Stretch]:
        def goes(state: tuple[Array, _Stretch]) -> Array:
            return state[0] > UNKNOWN

        def step(state: tuple[Array, _Stretch]) -> tuple[Array, _Stretch]:
            node, so_far = state
            makes = level[node] >= acts_from[site[node]]
            edge = 2 * node + makes.astype(node.dtype)
            row = spent[edge]
            return to[edge], _joined(jnp, so_far, whole[row], dollars[row])

        none = jnp.zeros((), whole.dtype)
        zeros = (none, none, none, none, none, jnp.zeros((), dollars.dtype))
        start = _joined(jnp, zeros, whole[place], dollars[place])
        return lax.while_loop(goes, step, (node, start))

    over_episodes = jax.vmap(one, in_axes=(None, 0, 0))
    ends, totals = jax.vmap(over_episodes, in_axes=(0, None, None))(
        levels, first, first_spent
    )
    return totals, (ends == UNKNOWN).any()
