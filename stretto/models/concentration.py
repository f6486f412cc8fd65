"""
How much is the shorter history worth? The concentration α, given the training episodes.

The default estimate is the quadrature of `stretto.habit.concentration`, which needs no
JAX. The model here states the same density for NumPyro, and draws from it by NUTS or by
a random walk.
"""

import math
from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import numpyro
from jax import random
from jaxtyping import Array, Float
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS

from stretto.habit.concentration import PRIOR_SD, QUANTILES, Posterior, Sampler, grid
from stretto.habit.encode import Encoded
from stretto.habit.prequential import Prequential, prequential
from stretto.models.diagnostics import Diagnostics, diagnose
from stretto.models.precision import float64
from stretto.models.random_walk import RandomWalk


class Evidence(eqx.Module):
    """What `Prequential` holds, as arrays that a model can be traced with."""

    hits: Float[Array, "level step"]
    """The earlier steps with the step's context and its action."""
    total: Float[Array, "level step"]
    """The earlier steps with its context."""
    weight: Float[Array, " step"]
    """How much its log probability counts."""
    uniform: Float[Array, ""]
    """The chance of each action before anything is counted."""


def log_evidence(alpha: Float[Array, ""], data: Evidence) -> Float[Array, ""]:
    """
    The training steps' log probability, each given the steps before it, in nats.

    It is the sum that `stretto.habit.prequential` computes without JAX. [Dawid 1984]
    """
    p = jnp.broadcast_to(data.uniform, data.weight.shape)
    for hits, total in zip(data.hits, data.total, strict=True):
        p = (hits + alpha * p) / (total + alpha)
    return jnp.sum(data.weight * jnp.log(p))


def model(data: Evidence) -> None:
    """log α is Normal around 0, and the training steps bear on it as a factor."""
    log_alpha = numpyro.sample("log_alpha", dist.Normal(0.0, PRIOR_SD))
    numpyro.factor("evidence", log_evidence(jnp.exp(log_alpha), data))


def concentration(
    encoded: Sequence[Encoded],
    vocab_size: int,
    *,
    order: int = 2,
    sampler: Sampler = "grid",
    draws: int = 600,
    warmup: int = 300,
    chains: int = 4,
    seed: int = 7,
    weighted: bool = False,
) -> Posterior:
    """
    What these episodes, in this order, say about α.

    Args:
        sampler: `grid` computes the posterior. `nuts` and `mh` draw from it: `draws`
            times in each chain, after `warmup`.
        weighted: Counts and log probabilities take each episode's weight, as the habit
            fitted on them does. The published estimate does not.

    Raises:
        NoConvergence: the chains' draws are not to be used.
    """
    data = prequential(encoded, vocab_size, order=order, weighted=weighted)
    if sampler == "grid":
        return grid(data)
    kernel, fields = _KERNELS[sampler]
    chain = MCMC(
        kernel(model),
        num_warmup=warmup,
        num_samples=draws,
        num_chains=chains,
        chain_method="vectorized",
        progress_bar=False,
        jit_model_args=True,
    )
    with float64():
        chain.run(random.key(seed), evidence(data), extra_fields=fields)
        log_alpha = np.asarray(chain.get_samples(group_by_chain=True)["log_alpha"])
        diverged = sum(int(chain.get_extra_fields()[name].sum()) for name in fields)
    return _posterior(log_alpha, sampler, diagnose(log_alpha, divergences=diverged))


def evidence(data: Prequential) -> Evidence:
    """The counts as JAX arrays, of the precision in force."""
    return Evidence(
        hits=jnp.asarray(data.hits),
        total=jnp.asarray(data.total),
        weight=jnp.asarray(data.weight),
        uniform=jnp.asarray(1.0 / data.vocab_size),
    )


_KERNELS = {"nuts": (NUTS, ("diverging",)), "mh": (RandomWalk, ())}
"""The samplers, and what of their states counts divergences."""


def _posterior(
    log_alpha: Float[np.ndarray, "chain draw"], sampler: Sampler, found: Diagnostics
) -> Posterior:
    draws = np.exp(log_alpha).ravel().tolist()
    ordered = sorted(draws)
    # The draw at a quantile's rank, rounded half up: no two draws are mixed.
    low, median, high = (
        ordered[math.floor((len(ordered) - 1) * q + 0.5)] for q in QUANTILES
    )
    return Posterior(median, low, high, sampler, tuple(draws), *found)
