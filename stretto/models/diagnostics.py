"""Chains that did not mix are refused, with the figure that says so."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpyro.diagnostics import effective_sample_size, split_gelman_rubin

from stretto.errors import NoConvergence

MAX_R_HAT = 1.05
"""
Above it the chains, cut in halves, still disagree about where the posterior is. Chains
of a few hundred draws that did mix reach 1.03, so a stricter bar would refuse them.
"""

MIN_ESS = 200.0
"""Below it the median's Monte-Carlo error is about a tenth of the posterior's sd."""

_MIN_DRAWS = 4


class Diagnostics(NamedTuple):
    """What a run's chains say about themselves; of several parameters, the worst."""

    r_hat: float
    ess: float
    divergences: int


def diagnose(
    draws: Float[np.ndarray, "chain draw *parameter"], *, divergences: int = 0
) -> Diagnostics:
    """
    The split R̂ and effective sample size of chains that mixed. [Gelman & Rubin 1992]

    Raises:
        NoConvergence: R̂ is above 1.05, fewer than 200 draws are effective, or a
            trajectory diverged. Chains that never moved have no R̂, and fail too.
    """
    n = draws.shape[0] * draws.shape[1]
    if draws.shape[1] < _MIN_DRAWS:
        raise NoConvergence(f"{n} draws are too few to tell whether the chains mixed")
    with np.errstate(invalid="ignore", divide="ignore"):
        r_hat = float(np.max(split_gelman_rubin(draws)))
        ess = float(np.min(effective_sample_size(draws)))
    if not r_hat <= MAX_R_HAT:
        raise NoConvergence(f"the chains disagree: split R̂ is {r_hat:.3f}")
    if not ess >= MIN_ESS:
        raise NoConvergence(f"only {ess:.0f} of {n} draws are effective")
    if divergences:
        raise NoConvergence(f"{divergences} of {n} trajectories diverged")
    return Diagnostics(r_hat, ess, divergences)
