"""The general registry against scipy, which knows these distributions well."""

import math
from collections import Counter
from random import Random

import pytest
from scipy import stats

from stretto.program.counting import events, successes
from stretto.program.general import FAMILIES, GENERAL
from stretto.program.handlers import score, simulate
from stretto.program.run import steps
from stretto.program.text import parse

CONTINUOUS = {
    "Normal": ((1.5, 2.0), stats.norm(1.5, 2)),
    "Uniform": ((-1.0, 3.0), stats.uniform(-1, 4)),
    "LogNormal": ((0.3, 0.7), stats.lognorm(0.7, scale=math.exp(0.3))),
    "Exponential": ((2.0,), stats.expon(scale=0.5)),
    "Beta": ((2.0, 3.5), stats.beta(2, 3.5)),
    "Gamma": ((2.5, 1.5), stats.gamma(2.5, scale=1 / 1.5)),
    "InverseGamma": ((3.0, 2.0), stats.invgamma(3, scale=2)),
    "StudentT": ((4.0, 1.0, 2.0), stats.t(4, 1, 2)),
    "Cauchy": ((0.5, 2.0), stats.cauchy(0.5, 2)),
    "Laplace": ((1.0, 0.5), stats.laplace(1, 0.5)),
    "Weibull": ((1.5, 2.0), stats.weibull_min(1.5, scale=2)),
    "ChiSquared": ((3.0,), stats.chi2(3)),
}

