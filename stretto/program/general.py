"""
The general registry: common families and functions, for programs of one's own.

A flow's program uses none of these.
"""

from collections.abc import Mapping

from stretto.program import continuous, discrete
from stretto.program.families import Family, Registry
from stretto.program.functions import FUNCTIONS

FAMILIES: Mapping[str, Family] = {
    "Normal": Family(float, 2, continuous.normal),
    "Uniform": Family(float, 2, continuous.uniform),
    "LogNormal": Family(float, 2, continuous.log_normal),
    "Exponential": Family(float, 1, continuous.exponential),
    "Beta": Family(float, 2, continuous.beta),
    "Gamma": Family(float, 2, continuous.gamma),
    "InverseGamma": Family(float, 2, continuous.inverse_gamma),
    "StudentT": Family(float, 3, continuous.student_t),
    "Cauchy": Family(float, 2, continuous.cauchy),
    "Laplace": Family(float, 2, continuous.laplace),
    "Weibull": Family(float, 2, continuous.weibull),
    "ChiSquared": Family(float, 1, continuous.chi_squared),
    "Bernoulli": Family(bool, 1, discrete.bernoulli),
    "Binomial": Family(int, 2, discrete.binomial),
    "Poisson": Family(int, 1, discrete.poisson),
    "Categorical": Family(int, 1, discrete.categorical),
    "DiscreteUniform": Family(int, 2, discrete.discrete_uniform),
}
"""By name."""

GENERAL: Registry = {**FAMILIES, **FUNCTIONS}
"""Every family and function there is."""
