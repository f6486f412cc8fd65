"""An arbiter for each fold of tasks: rates, prior, weights and their spread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from stretto.episodes.tasks import N_FOLDS
from stretto.errors import NoConvergence
from stretto.flow.case import FIXED_FEATURES, Case
from stretto.flow.fitting import PUBLISHED, Fitting
from stretto.flow.flow import Fit, Rates
from stretto.flow.judge import log_likelihood, log_odds
from stretto.flow.rates import count_rates, reliability, without
from stretto.models.arbiter import FLATNESS, Choices, Prior, Side, modes
from stretto.models.cases import choices
from stretto.models.descent import MAX_STEPS
from stretto.models.precision import float64
from stretto.models.sites import alike, shrunk_by
from stretto.models.spread import draw_weights

SCALES = (0.03, 0.1, 0.3, 1.0, 3.0)
"""How far from a shipped arbiter's weights a fit may go, as standard deviations."""

Training: TypeAlias = Callable[[Case], bool]
"""Whether a fit learns from a case."""


class Rated(NamedTuple):
    """What a training says about sites."""

    rates: Rates
    trust: list[float]
    """The log-odds of the model's reliability, case by case."""


def fit(
    cases: Sequence[Case], n_weighed: int, how: Fitting = PUBLISHED
) -> tuple[Fit, ...]:
    """
    An arbiter for each of the five folds.

    With `how.by_fold`, a fold's is fitted on the cases of the other folds, its rates
    included, and so knows nothing of how the fold's own decisions went. Otherwise all
    five are one fit on every case.

    Args:
        n_weighed: How many predicates the cases hold a feature of.

    Raises:
        NoConvergence: a descent did not end at a mode, or the chains did not mix.
    """
    with float64():
        return _Fitter(cases, choices(cases, FIXED_FEATURES + n_weighed), how).folds()


@dataclass(frozen=True)
class _Fitter:
    """The cases, and how to fit them."""

    cases: Sequence[Case]
    choices: Choices
    how: Fitting

    def folds(self) -> tuple[Fit, ...]:
        how = self.how
        if how.by_fold:
            trainings = [_outside(fold) for fold in range(N_FOLDS)]
            sds = [self._sd(training) for training in trainings]
        else:
            trainings = [_every] * N_FOLDS
            sds = [self._sd(_every)] * N_FOLDS
        fits, sides = self._fits(trainings, sds)
        if how.posterior is None:
            return fits
        n = N_FOLDS if how.by_fold else 1
        spread = [self._with_draws(fits[i], sides, i) for i in range(n)]
        return tuple(spread * (N_FOLDS // n))

    def _fits(
        self, trainings: Sequence[Training], sds: Sequence[float]
    ) -> tuple[tuple[Fit, ...], Side]:
        """The five trainings' fits, each under a prior of its own scale."""
        rated = [_rated(self.cases, training, self.how) for training in trainings]
        sides = self._sides(trainings, rated, sds)
        found = modes(self.choices, sides)
        flat = FLATNESS * np.maximum(np.sum(sides.counted, axis=1), 1)
        if not np.all(found.slope <= flat):
            raise NoConvergence(
                f"the arbiter's weights are not at their mode after {MAX_STEPS} steps",
                hint="check the cases: a feature is out of all proportion",
            )
        weights = np.asarray(found.at).tolist()
        fits = [
            Fit(tuple(w), rates) for w, (rates, _) in zip(weights, rated, strict=True)
        ]
        return tuple(fits), sides

    def _sides(
        self,
        trainings: Sequence[Training],
        rated: Sequence[Rated],
        sds: Sequence[float],
    ) -> Side:
        shape = (N_FOLDS, len(self.choices.actual))
        trust, counted = np.zeros(shape), np.zeros(shape, bool)
        for i, training in enumerate(trainings):
            trust[i, : len(self.cases)] = rated[i].trust
            counted[i, : len(self.cases)] = [
                case.fittable and case.covered and training(case) for case in self.cases
            ]
        n_weights = self.choices.rows.shape[-1] + 1
        centre = self.how.centre or (0.0,) * n_weights
        prior = Prior(jnp.array([centre] * N_FOLDS), jnp.array(sds))
        return Side(jnp.asarray(trust), jnp.asarray(counted), prior)

    def _sd(self, training: Training) -> float:
        """The prior's scale: of a centred one, that which held-out cases bear best."""
        if self.how.centre is None:
            return 1.0
        likeliest = [self._held_out(training, sd) for sd in SCALES]
        return SCALES[likeliest.index(max(likeliest))]

    def _held_out(self, training: Training, sd: float) -> float:
        """The log probability of the training's own cases, each held out in turn."""
        inner = [_both(training, _outside(fold)) for fold in range(N_FOLDS)]
        fits, _ = self._fits(inner, [sd] * N_FOLDS)
        own = (case for case in self.cases if case.fittable and training(case))
        return log_likelihood(own, fits)

    def _with_draws(self, fitted: Fit, sides: Side, i: int) -> Fit:
        assert self.how.posterior is not None
        data = self.choices.seen(jax.tree.map(lambda part: part[i], sides))
        draws = draw_weights(
            data,
            jnp.array(fitted.weights),
            self.how.posterior,
            draws=self.how.draws,
            seed=self.how.seed,
        )
        return replace(fitted, draws=draws)


def _rated(cases: Sequence[Case], training: Training, how: Fitting) -> Rated:
    """The rates of a training's cases, and the trust in the model at each case."""
    counted = count_rates(filter(training, cases))
    found = alike(counted) if how.pooled_rates and counted.sites else None

    def shrunk(rates: Rates) -> Rates:
        return rates if found is None else shrunk_by(rates, found)

    filed = shrunk(counted)
    trust = []
    for case in cases:
        rates = filed
        if how.left_out and case.fittable and training(case):
            rates = shrunk(without(counted, case))
        trust.append(log_odds(reliability(rates, case.features.site)))
    return Rated(filed, trust)


def _every(_: Case) -> bool:
    return True


def _outside(fold: int) -> Training:
    return lambda case: case.fold != fold


def _both(one: Training, other: Training) -> Training:
    return lambda case: one(case) and other(case)
