"""A program as a NumPyro model: the same run, the same log density, as strict."""

import math
from random import Random

import jax
import jax.numpy as jnp
import numpyro
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from numpyro.infer.util import log_density as numpyro_log_density

from stretto.errors import ProgramError
from stretto.models.lower import Given, log_density, lowered, numpyro_model
from stretto.models.precision import float64
from stretto.program.families import Bernoulli, Categorical
from stretto.program.general import FAMILIES, GENERAL
from stretto.program.handlers import score, simulate
from stretto.program.run import steps
from stretto.program.standard import STANDARD
from stretto.program.text import parse
from tests.claims import claim
from tests.program.strategies import families, runs

SEEDS = st.integers(0, 2**32)
DATA = {"call": 1, "call_failed": False, "max_lookups": 3}
ARGS = {
    "StudentT": (4.0, 1.0, 2.0), "Exponential": (2.0,), "ChiSquared": (3.0,),
    "Bernoulli": (0.3,), "Poisson": (4.0,), "Binomial": (9, 0.3),
    "DiscreteUniform": (2, 9), "Uniform": (0.5, 2.5), "Categorical": ((0.5, 0.0, 0.5),),
}  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(families(), SEEDS, st.integers(0, 2), st.booleans())
def test_numpyros_log_density_of_a_standard_run_is_its_score(odds, seed, call, failed):
    data = {"call": call, "call_failed": failed, "max_lookups": 4}
    run = simulate(steps(STANDARD, odds, data), Random(seed))

    found = log_density(lambda: steps(STANDARD, odds, data), run.values)

    assert math.isclose(found, run.log_prob, rel_tol=1e-6)


@settings(max_examples=15, deadline=None)
@given(runs(wild=True), families(), SEEDS)
def test_numpyros_log_density_of_any_run_is_its_score(program, odds, seed):
    try:
        run = simulate(steps(program, odds, DATA), Random(seed))
    except ProgramError:
        reject()  # it came to an address a second time

    found = log_density(lambda: steps(program, odds, DATA), run.values)

    assert math.isclose(found, run.log_prob, rel_tol=1e-6, abs_tol=1e-12)


@settings(max_examples=5, deadline=None)
@given(families(), SEEDS)
def test_a_run_that_numpyro_draws_scores_as_numpyro_says(odds, seed):
    def start():
        return steps(STANDARD, odds, DATA)

    with float64():
        model = numpyro.handlers.seed(numpyro_model(start), jax.random.key(seed))
        sites = numpyro.handlers.trace(model).get_trace().values()
        log_p = sum(site["fn"].log_prob(site["value"]).item() for site in sites)

    run = score(start(), {site["name"]: site["value"].item() for site in sites})
    assert math.isclose(run.log_prob, log_p, rel_tol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_numpyros_of_the_same_name(name):
    dist, random = FAMILIES[name].make(*ARGS.get(name, (1.5, 2.0))), Random(2)
    drawn = [dist.draw(random) for _ in range(5)]

    with float64():
        found = lowered(dist).log_prob(jnp.array(drawn))

    assert list(found) == pytest.approx([dist.log_prob(x) for x in drawn], rel=1e-6)


def test_observations_and_factors_are_numpyros_too():
    program = parse(
        """
        let x <- sample(addr!("x"), Normal(0, 1));
        observe(addr!("y"), Normal(x, 0.5), 1.25);
        factor(-0.5);
        factor(x / 4);
        pure(x)
        """
    )
    run = simulate(steps(program, GENERAL, {}), Random(5))

    found = log_density(lambda: steps(program, GENERAL, {}), run.values)

    assert math.isclose(found, run.log_prob, rel_tol=1e-6)


def test_a_soft_error_is_impossible_to_numpyro_too():
    program = parse("let n = [1][2]; pure(0)")

    assert log_density(lambda: steps(program, GENERAL, {}), {}) == -math.inf


def test_what_is_certain_and_what_is_impossible_is_exact():
    with float64():
        certain, coin = lowered(Categorical((1.0, 0.0))), lowered(Bernoulli(1.0))
        assert [float(certain.log_prob(n)) for n in (0, 1, 2, -1)] == [
            0, -math.inf, -math.inf, -math.inf,
        ]  # fmt: skip
        assert float(coin.log_prob(True)) == 0
        assert float(coin.log_prob(False)) == -math.inf


ONE = parse('let d <- sample(addr!("d"), Bernoulli(0.5)); pure(d)')


def one():
    return steps(ONE, GENERAL, {})


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({}, "no choice is given for `d`"),
        ({"e": True}, "no choice is given for `d`"),
        ({"d": True, "e": 1}, "the run never draws `e`"),
    ],
)
def test_a_missing_choice_or_one_left_over_is_an_error(choices, said):
    with pytest.raises(ProgramError, match=said):
        log_density(one, choices)


def test_numpyros_own_substitute_would_have_said_nothing():
    seeded = numpyro.handlers.seed(numpyro_model(one), jax.random.key(0))

    found, trace = numpyro_log_density(seeded, (), {}, {"e": 1})

    assert "d" in trace
    assert math.isfinite(found)


def test_a_strict_handler_may_be_used_again():
    strict = Given(numpyro_model(one), choices={"d": True})

    assert [strict(), strict()] == [True, True]


def test_an_address_that_comes_up_twice_is_an_error():
    text = """
    for i in 0..2 { let d <- sample(addr!("d"), Bernoulli(0.5)); }
    pure(0)
    """
    with pytest.raises(ProgramError, match="`d` comes up a second time"):
        log_density(lambda: steps(parse(text), GENERAL, {}), {"d": True})


def test_an_unknown_distribution_has_no_counterpart():
    class Odd:
        def log_prob(self, _):
            return 0.0

        def draw(self, _):
            return 0

    with pytest.raises(ProgramError, match="Odd has no counterpart in NumPyro"):
        lowered(Odd())


@claim("audit:prior")
def test_numpyros_handlers_change_a_run():
    """`do` fixes a choice; the rest of the run goes on from there."""
    program = parse(
        """
        let d <- sample(addr!("d"), DiscreteUniform(0, 9));
        let ok <- sample(addr!("ok"), Bernoulli(d / 9));
        pure(ok)
        """
    )
    model = numpyro_model(lambda: steps(program, GENERAL, {}))

    fixed = numpyro.handlers.do(model, data={"d": jnp.array(9)})

    assert all(numpyro.handlers.seed(fixed, jax.random.key(n))() for n in range(5))


def test_float64_stays_inside():
    log_density(one, {"d": True})

    assert jnp.zeros(1).dtype == jnp.float32
