"""
A flow's two families as NumPyro distributions, for models of one's own.

`tables` reads them off a flow. Inside a model, `decide` and `outcome` give what follows
a call; both take whole arrays of calls, and can be compiled.
"""

import math

import equinox as eqx
import jax.numpy as jnp
from jax import Array, random
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int
from numpyro import distributions as dist
from numpyro.distributions import constraints

from stretto.flow.flow import Flow
from stretto.flow.run import numbers, predictives


class Decide(dist.Distribution):  # type: ignore[misc]  # NumPyro comes without types
    """
    Which lookup comes next, by number, or 0 to hand back.

    Unlike NumPyro's own categorical, a number that is not on offer has the
    log-probability −∞, not that of the smallest float. Only the rows themselves are
    kept: `scan` would copy a whole table to every step.
    """

    support = constraints.nonnegative_integer
    pytree_data_fields = ("row",)

    def __init__(
        self, row: Float[Array, "*call tool"], *, validate_args: bool | None = None
    ) -> None:
        self.row = row
        super().__init__(row.shape[:-1], (), validate_args=validate_args)

    def sample(self, key: Array, sample_shape: tuple[int, ...] = ()) -> Array:
        """Numbers, one for each call and draw."""
        shape = (*sample_shape, *self.batch_shape)
        return random.categorical(key, self.row, shape=shape).astype(jnp.int32)

    def log_prob(self, value: ArrayLike) -> Array:
        """The log-probability of each number."""
        number = jnp.asarray(value)
        n_tools = self.row.shape[-1]
        shape = jnp.broadcast_shapes(number.shape, self.batch_shape)
        rows = jnp.broadcast_to(self.row, (*shape, n_tools))
        at = jnp.broadcast_to(jnp.clip(number, 0, n_tools - 1), shape)
        found = jnp.take_along_axis(rows, at[..., None], axis=-1)[..., 0]
        return jnp.where((number >= 0) & (number < n_tools), found, -jnp.inf)


class Outcome(dist.Distribution):  # type: ignore[misc]
    """Whether a call succeeds. Exact where the probability is 0 or 1."""

    support = constraints.boolean
    pytree_data_fields = ("p",)

    def __init__(
        self, p: Float[Array, "*call"], *, validate_args: bool | None = None
    ) -> None:
        self.p = p
        super().__init__(jnp.shape(p), (), validate_args=validate_args)

    def sample(self, key: Array, sample_shape: tuple[int, ...] = ()) -> Array:
        """Booleans, one for each call and draw."""
        return random.bernoulli(key, self.p, (*sample_shape, *self.batch_shape))

    def log_prob(self, value: ArrayLike) -> Array:
        """The log-probability of each boolean."""
        return jnp.where(jnp.asarray(value), jnp.log(self.p), jnp.log1p(-self.p))


class Tables(eqx.Module):
    """What follows each call, by the tools' numbers in the flow."""

    names: tuple[str, ...] = eqx.field(static=True)
    """The tools by number; 0 is handing back."""
    log_p: Float[Array, "tool failed number"]
    """Of each next number, in nats. A last tool stands for every unknown one."""
    p_ok: Float[Array, " tool"]
    """Of success."""

    def row(
        self, prev: Int[Array, "*call"], failed: Bool[Array, "*call"]
    ) -> Float[Array, "*call number"]:
        """The log-probabilities after calls to `prev`, for a model to change."""
        return self.log_p[prev, failed.astype(int)]

    def decide(self, prev: Int[Array, "*call"], failed: Bool[Array, "*call"]) -> Decide:
        """The decision after calls to `prev`."""
        return Decide(self.row(prev, failed))

    def outcome(self, tool: Int[Array, "*call"]) -> Outcome:
        """Whether calls to `tool` succeed."""
        return Outcome(self.p_ok[tool])


def tables(flow: Flow) -> Tables:
    """The families of a flow, as arrays of the precision JAX is set to."""
    names, found = numbers(flow).names, predictives(flow)
    every = range(len(names) + 1)
    rows = [[found.decide(n, f).log_probs for f in (False, True)] for n in every]
    padded = [[_padded(row, len(every)) for row in pair] for pair in rows]
    p_ok = [found.outcome(n).p for n in every]
    return Tables(names, jnp.asarray(padded), jnp.asarray(p_ok))


def _padded(row: tuple[float, ...], length: int) -> list[float]:
    return [*row, *[-math.inf] * (length - len(row))]
