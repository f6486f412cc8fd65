"""
The families of the general registry that draw floats.

Each function says what its arguments are, and raises a ValueError where they are not.
"""

import math
from random import Random

from stretto.program.parametric import Parametric, positive, powered, real
from stretto.program.values import Value


def normal(loc: Value, scale: Value) -> Parametric:
    """A mean and a standard deviation."""
    m, s = real(loc), positive(scale)

    def density(x: float) -> float:
        z = (x - m) / s
        return -0.5 * (z * z + math.log(math.tau)) - math.log(s)

    return Parametric("Normal", (m, s), density, lambda r: r.normalvariate(m, s))


def log_normal(loc: Value, scale: Value) -> Parametric:
    """The mean and the standard deviation of its logarithm."""
    logged = normal(loc, scale)

    def density(x: float) -> float:
        return logged.log_density(math.log(x)) - math.log(x) if x > 0 else -math.inf

    def sample(random: Random) -> float:
        return math.exp(logged.sample(random))

    return Parametric("LogNormal", logged.args, density, sample)


def uniform(low: Value, high: Value) -> Parametric:
    """The least and the largest."""
    a, b = real(low), real(high)
    if not a < b:
        raise ValueError(f"{a:g} is not below {b:g}")

    def density(x: float) -> float:
        return -math.log(b - a) if a <= x <= b else -math.inf

    return Parametric("Uniform", (a, b), density, lambda r: r.uniform(a, b))


def exponential(rate: Value) -> Parametric:
    """A rate."""
    k = positive(rate)

    def density(x: float) -> float:
        return math.log(k) - k * x if x >= 0 else -math.inf

    return Parametric("Exponential", (k,), density, lambda r: r.expovariate(k))


def beta(alpha: Value, beta: Value) -> Parametric:
    """How much it weighs towards 1, and towards 0."""
    a, b = positive(alpha), positive(beta)
    norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def density(x: float) -> float:
        if not 0 <= x <= 1:
            return -math.inf
        return norm + powered(x, a - 1) + powered(1 - x, b - 1)

    return Parametric("Beta", (a, b), density, lambda r: r.betavariate(a, b))


def gamma(shape: Value, rate: Value) -> Parametric:
    """A shape and a rate."""
    a, k = positive(shape), positive(rate)
    norm = a * math.log(k) - math.lgamma(a)

    def density(x: float) -> float:
        return norm + powered(x, a - 1) - k * x if x >= 0 else -math.inf

    return Parametric("Gamma", (a, k), density, lambda r: r.gammavariate(a, 1 / k))


def chi_squared(freedom: Value) -> Parametric:
    """Degrees of freedom."""
    k = positive(freedom)
    same = gamma(k / 2, 0.5)
    return Parametric("ChiSquared", (k,), same.log_density, same.sample)


def inverse_gamma(shape: Value, scale: Value) -> Parametric:
    """A shape and a scale."""
    inverse = gamma(shape, scale)

    def density(x: float) -> float:
        return inverse.log_density(1 / x) - 2 * math.log(x) if x > 0 else -math.inf

    def sample(random: Random) -> float:
        return 1 / inverse.sample(random)

    return Parametric("InverseGamma", inverse.args, density, sample)


def student_t(freedom: Value, loc: Value, scale: Value) -> Parametric:
    """Degrees of freedom, a location and a scale."""
    k, m, s = positive(freedom), real(loc), positive(scale)
    norm = math.lgamma((k + 1) / 2) - math.lgamma(k / 2)
    norm -= 0.5 * math.log(k * math.pi) + math.log(s)

    def density(x: float) -> float:
        z = (x - m) / s
        return norm - (k + 1) / 2 * math.log1p(z * z / k)

    def sample(random: Random) -> float:
        spread = random.gammavariate(k / 2, 2) / k
        return m + s * random.normalvariate(0, 1) / math.sqrt(spread)

    return Parametric("StudentT", (k, m, s), density, sample)


def cauchy(loc: Value, scale: Value) -> Parametric:
    """A location and a scale."""
    m, s = real(loc), positive(scale)

    def density(x: float) -> float:
        z = (x - m) / s
        return -math.log(math.pi * s) - math.log1p(z * z)

    def sample(random: Random) -> float:
        return m + s * math.tan(math.pi * (random.random() - 0.5))

    return Parametric("Cauchy", (m, s), density, sample)


def laplace(loc: Value, scale: Value) -> Parametric:
    """A location and a scale."""
    m, s = real(loc), positive(scale)

    def density(x: float) -> float:
        return -math.log(2 * s) - abs(x - m) / s

    def sample(random: Random) -> float:
        return m + s * (random.expovariate(1) - random.expovariate(1))

    return Parametric("Laplace", (m, s), density, sample)


def weibull(shape: Value, scale: Value) -> Parametric:
    """A shape and a scale."""
    k, s = positive(shape), positive(scale)

    def density(x: float) -> float:
        if x < 0:
            return -math.inf
        return math.log(k / s) + powered(x / s, k - 1) - math.pow(x / s, k)

    return Parametric("Weibull", (k, s), density, lambda r: r.weibullvariate(s, k))
