"""
Would these runs come from the program? Many at once, compiled.

The program is walked as `stretto.program.batch` walks it, on JAX's arrays, once for
each shape of the data; what is compiled then scores any runs of that shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Shaped

from stretto.models.precision import float64
from stretto.program.ast import Program
from stretto.program.batch.choices import Batch, Column
from stretto.program.batch.lanes import Arrays, Lanes, Operand, Shared
from stretto.program.batch.runs import Runs
from stretto.program.batch.score import Scores, by_lane, walked
from stretto.program.batch.table import Tabled

MOST_TURNS = 8
"""How many turns of a loop are compiled where nothing else is said."""

_JAX = Arrays(jnp, lambda _: True)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compiled: all that is not an array."""

    program: Program = field(compare=False)
    tables: Mapping[str, Tabled] = field(compare=False)
    shared: Mapping[str, Shared] = field(compare=False)
    most_turns: int
    said: str
    """The rest in words: as values, 0 and false and −0 are equal."""


class Prepared(eqx.Module):
    """Runs on the device, to be scored by more than one set of tables."""

    plan: Plan = eqx.field(static=True)
    runs: int = eqx.field(static=True)
    data: dict[str, Shaped[Array, " lane"]]
    columns: dict[str, Column]
    lane: Int[Array, " lane"]
    """Each run's lane; after them, the lanes without a run."""

    @float64()
    def score(self, log_p: Mapping[str, Float[Array, "..."]]) -> Scores:
        """What each run comes to where each family's `Tabled.log_p` is this."""
        found = _score(self.plan, dict(log_p), self.data, self.columns, self.lane)
        return Scores(*(of_lanes[: self.runs] for of_lanes in found))

    @float64()
    def log_prob(
        self, log_p: Mapping[str, Float[Array, "..."]]
    ) -> Float[Array, " run"]:
        """
        The log-probabilities alone, in about half the time.

        They are differentiable in `log_p`: the derivatives are how often each value
        came up.
        """
        found: Float[Array, " lane"]
        found = _log_prob(self.plan, dict(log_p), self.data, self.columns, self.lane)
        return found[: self.runs]


@float64()
def prepare(
    program: Program,
    tables: Mapping[str, Tabled],
    data: Mapping[str, Operand],
    batch: Batch,
    *,
    most_turns: int = MOST_TURNS,
) -> Prepared:
    """
    The runs of a batch on JAX's device.

    Args:
        most_turns: A run that turns in a loop more often than this ends as unfinished.
            Every turn is compiled on its own, so that compiling takes as much longer.

    Raises:
        ProgramError: a name stands for nothing, or the program cannot be run on arrays.
    """
    told = by_lane(program, tables, data, batch)
    types = {name: (table.draws, table.takes) for name, table in tables.items()}
    shared = {name: value for name, value in told.items() if isinstance(value, Shared)}
    own = {n: value for n, value in told.items() if not isinstance(value, Shared)}
    pad = partial(_padded, length=bucket(len(batch)))
    return Prepared(
        plan=Plan(program, tables, shared, most_turns, repr((program, types, shared))),
        runs=len(batch),
        data=jax.tree.map(pad, own),
        columns=jax.tree.map(pad, dict(batch.columns)),
        lane=pad(np.argsort(batch.order)),
    )


@float64()
def score(
    program: Program,
    tables: Mapping[str, Tabled],
    data: Mapping[str, Operand],
    batch: Batch,
    *,
    most_turns: int = MOST_TURNS,
) -> Scores:
    """
    The scores of `stretto.program.batch.score`, by compiled code.

    Raises:
        ProgramError: a name stands for nothing, or the program cannot be run on arrays.
    """
    prepared = prepare(program, tables, data, batch, most_turns=most_turns)
    log_p = {name: jnp.asarray(table.log_p) for name, table in tables.items()}
    return Scores(*map(np.asarray, prepared.score(log_p)))


def bucket(n: int) -> int:
    """The next of 1, 2, 3, 4, 6, 8, 12, …, so that few lengths are ever compiled."""
    power = 1 << max(n - 1, 0).bit_length()
    return power * 3 // 4 if n <= power * 3 // 4 else power


def _walked(
    plan: Plan,
    log_p: dict[str, Array],
    data: dict[str, Array],
    columns: dict[str, Column],
    lane: Int[Array, " lane"],
) -> Scores:
    rows, told = cast(dict[str, Lanes], log_p), cast(dict[str, Lanes], data)
    scores = walked(
        Runs(_JAX, len(lane)),
        plan.program,
        {name: replace(t, log_p=rows[name]) for name, t in plan.tables.items()},
        {**plan.shared, **told},
        columns,
        most_turns=plan.most_turns,
    )
    by_run: Scores = jax.tree.map(
        lambda found: jnp.take(found, lane, mode="clip"), scores
    )
    return by_run


_score = jax.jit(_walked, static_argnums=0)
_log_prob = jax.jit(lambda *args: _walked(*args).log_prob, static_argnums=0)


def _padded(
    lanes: Shaped[np.ndarray, " run"], *, length: int
) -> Shaped[Array, " lane"]:
    return jnp.asarray(np.pad(lanes, (0, length - len(lanes))))
