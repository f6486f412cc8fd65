"""How alike are sites? A Beta over their reliabilities, inferred from all of them."""

import math
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jaxtyping import Array, Float
from numpyro import distributions as dist
from numpyro.infer.util import log_density

from stretto.flow.flow import Rates, SiteRate
from stretto.flow.rates import PRIOR_DECISIONS

SPREAD = 1.5
"""The sd of the prior on the log of how many decisions a site starts from."""

_GRID = 161
"""Points along each parameter."""


class Records(eqx.Module):
    """Each site's decisions, and how many agreed."""

    decisions: Float[Array, " site"]
    agreed: Float[Array, " site"]


class Alike(NamedTuple):
    """What a site's rate is before its own decisions are counted."""

    rate: float
    decisions: float
    """How many decisions at `rate` it is worth: the more, the more alike sites are."""


def model(data: Records) -> None:
    """
    Each site's reliability is drawn from one Beta, and its decisions from it.

    The published ten decisions are the prior's median.
    """
    logit = numpyro.sample("logit", dist.Logistic())
    size = numpyro.sample("size", dist.LogNormal(math.log(PRIOR_DECISIONS), SPREAD))
    rate = jax.nn.sigmoid(logit)
    with numpyro.plate("site", len(data.decisions)):
        agreed = dist.BetaBinomial(rate * size, (1 - rate) * size, data.decisions)
        numpyro.sample("agreed", agreed, obs=data.agreed)


def alike(rates: Rates) -> Alike:
    """
    The posterior's mean, of the rate's log-odds and of the size's logarithm.

    It is computed on a grid, and so is the same each time. [Gelman et al. 2013, ch. 5]
    """
    sites = rates.sites.values()
    data = Records(
        jnp.array([float(site.decisions) for site in sites]),
        jnp.array([float(site.agreed) for site in sites]),
    )
    logits, sizes = np.linspace(-8, 8, _GRID), np.linspace(-3, 9, _GRID)
    density = np.asarray(_log_densities(data, jnp.array(logits), jnp.array(sizes)))
    p = np.exp(density - density.max())
    p /= p.sum()
    logit, size = float(p.sum(1) @ logits), float(p.sum(0) @ sizes)
    return Alike(1 / (1 + math.exp(-logit)), math.exp(size))


def shrunk_by(rates: Rates, found: Alike) -> Rates:
    """
    Rates that a file's own formula, of ten decisions, shrinks as `found` asks for.

    A site's counts are scaled, not its shares: coverage is shrunk alike.
    """
    scale = PRIOR_DECISIONS / found.decisions
    sites = {
        name: SiteRate(*(count * scale for count in rate))
        for name, rate in rates.sites.items()
    }
    return Rates(sites, found.rate, rates.cover)


@jax.jit
def _log_densities(
    data: Records, logits: Float[Array, " rate"], log_sizes: Float[Array, " size"]
) -> Float[Array, "rate size"]:
    """The model's log density at each pair, over log-odds and log size."""

    def at(logit: Float[Array, ""], log_size: Float[Array, ""]) -> Float[Array, ""]:
        values = {"logit": logit, "size": jnp.exp(log_size)}
        density, _ = log_density(model, (data,), {}, values)
        return jnp.add(density, log_size)

    along = jax.vmap(at, in_axes=(None, 0))
    return jax.vmap(along, in_axes=(0, None))(logits, log_sizes)
