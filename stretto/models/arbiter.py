"""
How to weigh the habit against the System-One model? The arbiter's weights, given cases.

A conditional logit with Normal weights. Its mode is the ridge fit that flows carry;
draws from its posterior say how far the cases bear it out.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpyro
from jaxtyping import Array, Bool, Float, Int32
from numpyro import distributions as dist
from numpyro.handlers import mask
from numpyro.infer.util import log_density

from stretto.models.descent import Minimum, descend

NEVER = -1e30
"""The score of an option that is only there to fill a row."""

FLATNESS = 1e-9
"""How steep the density may be at its mode, for each case."""


class Choices(eqx.Module):
    """Decisions at one shape, padded by options and by decisions that do not count."""

    rows: Float[Array, "case option feature"]
    """Without the last feature."""
    offered: Bool[Array, "case option"]
    picked: Bool[Array, "case option"]
    actual: Int32[Array, " case"]

    def seen(self, side: "Side") -> "Evidence":
        """The decisions as one fit sees them."""
        last = jnp.where(self.picked, side.trust[..., None], 0.0)
        rows = jnp.concatenate([self.rows, last[..., None]], axis=-1)
        return Evidence(rows, self.offered, self.actual, side.counted, side.prior)


class Prior(eqx.Module):
    """Where the weights are before any case is seen: of mode 0 and sd 1, a ridge."""

    mean: Float[Array, "*fit feature"]
    sd: Float[Array, "*fit"]


class Side(eqx.Module):
    """What one fit does not share with another on the same decisions."""

    trust: Float[Array, "*fit case"]
    """The log-odds of the site's reliability."""
    counted: Bool[Array, "*fit case"]
    """Whether the fit learns from the decision."""
    prior: Prior


class Evidence(eqx.Module):
    """Decisions with every feature, and what the agent did at those that count."""

    rows: Float[Array, "case option feature"]
    offered: Bool[Array, "case option"]
    actual: Int32[Array, " case"]
    counted: Bool[Array, " case"]
    prior: Prior


def model(data: Evidence) -> None:
    """Normal weights; each step is a draw among the options, by their scores."""
    before = dist.Normal(data.prior.mean, data.prior.sd).to_event(1)
    weights = numpyro.sample("weights", before)
    scores = jnp.where(data.offered, data.rows @ weights, NEVER)
    with numpyro.plate("case", len(data.actual)), mask(mask=data.counted):
        numpyro.sample("step", dist.Categorical(logits=scores), obs=data.actual)


def loss(weights: Float[Array, " feature"], data: Evidence) -> Float[Array, ""]:
    """Minus the model's log density, in nats."""
    density, _ = log_density(model, (data,), {}, {"weights": weights})
    return jnp.negative(density)


@jax.jit
def modes(choices: Choices, sides: Side) -> Minimum:
    """The likeliest weights for each side, all of them at once."""

    def mode(side: Side) -> Minimum:
        data = choices.seen(side)
        flat = FLATNESS * jnp.maximum(jnp.sum(side.counted), 1)
        return descend(lambda at: loss(at, data), side.prior.mean, flat)

    return jax.vmap(mode)(sides)
