"""A network's scores of recorded decisions, and the calibration they ask for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stretto.oracle.local.calibration import Calibration, probabilities, temperature
from stretto.oracle.local.case import Case
from stretto.oracle.local.net import Net, Scores

N_BUCKETS = len(Calibration().again)


def scored(net: Net, cases: Sequence[Case], offering: int) -> Scores:
    """
    What the network gives each case's options; −∞ to those that are not offered.

    Args:
        offering: Whose offers count: the place in `Case.offered`.
    """
    scores = np.full((len(cases), _most(cases)), -np.inf)
    for row, case in zip(scores, cases, strict=True):
        offered = [option in case.offered[offering] for option in case.options]
        row[: len(offered)] = np.where(offered, net.scores(case.clues), -np.inf)
    return scores


def stacked(parts: Sequence[Scores]) -> Scores:
    """Scores of several widths, one below the other."""
    width = max(part.shape[1] for part in parts)
    filled = [
        np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=-np.inf)
        for part in parts
    ]
    return np.concatenate(filled)


def taken(cases: Sequence[Case]) -> NDArray[np.intp]:
    """Which of its options each agent took; every one took one of them."""
    return np.array([case.options.index(case.taken or "") for case in cases], np.intp)


def calibrated(
    scores: Scores, cases: Sequence[Case], again: tuple[float, ...]
) -> Calibration:
    """The temperatures under which held-out `cases` were likeliest."""
    index = taken(cases)
    options = [*map(len, (case.options for case in cases))]
    respond = np.array(options, np.intp) - 1  # after the lookups, which are sorted
    is_lookup = index != respond
    lookups = scores.copy()
    lookups[np.arange(len(cases)), respond] = -np.inf
    several = is_lookup & (np.isfinite(lookups).sum(axis=1) > 1)
    return Calibration(
        next=temperature(scores, index),
        tool=temperature(lookups[several], index[several]),
        go_on=temperature(_or_not(scores, respond), is_lookup.astype(np.intp)),
        again=again,
    )


def again(cases: Sequence[Case]) -> tuple[float, ...]:
    """
    How often the last tool was called again, by how many ids it could still take.

    Each share is that of the cases and of two more, one of either kind.
    """
    made, of = np.ones(N_BUCKETS), np.full(N_BUCKETS, 2.0)
    for case in cases:
        of[case.clues.pending] += 1
        made[case.clues.pending] += case.taken == case.site.removesuffix(" (error)")
    return tuple((made / of).tolist())


def _or_not(scores: Scores, respond: NDArray[np.intp]) -> Scores:
    """Two scores each: of `respond`, and of all else together."""
    rest = probabilities(scores)[np.arange(len(scores)), respond]
    tiny = np.finfo(np.float64).tiny
    return np.log(np.maximum(np.stack([rest, 1 - rest], axis=1), tiny))


def _most(cases: Sequence[Case]) -> int:
    return max((len(case.options) for case in cases), default=1)
