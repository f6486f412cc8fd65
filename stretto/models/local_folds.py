"""
A local model cross-fitted: a network for each fold of tasks left out, and one of all.

Nothing that a fold's network holds has seen the fold: not its parameters, not the
numbers it knows, not after how many passes its fit stopped, not its temperatures. Each
other fold is left out of a first fit in turn; where all of these together were
likeliest, the fit of all of them stops, and so their scores are read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.models.local import DECAY, DIM, DROPPED, RATE, fit
from stretto.models.local_batch import Told, told
from stretto.oracle.local.calibration import Calibration, loss
from stretto.oracle.local.case import Case
from stretto.oracle.local.file import ALL, Member
from stretto.oracle.local.measure import (
    again,
    calibrated,
    scored,
    stacked,
    taken,
)
from stretto.oracle.local.net import Net, Scores

EPOCHS = 12
"""The most passes of a fit over its decisions."""

N_FITS = N_FOLDS * N_FOLDS + 1
"""For each fold those that leave another out, and the fold's; and that of all."""


class CrossFitted(NamedTuple):
    """The networks by the fold they leave out, or `all`, and the passes of each."""

    members: dict[str, Member]
    epochs: dict[str, int]


class Stop(NamedTuple):
    """After how many passes a fit stops, and how its scores are read then."""

    epochs: int
    calibration: Calibration


def cross_fit(
    cases: Sequence[Case], *, seed: int, advance: Callable[[], None] = lambda: None
) -> CrossFitted:
    """
    The networks of all folds, and of all tasks.

    Args:
        cases: Of at least three folds.
        advance: Called after each of at most `N_FITS` fits.
    """
    data = _Data.of(cases, seed, advance)
    members, stops, held_out = {}, [], []
    for out in range(N_FOLDS):
        stops.append(data.stop(out))
        net = data.fit(out, {out}, epochs=stops[-1].epochs)
        members[str(out)] = Member(net, stops[-1].calibration)
        held_out.append(scored(net, data.within(out, {out}), out))
    left = [case for out in range(N_FOLDS) for case in data.within(out, {out})]
    passes = sorted(stop.epochs for stop in stops)[N_FOLDS // 2]
    whole = data.fit(N_FOLDS, set(), epochs=passes)
    members[ALL] = Member(whole, calibrated(stacked(held_out), left, again(left)))
    epochs = {str(out): stop.epochs for out, stop in enumerate(stops)}
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
    advance: Callable[[], None]

    @classmethod
    def of(
        cls, cases: Sequence[Case], seed: int, advance: Callable[[], None]
    ) -> "_Data":
        folds = [fold(case.task) for case in cases]
        return cls(cases, [*map(told, cases)], folds, seed, advance)

    def places(self, offering: int, folds: set[int]) -> list[int]:
        """The cases of some folds whose step was offered."""
        return [
            place
            for place, case in enumerate(self.cases)
            if self.folds[place] in folds and case.taken in case.offered[offering]
        ]

    def within(self, offering: int, folds: set[int]) -> list[Case]:
        return [self.cases[place] for place in self.places(offering, folds)]

    def stop(self, out: int) -> Stop:
        """When the fit that leaves a fold out stops: by the other folds in turn."""
        watched: list[Case] = []
        after: list[list[Scores]] = [[] for _ in range(EPOCHS)]
        for other in sorted({*self.folds} - {out}):
            if not (own := self.within(out, {other})):
                continue
            watched += own
            watch = _Watch(own, out, iter(after))
            self.fit(out, {out, other}, epochs=EPOCHS, after=watch)
        scores = [*map(stacked, after)]
        index = taken(watched)
        losses = [loss(of_pass, index) for of_pass in scores]
        best = losses.index(min(losses))
        return Stop(best + 1, calibrated(scores[best], watched, again(watched)))

    def fit(
        self,
        offering: int,
        without: set[int],
        *,
        epochs: int,
        after: Callable[[Net], None] | None = None,
    ) -> Net:
        places = self.places(offering, set(range(N_FOLDS)) - without)
        net = fit(
            [self.cases[place] for place in places],
            [self.tolds[place] for place in places],
            offering=offering,
            seed=self.seed,
            epochs=epochs,
            after=after,
        )
        self.advance()
        return net


@dataclass(frozen=True)
class _Watch:
    """Scores cases after each pass of a fit, into one list a pass."""

    cases: Sequence[Case]
    offering: int
    passes: Iterator[list[Scores]]

    def __call__(self, net: Net) -> None:
        next(self.passes).append(scored(net, self.cases, self.offering))