DISCRETE = {
    "Binomial": ((40, 0.3), stats.binom(40, 0.3)),
    "Poisson": ((40.0,), stats.poisson(40)),
    "DiscreteUniform": ((2, 9), stats.randint(2, 10)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_density_is_scipys(name):
    args, reference = CONTINUOUS[name]
    dist = FAMILIES[name].make(*args)

    for x in (-2.0, -0.5, 0.1, 0.5, 0.9, 1.5, 2.9, 7.0):
        assert dist.log_prob(x) == pytest.approx(reference.logpdf(x), rel=1e-12)


@pytest.mark.parametrize("name", DISCRETE)
def test_a_probability_is_scipys(name):
    args, reference = DISCRETE[name]
    dist = FAMILIES[name].make(*args)

    for n in range(-1, 60):
        assert dist.log_prob(n) == pytest.approx(reference.logpmf(n), rel=1e-12)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_fit_the_density(name):
    args, reference = CONTINUOUS[name]
    dist, random = FAMILIES[name].make(*args), Random(7)

    drawn = [dist.draw(random) for _ in range(2000)]

    assert stats.kstest(drawn, reference.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", DISCRETE)
def test_draws_fit_the_probabilities(name):
    args, reference = DISCRETE[name]
    dist, random = FAMILIES[name].make(*args), Random(7)

    seen = Counter(dist.draw(random) for _ in range(4000))

    expected = {n: 4000 * reference.pmf(n) for n in range(100)}
    common = [n for n, e in expected.items() if e >= 5]
    distance = sum((seen[n] - expected[n]) ** 2 / expected[n] for n in common)
    assert distance < stats.chi2(len(common)).ppf(0.999)


@pytest.mark.parametrize(
    ("name", "args", "at"),
    [
        ("Beta", (1.0, 1.0), {0.0: 0.0, 1.0: 0.0, 1.1: -math.inf}),
        ("Beta", (2.0, 0.5), {0.0: -math.inf, 1.0: math.inf}),
        ("Exponential", (2.0,), {0.0: math.log(2), -1e-9: -math.inf}),
        ("Gamma", (1.0, 3.0), {0.0: math.log(3)}),
        ("Binomial", (3, 1.0), {3: 0.0, 2: -math.inf}),
        ("Normal", (0.0, 1.0), {math.inf: -math.inf, math.nan: -math.inf}),
        ("Normal", (0.0, 1e-300), {1e300: -math.inf}),
        ("Exponential", (1.0,), {(1.0,): -math.inf}),
        ("Weibull", (500.0, 1.0), {1e300: -math.inf}),
    ],
)
def test_the_edges_of_a_support_are_what_they_should_be(name, args, at):
    dist = FAMILIES[name].make(*args)

    assert {x: dist.log_prob(x) for x in at} == pytest.approx(at, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("Normal", (0.0, 0.0)),
        ("Normal", (0.0, -1.0)),
        ("Normal", (math.nan, 1.0)),
        ("Normal", (True, 1.0)),
        ("Normal", ((0.0,), 1.0)),
        ("Uniform", (1.0, 1.0)),
        ("Bernoulli", (1.5,)),
        ("Binomial", (2.5, 0.5)),
        ("Binomial", (-1, 0.5)),
        ("Binomial", (2**63 - 1, 0.5)),
        ("Poisson", (0.0,)),
        ("Poisson", (1e300,)),
        ("DiscreteUniform", (2, 1)),
        ("DiscreteUniform", (0.0, 1)),
        ("Categorical", (0.5,)),
        ("Categorical", ((0.5, True),)),
    ],
)
def test_arguments_that_make_no_distribution_are_refused(name, args):
    with pytest.raises(ValueError, match=r"."):
        FAMILIES[name].make(*args)


@pytest.mark.parametrize(
    "name", [n for n, f in GENERAL.items() if f in FAMILIES.values()]
)
def test_every_family_draws_what_it_scores(name):
    args = {**CONTINUOUS, **DISCRETE}.get(name, ((0.5,), None))[0]
    if name == "Categorical":
        args = ((0.5, 0.25, 0.25),)
    written = ", ".join(str(list(a)) if isinstance(a, tuple) else str(a) for a in args)
    program = parse(f'let x <- sample(addr!("x"), {name}({written})); pure(x)')

    for seed in range(20):
        run = simulate(steps(program, GENERAL, {}), Random(seed))
        assert run.warnings == ()
        assert type(run.value) is FAMILIES[name].draws
        assert math.isfinite(run.log_prob)
        assert score(steps(program, GENERAL, {}), run.values) == run


def test_a_draw_past_the_largest_float_is_an_infinity():
    assert FAMILIES["LogNormal"].make(2000.0, 1.0).draw(Random(0)) == math.inf
    assert FAMILIES["InverseGamma"].make(1e-12, 1.0).draw(Random(0)) == math.inf


@pytest.mark.parametrize("n", [0, 1, 17, 1000])
def test_counts_are_exact_where_they_are_certain(n):
    assert successes(n, 1.0, Random(3)) == n
    assert successes(n, 0.0, Random(3)) == 0


def test_counts_of_any_size_are_drawn_at_once():
    n = 2**62

    assert successes(n, 0.5, Random(3)) / n == pytest.approx(0.5, abs=1e-6)
    assert events(1e18, Random(3)) / 1e18 == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("exp(0)", 1.0),
        ("exp(1000)", math.inf),
        ("ln(exp(2.0))", 2.0),
        ("log(0)", -math.inf),
        ("log(-1)", math.nan),
        ("sqrt(9)", 3.0),
        ("sqrt(-1.0)", math.nan),
        ("abs(-3)", 3),
        ("abs(-0.5)", 0.5),
        ("floor(2.5)", 2),
        ("floor(-2.5)", -3),
        ("sin(0)", 0.0),
        ("cos(0)", 1.0),
        ("tanh(0.0)", 0.0),
        ("pow(2, 10)", 1024.0),
        ("pow(10, 400)", math.inf),
        ("pow(-10, 401)", -math.inf),
        ("pow(0, -1)", math.inf),
        ("pow(-1, 0.5)", math.nan),
        ("min(1, 2.0)", 1),
        ("max(1, 2.0)", 2.0),
        ("sin(1.0 / 0)", math.nan),
    ],
)
def test_a_function_comes_to(expr, expected):
    run = simulate(steps(parse(f"pure({expr})"), GENERAL, {}), Random(0))

    assert run.warnings == ()
    assert type(run.value) is type(expected)
    assert run.value == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "expr",
    [
        "exp(true)",
        "abs([1])",
        "floor(1.0 / 0)",
        "floor(1.0e300)",
        "min(1, true)",
        "abs(-9223372036854775808)",
    ],
)
def test_a_function_of_what_it_does_not_take_is_a_soft_error(expr):
    run = simulate(steps(parse(f"let x = {expr}; pure(x)"), GENERAL, {}), Random(0))

    assert run.log_prob == -math.inf
    assert len(run.warnings) == 1
