"""
Is a run surprising? A program as a NumPyro model.

The same generator runs; its draws are `numpyro.sample` sites under their addresses, so
that NumPyro's own handlers seed, condition, block or trace it. Which sites there are
depends on what is drawn: a lowered program runs as Python, never under `jit`.
"""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import jax.numpy as jnp
import numpyro
from numpyro import distributions as dist
from numpyro.infer.util import log_density as numpyro_log_density
from numpyro.primitives import Messenger

from stretto.errors import ProgramError
from stretto.models.families import Decide, Outcome
from stretto.models.precision import float64
from stretto.program.events import Draw, Observation, Steps, Weight
from stretto.program.families import Bernoulli, Categorical, Distribution
from stretto.program.handlers import all_made, answer, given
from stretto.program.parametric import Parametric
from stretto.program.values import Value

Model = Callable[[], Value]
"""A NumPyro model without arguments."""


def numpyro_model(start: Callable[[], Steps]) -> Model:
    """A NumPyro model of the runs that `start` starts, returning what they end with."""

    def model() -> Value:
        weights = 0

        def choose(draw: Draw) -> Value:
            fn = lowered(draw.distribution)
            return draw.draws(numpyro.sample(draw.address, fn))

        def said(event: Observation | Weight) -> None:
            nonlocal weights
            match event:
                case Observation(address, distribution, value):
                    numpyro.sample(address, lowered(distribution), obs=jnp.array(value))
                case Weight(logw):
                    # no address has two `#`: those of a name are escaped
                    numpyro.factor(f"factor##{weights}", jnp.array(logw))
                    weights += 1

        return answer(start(), choose, said=said).value

    return model


def lowered(distribution: Distribution) -> dist.Distribution:
    """
    The NumPyro distribution that is the same.

    Raises:
        ProgramError: there is none.
    """
    match distribution:
        case Categorical():
            return Decide(jnp.array(distribution.log_probs))
        case Bernoulli(p):
            return Outcome(jnp.array(p))
        case Parametric(name, args):
            return _PARAMETRIC[name](*args)
        case _:
            found = type(distribution).__name__
            raise ProgramError(f"{found} has no counterpart in NumPyro")


_PARAMETRIC: Mapping[str, Callable[..., dist.Distribution]] = {
    "Normal": dist.Normal,
    "Uniform": dist.Uniform,
    "LogNormal": dist.LogNormal,
    "Exponential": dist.Exponential,
    "Beta": dist.Beta,
    "Gamma": dist.Gamma,
    "InverseGamma": dist.InverseGamma,
    "StudentT": dist.StudentT,
    "Cauchy": dist.Cauchy,
    "Laplace": dist.Laplace,
    "Weibull": lambda shape, scale: dist.Weibull(scale, shape),
    "ChiSquared": dist.Chi2,
    "Binomial": lambda trials, p: dist.Binomial(trials, probs=p),
    "Poisson": dist.Poisson,
    "DiscreteUniform": dist.DiscreteUniform,
}


class Given(Messenger):  # type: ignore[misc]
    """
    NumPyro's `substitute`, strict.

    `substitute` leaves a site it has no value for to be drawn, and never says that a
    value went unused. Under this handler both are a ProgramError.
    """

    def __init__(
        self, fn: Model | None = None, *, choices: Mapping[str, Value]
    ) -> None:
        super().__init__(fn)
        self.choices = choices
        self.made: set[str] = set()

    def __enter__(self) -> None:
        self.made = set()
        super().__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is None:
            all_made(self.choices, self.made)

    def process_message(self, msg: dict[str, Any]) -> None:
        """Give a sample site its choice."""
        if msg["type"] == "sample" and not msg["is_observed"]:
            msg["value"] = jnp.array(given(self.choices, msg["name"]))
            self.made.add(msg["name"])


@float64()
def log_density(start: Callable[[], Steps], choices: Mapping[str, Value]) -> float:
    """
    NumPyro's log density of the run that makes exactly these choices, in nats.

    Raises:
        ProgramError: a choice is missing or left over, or an address comes up twice.
    """
    model = Given(numpyro_model(start), choices=choices)
    found, _ = numpyro_log_density(model, (), {}, {})
    return float(found)
