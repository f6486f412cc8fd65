"""What a user may choose about fitting an arbiter; the defaults are as published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stretto.flow.case import Case
from stretto.flow.flow import Fit

Posterior: TypeAlias = Literal["laplace", "nuts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """How to fit."""

    by_fold: bool = False
    """
    One fit for each fold of tasks, on the cases of the other folds; if not, one on all.
    """
    centre: tuple[float, ...] | None = None
    """Weights to start from, in place of zeros, as far as held-out cases bear it."""
    left_out: bool = False
    """Whether a case is left out of the reliability that it is fitted with."""
    pooled_rates: bool = False
    """Whether the cases say how alike sites are, in place of ten decisions' worth."""
    posterior: Posterior | None = None
    """How to draw weights that the arbiter averages over; None for the mode alone."""
    draws: int = 100
    seed: int = 7


PUBLISHED = Fitting()
"""One fit on all cases, shared by the five folds, of weights around zero."""

Fitter: TypeAlias = Callable[[Sequence[Case], int, Fitting], tuple[Fit, ...]]
"""
Fits an arbiter for each of the five folds, given how many predicates are weighed.

`stretto.models.crossfit.fit` is one.
"""
