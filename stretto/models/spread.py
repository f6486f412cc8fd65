"""How sure is an arbiter of its weights? Draws from their posterior."""

import jax
import numpy as np
from jax import random
from jaxtyping import Array, Float
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS, init_to_value

from stretto.errors import NoConvergence
from stretto.flow.fitting import Posterior
from stretto.models.arbiter import Evidence, loss, model
from stretto.models.diagnostics import diagnose

CHAINS, WARMUP, PER_CHAIN = 4, 300, 500

DIGITS = 6
"""How many significant digits of a draw are kept: far below the posterior's spread."""


def draw_weights(
    data: Evidence,
    mode: Float[Array, " feature"],
    posterior: Posterior,
    *,
    draws: int,
    seed: int,
) -> tuple[tuple[float, ...], ...]:
    """
    Weights drawn from their posterior, or from the Normal that fits it at its mode.

    Raises:
        NoConvergence: the chains did not mix.
    """
    sample = _laplace if posterior == "laplace" else _nuts
    found = sample(data, mode, draws, random.key(seed))
    return tuple(tuple(float(f"{w:.{DIGITS}g}") for w in draw) for draw in found)


@jax.jit
def curvature(
    data: Evidence, mode: Float[Array, " feature"]
) -> Float[Array, "feature feature"]:
    """The Hessian of minus the log density."""
    found: Float[Array, "feature feature"] = jax.hessian(loss)(mode, data)
    return found


def _laplace(
    data: Evidence, mode: Float[Array, " feature"], draws: int, key: Array
) -> Float[np.ndarray, "draw feature"]:
    fitted = dist.MultivariateNormal(mode, precision_matrix=curvature(data, mode))
    return np.asarray(fitted.sample(key, (draws,)))


def _nuts(
    data: Evidence, mode: Float[Array, " feature"], draws: int, key: Array
) -> Float[np.ndarray, "draw feature"]:
    chain = MCMC(
        NUTS(model, init_strategy=init_to_value(values={"weights": mode})),
        num_warmup=WARMUP,
        num_samples=max(PER_CHAIN, -(-draws // CHAINS)),
        num_chains=CHAINS,
        chain_method="vectorized",
        progress_bar=False,
        jit_model_args=True,
    )
    chain.run(key, data, extra_fields=("diverging",))
    by_chain = np.asarray(chain.get_samples(group_by_chain=True)["weights"])
    diverged = int(chain.get_extra_fields()["diverging"].sum())
    try:
        diagnose(by_chain, divergences=diverged)
    except NoConvergence as cause:
        cause.hint = "the Normal at the mode needs no chain: `--posterior laplace`"
        raise
    # Far apart within a chain, so that those kept are nearly independent.
    every = np.concatenate(by_chain)
    return np.take(every, np.linspace(0, len(every) - 1, draws).astype(int), axis=0)
