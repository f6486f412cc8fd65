"""
The arbiter as a function of arrays, for JAX code of one's own.

It gives the probabilities of `stretto.flow.judge`, and can be compiled, mapped over
many decisions, and differentiated in its weights and in the rates of its sites.
"""

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int32

from stretto.flow.case import Case, Features
from stretto.flow.flow import Fit
from stretto.flow.judge import LEAST, MARGIN
from stretto.flow.rates import PRIOR_DECISIONS, UNSEEN
from stretto.models.cases import choices


class Sight(eqx.Module):
    """What the arbiter sees at a decision, or with one more axis at many."""

    site: Int32[Array, "*case"]
    """The site's place among those of the fit's rates; after all where it is none."""
    rows: Float[Array, "*case option feature"]
    """Each option's features, without the last."""
    offered: Bool[Array, "*case option"]
    """Which options are there, and not only to fill a row."""
    picked: Bool[Array, "*case option"]
    """The model's own choice."""


class RatesModule(eqx.Module):
    """The rates of a fit; the last site stands for any that it has not seen."""

    decisions: Float[Array, " site"]
    agreed: Float[Array, " site"]
    covered: Float[Array, " site"]
    agree: Float[Array, ""]
    cover: Float[Array, ""]

    def reliability(self, site: Int32[Array, ""]) -> Float[Array, ""]:
        """How often the model agreed with the agent at a site, shrunk."""
        return self._shrunk(self.agreed[site], site, self.agree)

    def coverage(self, site: Int32[Array, ""]) -> Float[Array, ""]:
        """How often the agent's step was on offer at a site, shrunk."""
        return self._shrunk(self.covered[site], site, self.cover)

    def _shrunk(
        self, hits: Float[Array, ""], site: Int32[Array, ""], overall: Float[Array, ""]
    ) -> Float[Array, ""]:
        prior = PRIOR_DECISIONS
        return (hits + prior * overall) / (self.decisions[site] + prior)


class ArbiterModule(eqx.Module):
    """One fit of the arbiter as a function of what it sees at a decision."""

    weights: Float[Array, "draw feature"]
    """The fit's draws; its one row of weights where it holds none."""
    rates: RatesModule

    @classmethod
    def of(cls, fit: Fit) -> "ArbiterModule":
        """The module of a fit, of the precision JAX is set to."""
        known = [fit.rates.sites[site] for site in _sites(fit)]
        by_site = np.array([*known, UNSEEN], np.float64).T
        overall = np.array([fit.rates.agree, fit.rates.cover], np.float64)
        rates = RatesModule(*map(jnp.asarray, (*by_site, *overall)))
        return cls(jnp.asarray(np.array(fit.draws or (fit.weights,))), rates)

    def __call__(self, seen: Sight) -> Float[Array, " option"]:
        """
        The probability of each option; what they leave of 1 was not on offer.

        An option that only fills a row has 0, whatever its features are, and passes on
        no derivative.
        """
        return self.rates.coverage(seen.site) * self.relative(seen)

    def relative(self, seen: Sight) -> Float[Array, " option"]:
        """The probability of each option, given that the step is one of them."""
        trust = _log_odds(self.rates.reliability(seen.site))
        last = jnp.where(seen.picked, trust, 0.0)
        rows = jnp.where(seen.offered[:, None], seen.rows, 0.0)
        scores = self.weights[:, :-1] @ rows.T + self.weights[:, -1:] * last
        return jnp.mean(_softmax(scores, seen.offered), axis=0)

    def log_p(self, seen: Sight, actual: Int32[Array, ""]) -> Float[Array, ""]:
        """The log probability, in nats, of the option at a place, given it is one."""
        return jnp.log(jnp.maximum(self.relative(seen)[actual], LEAST))


def sights(fit: Fit, seen: Sequence[Features]) -> Sight:
    """
    What a fit sees at many decisions, padded to as many options as any of them has.

    There may be more rows than decisions: the ones after them offer one option.
    """
    place = {site: i for i, site in enumerate(_sites(fit))}
    data = choices([Case(each, 0, None) for each in seen], len(fit.weights) - 1)
    sites = np.full(len(data.actual), len(place), np.int32)
    sites[: len(seen)] = [place.get(each.site, len(place)) for each in seen]
    return Sight(jnp.asarray(sites), data.rows, data.offered, data.picked)


def _sites(fit: Fit) -> list[str]:
    """The sites that a fit has seen, in the order of a module's rates."""
    return sorted(fit.rates.sites)


def _softmax(
    scores: Float[Array, "draw option"], offered: Bool[Array, " option"]
) -> Float[Array, "draw option"]:
    """Probabilities of the options on offer; all 0 where none is."""
    top = jnp.max(scores, axis=1, keepdims=True, where=offered, initial=-jnp.inf)
    top = lax.stop_gradient(jnp.where(jnp.any(offered), top, 0.0))
    powers = jnp.where(offered, jnp.exp(jnp.where(offered, scores - top, 0.0)), 0.0)
    total = jnp.sum(powers, axis=1, keepdims=True)
    return powers / jnp.where(total > 0, total, 1.0)


def _log_odds(p: Float[Array, ""]) -> Float[Array, ""]:
    """The logarithm of the odds, of a probability kept off 0 and 1."""
    kept = jnp.clip(p, MARGIN, 1 - MARGIN)
    return jnp.log(kept / (1 - kept))
