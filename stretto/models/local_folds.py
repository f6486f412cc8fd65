"""
A local model cross-fitted: a network for each fold of tasks left out, and one of all.

Nothing that a fold's network holds has seen the fold: not its parameters, not the
numbers it knows, not when its fit stopped, not its temperatures. The fold after it,
left out of a first fit, says when to stop and how to read the scores; a second fit
takes that fold in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stretto.canonical import Json
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.models.local import DECAY, DIM, DROPPED, EPOCHS, RATE, Fitted, fit
from stretto.models.local_batch import Told, told
from stretto.oracle.local.calibration import loss
from stretto.oracle.local.case import Case
from stretto.oracle.local.file import ALL, Member
from stretto.oracle.local.measure import again, calibrated, scored, taken

N_FITS = 2 * N_FOLDS + 1


class CrossFitted(NamedTuple):
    """The networks by the fold they leave out, or `all`, and the passes of each."""

    members: dict[str, Member]
    epochs: dict[str, int]


def cross_fit(
    cases: Sequence[Case], *, seed: int, advance: Callable[[], None] = lambda: None
) -> CrossFitted:
    """
    The networks of all folds, and of all tasks.

    Args:
        cases: Of at least three folds.
        advance: Called after each of `N_FITS` fits.
    """
    data = _Data.of(cases, seed)
    members, epochs, held_out = {}, {}, []
    for out in range(N_FOLDS):
        watched = data.within(out, {data.after(out)})
        first = data.fit(out, {out, data.after(out)}, watch=watched)
        advance()
        learned = data.within(out, set(range(N_FOLDS)) - {out})
        calibration = calibrated(
            scored(first.net, watched, out), watched, again(learned)
        )
        second = data.fit(out, {out}, epochs=first.epochs)
        advance()
        members[str(out)] = Member(second.net, calibration)
        epochs[str(out)] = first.epochs
        held_out.append(scored(second.net, data.within(out, {out}), out))
    passes = sorted(epochs.values())[N_FOLDS // 2]
    whole = data.fit(N_FOLDS, set(), epochs=passes)
    advance()
    left = [case for out in range(N_FOLDS) for case in data.within(out, {out})]
    members[ALL] = Member(whole.net, calibrated(_stacked(held_out), left, again(left)))
    return CrossFitted(members, {**epochs, ALL: passes})


def training(seed: int, found: CrossFitted) -> dict[str, Json]:
    """What of a training is set down beside the model."""
    return {
        "seed": seed,
        "dimension": DIM,
        "rate": RATE,
        "decay": DECAY,
        "dropped": DROPPED,
        "epochs": dict(found.epochs),
    }


@dataclass(frozen=True)
class _Data:
    """The cases, each with its numbers and its fold."""

    cases: Sequence[Case]
    tolds: Sequence[Told]
    folds: Sequence[int]
    seed: int

    @classmethod
    def of(cls, cases: Sequence[Case], seed: int) -> "_Data":
        return cls(
            cases, [*map(told, cases)], [fold(case.task) for case in cases], seed
        )

    def after(self, out: int) -> int:
        """The next fold that holds a case."""
        held = {*self.folds}
        return next(
            f % N_FOLDS for f in range(out + 1, out + N_FOLDS) if f % N_FOLDS in held
        )

    def places(self, offering: int, folds: set[int]) -> list[int]:
        """The cases of some folds whose step was offered."""
        return [
            place
            for place, case in enumerate(self.cases)
            if self.folds[place] in folds and case.taken in case.offered[offering]
        ]

    def within(self, offering: int, folds: set[int]) -> list[Case]:
        return [self.cases[place] for place in self.places(offering, folds)]

    def fit(
        self,
        offering: int,
        without: set[int],
        *,
        epochs: int = EPOCHS,
        watch: Sequence[Case] = (),
    ) -> Fitted:
        places = self.places(offering, set(range(N_FOLDS)) - without)
        index = taken(watch)
        return fit(
            [self.cases[place] for place in places],
            [self.tolds[place] for place in places],
            offering=offering,
            seed=self.seed,
            epochs=epochs,
            watched=(lambda net: loss(scored(net, watch, offering), index))
            if watch
            else None,
        )


def _stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Scores of several widths, one below the other."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=-np.inf)
            for part in parts
        ]
    )
