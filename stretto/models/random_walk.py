"""A NumPyro kernel: random-walk Metropolis, its scale adapted during warm-up."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import random
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, PRNGKeyArray
from numpyro.infer.mcmc import MCMCKernel
from numpyro.infer.util import initialize_model

ACCEPTANCE = 0.44
"""The acceptance rate that mixes fastest in one dimension. [Gelman et al. 1996]"""

_FIRST_ADAPTED = 10
_LOG_SCALES = (math.log(0.001), math.log(100.0))


class WalkState(NamedTuple):
    """Where a chain stands, and how far its proposals go."""

    z: dict[str, Array]
    """The model's sites, unconstrained."""
    potential: Float[Array, ""]
    log_scale: Float[Array, ""]
    proposals: Int[Array, ""]
    accepted: Int[Array, ""]
    rng_key: PRNGKeyArray


class RandomWalk(MCMCKernel):  # type: ignore[misc]  # NumPyro ships no types
    """
    Gaussian proposals around the current value, accepted as Metropolis does.

    The scale starts at 1. During warm-up, from the tenth proposal on, its logarithm
    moves by n^−0.7 times how far the acceptance rate of all n is from 0.44; after it,
    the scale is fixed. A rejection repeats the value. Meant for models with one site.

    It runs one chain; `MCMC(…, chain_method=jax.vmap)` runs several.
    """

    sample_field = "z"

    def __init__(self, model: Callable[..., None]) -> None:
        self.model = model

    def init(
        self,
        rng_key: PRNGKeyArray,
        num_warmup: int,
        init_params: dict[str, Array] | None,
        model_args: tuple[Any, ...],
        model_kwargs: dict[str, Any],
    ) -> WalkState:
        """The state before the first proposal."""
        key, init_key = random.split(rng_key)
        start, self._potential, self._constrain, _ = initialize_model(
            init_key,
            self.model,
            dynamic_args=True,
            model_args=model_args,
            model_kwargs=model_kwargs,
            validate_grad=False,
        )
        self._num_warmup = num_warmup
        z = start.z if init_params is None else init_params
        none = jnp.zeros((), int)
        potential = self._potential(*model_args, **model_kwargs)(z)
        return WalkState(z, potential, jnp.zeros(()), none, none, key)

    def sample(
        self,
        state: WalkState,
        model_args: tuple[Any, ...],
        model_kwargs: dict[str, Any],
    ) -> WalkState:
        """The state after one more proposal."""
        key, step_key, accept_key = random.split(state.rng_key, 3)
        at, unravel = ravel_pytree(state.z)
        step = jnp.exp(state.log_scale) * random.normal(step_key, at.shape)
        there = unravel(at + step)
        potential = self._potential(*model_args, **model_kwargs)(there)
        threshold = -jnp.log(random.uniform(accept_key))
        accept = potential - state.potential < threshold
        proposals = state.proposals + 1
        accepted = state.accepted + accept
        return WalkState(
            {site: jnp.where(accept, there[site], state.z[site]) for site in there},
            jnp.where(accept, potential, state.potential),
            self._adapted(state.log_scale, proposals, accepted),
            proposals,
            accepted,
            key,
        )

    def postprocess_fn(
        self, model_args: tuple[Any, ...], model_kwargs: dict[str, Any]
    ) -> Callable[[dict[str, Array]], dict[str, Array]]:
        """What maps the chain's values to the sites' own support."""
        constrain: Callable[[dict[str, Array]], dict[str, Array]]
        constrain = self._constrain(*model_args, **model_kwargs)
        return constrain

    def _adapted(
        self,
        log_scale: Float[Array, ""],
        proposals: Int[Array, ""],
        accepted: Int[Array, ""],
    ) -> Float[Array, ""]:
        n = proposals.astype(float)
        moved = log_scale + n**-0.7 * (accepted / n - ACCEPTANCE)
        adapts = (proposals >= _FIRST_ADAPTED) & (proposals <= self._num_warmup)
        return jnp.where(adapts, jnp.clip(moved, *_LOG_SCALES), log_scale)
