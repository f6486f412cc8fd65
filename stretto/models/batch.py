"""
Would these runs come from the program? Many at once, compiled.

The program is walked as `stretto.program.batch` walks it, on JAX's arrays, once for
each shape of data; what is compiled then scores any runs of that shape. On a CPU that
pays from some million runs on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Shaped

from stretto.models.precision import float64
from stretto.program.ast import Program
from stretto.program.batch.choices import Batch, Column
from stretto.program.batch.lanes import Arrays, Operand, Shared
from stretto.program.batch.runs import Runs
from stretto.program.batch.score import Scores, by_lane, by_run, walked
from stretto.program.batch.table import Tabled

MOST_TURNS = 8
"""How many turns of a loop are compiled where nothing else is said."""

_JAX = Arrays(jnp, lambda _: True)


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

    Args:
        most_turns: A run that turns in a loop more often than this ends as unfinished.
            Every turn is compiled on its own, so compiling takes that much longer.

    Raises:
        ProgramError: a name stands for nothing, or the program cannot be run on arrays.
    """
    told = by_lane(program, tables, data, batch)
    shared = {name: value for name, value in told.items() if isinstance(value, Shared)}
    length = bucket(len(batch))
    plan = _Plan(program, tables, shared, length, most_turns, repr((program, shared)))
    found = _score(
        plan,
        {name: table.log_p for name, table in tables.items()},
        {n: _padded(v, length) for n, v in told.items() if not isinstance(v, Shared)},
        {
            address: Column(*(_padded(lanes, length) for lanes in column))
            for address, column in batch.columns.items()
        },
    )
    return by_run(Scores(*(np.asarray(lanes)[: len(batch)] for lanes in found)), batch)


def bucket(n: int) -> int:
    """The next of 1, 2, 3, 4, 6, 8, 12, …, so that few lengths are ever compiled."""
    power = 1 << max(n - 1, 0).bit_length()
    return power * 3 // 4 if n <= power * 3 // 4 else power


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is compiled: all that is not an array."""

    program: Program = field(compare=False)
    tables: Mapping[str, Tabled] = field(compare=False)
    shared: Mapping[str, Shared] = field(compare=False)
    length: int
    most_turns: int
    said: str
    """The program and the data; as values, 0 and false and −0 are equal."""


@partial(jax.jit, static_argnums=0)
def _score(
    plan: _Plan,
    log_p: dict[str, Array],
    data: dict[str, Array],
    columns: dict[str, Column],
) -> Scores:
    tables = {n: replace(table, log_p=log_p[n]) for n, table in plan.tables.items()}
    return walked(
        Runs(_JAX, plan.length),
        plan.program,
        tables,
        {**plan.shared, **data},
        columns,
        most_turns=plan.most_turns,
    )


def _padded(
    lanes: Shaped[np.ndarray, " run"], length: int
) -> Shaped[np.ndarray, " lane"]:
    return np.pad(lanes, (0, length - len(lanes)))
