"""A flow's families as tables, for scoring many runs at once."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from stretto.flow.flow import Flow
from stretto.flow.run import numbers, predictives
from stretto.program.batch.table import Tabled

_EITHER = (False, True)


def tables(flow: Flow) -> Mapping[str, Tabled]:
    """
    What a flow's program may draw from, as `families` has it; they serve in its place.

    The rows and columns are the tools' numbers, with one more for any other tool.
    """
    found = predictives(flow)
    every = range(len(numbers(flow).names) + 1)
    decide = [
        [
            _padded(found.decide(tool, failed).log_probs, len(every))
            for failed in _EITHER
        ]
        for tool in every
    ]
    outcome = [[found.outcome(tool).log_prob(ok) for ok in _EITHER] for tool in every]
    return {
        "Decide": Tabled(int, 2, found.decide, (int, bool), np.array(decide)),
        "Outcome": Tabled(bool, 1, found.outcome, (int,), np.array(outcome)),
    }


def _padded(row: Sequence[float], length: int) -> list[float]:
    return [*row, *[-math.inf] * (length - len(row))]
