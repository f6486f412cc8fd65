"""A NumPyro kernel: random-walk Metropolis, its scale adapted during warm-up."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import random
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, UInt32
from numpyro.infer.mcmc import MCMCKernel
from numpyro.infer.util import initialize_model
from numpyro.util import is_prng_key

ACCEPTANCE = 0.44
"""The acceptance rate that mixes fastest in one dimension. [Gelman et al. 1996]"""

Sites: TypeAlias = dict[str, Array]
"""A model's sites, unconstrained."""

Keys: TypeAlias = Key[Array, "*chain"] | UInt32[Array, "*chain 2"]
"""One key, or one for each chain of a batch."""

Potential: TypeAlias = Callable[[Sites], Float[Array, ""]]

_FIRST_ADAPTED = 10
_LOG_SCALES = (math.log(0.001), math.log(100.0))


class WalkState(NamedTuple):
    """Where a chain stands, and how far its proposals go."""

    z: Sites
    potential: Float[Array, "*chain"]
    log_scale: Float[Array, "*chain"]
    proposals: Int[Array, "*chain"]
    accepted: Int[Array, "*chain"]
    rng_key: Keys


class RandomWalk(MCMCKernel):  # type: ignore[misc]  # NumPyro ships no types
    """
    Gaussian proposals around the current value, accepted as Metropolis does.

    The scale starts at 1. During warm-up, from the tenth proposal on, its logarithm
    moves by n^−0.7 times how far the acceptance rate of all n is from 0.44; after it,
    the scale is fixed. A rejection repeats the value. Meant for models with one site.
    """

    sample_field = "z"

    def __init__(self, model: Callable[..., None]) -> None:
        self.model = model

    def init(
        self,
        rng_key: Keys,
        num_warmup: int,
        init_params: Sites | None,
        model_args: tuple[Any, ...],
        model_kwargs: dict[str, Any],
    ) -> WalkState:
        """The state before the first proposal, of one chain or of a batch."""
        self._num_warmup = num_warmup
        start = partial(self._start, model_args, model_kwargs)
        if is_prng_key(rng_key):
            return start(rng_key, init_params)
        return jax.vmap(start)(rng_key, init_params)

    def sample(
        self,
        state: WalkState,
        model_args: tuple[Any, ...],
        model_kwargs: dict[str, Any],
    ) -> WalkState:
        """The state after one more proposal, of one chain or of a batch."""
        step = partial(self._step, self._potential(*model_args, **model_kwargs))
        return (jax.vmap(step) if state.log_scale.ndim else step)(state)

    def postprocess_fn(
        self, model_args: tuple[Any, ...], model_kwargs: dict[str, Any]
    ) -> Callable[[Sites], Sites]:
        """What maps the chain's values to the sites' own support."""
        constrain: Callable[[Sites], Sites]
        constrain = self._constrain(*model_args, **model_kwargs)
        return constrain

    def _start(
        self,
        model_args: tuple[Any, ...],
        model_kwargs: dict[str, Any],
        key: PRNGKeyArray,
        z: Sites | None,
    ) -> WalkState:
        key, start_key = random.split(key)
        start, self._potential, self._constrain, _ = initialize_model(
            start_key,
            self.model,
            dynamic_args=True,
            model_args=model_args,
            model_kwargs=model_kwargs,
            validate_grad=False,
        )
        z = start.z if z is None else z
        none = jnp.zeros((), int)
        potential = self._potential(*model_args, **model_kwargs)(z)
        return WalkState(z, potential, jnp.zeros(()), none, none, key)

    def _step(self, potential: Potential, state: WalkState) -> WalkState:
        key, step_key, accept_key = random.split(state.rng_key, 3)
        at, unravel = ravel_pytree(state.z)
        there = unravel(
            at + jnp.exp(state.log_scale) * random.normal(step_key, at.shape)
        )
        proposed = potential(there)
        rise = proposed - state.potential
        accept = rise < -jnp.log(random.uniform(accept_key))
        proposals = state.proposals + 1
        accepted = state.accepted + accept
        return WalkState(
            {site: jnp.where(accept, there[site], state.z[site]) for site in there},
            jnp.where(accept, proposed, state.potential),
            self._adapted(state.log_scale, proposals, accepted),
            proposals,
            accepted,
            key,
        )

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
