"""The log-probability of many runs' choices at once."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from stretto.errors import ProgramError
from stretto.program.ast import Program
from stretto.program.batch.choices import Batch, Column
from stretto.program.batch.draws import Given
from stretto.program.batch.kinds import lowerable
from stretto.program.batch.lanes import NUMPY, Lanes, Operand, Shared, kind_of
from stretto.program.batch.runs import Runs
from stretto.program.batch.table import Tabled
from stretto.program.batch.walk import Walk
from stretto.program.check import check

BLOCK = 8192
"""How many lanes are walked together: a few arrays of them stay in the cache."""


class Scores(NamedTuple):
    """What each run comes to."""

    log_prob: Lanes
    """In nats; −∞ for a run with a fault."""
    value: Lanes
    """What the run ends with; zero or false for one with a fault."""
    fault: Lanes
    """Its `Fault`, as a number."""


def score(
    program: Program,
    tables: Mapping[str, Tabled],
    data: Mapping[str, Operand],
    batch: Batch,
) -> Scores:
    """
    The runs that make exactly these choices, in the order the batch was made of.

    Each has the log-probability and the value that the interpreter's `score` gives it.
    Where that raises an error, or has a soft one, the run has a fault.

    Args:
        tables: What the program may draw from.
        data: What a run is told: one value for all, or an array of one for each.

    Raises:
        ProgramError: a name stands for nothing, or the program cannot be run on arrays.
    """
    told = by_lane(program, tables, data, batch)
    parts = []
    for start in range(0, max(len(batch), 1), BLOCK):
        part = slice(start, start + BLOCK)
        columns = {a: column.part(part) for a, column in batch.columns.items()}
        mine = {n: v if isinstance(v, Shared) else v[part] for n, v in told.items()}
        runs = Runs(NUMPY, len(batch.order[part]))
        with np.errstate(all="ignore"):
            parts.append(walked(runs, program, tables, mine, columns))
    return by_run(Scores(*map(np.concatenate, zip(*parts, strict=True))), batch)


def walked(
    runs: Runs,
    program: Program,
    tables: Mapping[str, Tabled],
    data: Mapping[str, Operand],
    columns: Mapping[str, Column],
    *,
    most_turns: int | None = None,
) -> Scores:
    """
    The scores by lane.

    Args:
        most_turns: How many turns of a loop are walked. A run that would make another
            ends as unfinished.
    """
    walk = Walk(tables, Given(runs, columns), most_turns=most_turns)
    value = walk.run(program, data)
    return Scores(walk.log_prob, value, runs.fault)


def by_lane(
    program: Program,
    tables: Mapping[str, Tabled],
    data: Mapping[str, Operand],
    batch: Batch,
) -> dict[str, Operand]:
    """
    The data with an element for each lane, once the program is known to run on them.

    Raises:
        ProgramError: a name stands for nothing, or the program cannot be run on arrays.
    """
    told = {name: _laid_out(name, value, batch) for name, value in data.items()}
    check(program, tables, told)
    lowerable(program, tables, {name: kind_of(value) for name, value in told.items()})
    return told


def by_run(scores: Scores, batch: Batch) -> Scores:
    """The scores in the order the batch was made of."""
    return Scores(*(_placed(lanes, batch.order) for lanes in scores))


def _placed(lanes: Lanes, places: Lanes) -> Lanes:
    placed = np.empty_like(lanes)
    placed[places] = lanes
    return placed


def _laid_out(name: str, value: Operand, batch: Batch) -> Operand:
    if isinstance(value, Shared):
        return value
    lanes = np.asarray(value)
    if lanes.shape != batch.order.shape or lanes.dtype.kind not in "bif":
        cause = f"`{name}` is neither one number or boolean nor one for each run"
        raise ProgramError(cause, hint=f"the batch has {len(batch)} runs")
    return lanes.astype(kind_of(lanes))[batch.order]
