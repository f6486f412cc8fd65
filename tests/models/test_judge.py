from dataclasses import replace
from itertools import cycle

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from stretto.flow.arbiter_file import read_arbiter
from stretto.flow.flow import Fit
from stretto.flow.judge import judge, log_p
from stretto.flow.rates import count_rates
from stretto.models.judge import ArbiterModule, Sight, sights
from stretto.models.precision import float64
from tests.conftest import shared
from tests.flow.worked_arbiter import CASES, WEIGHTS
from tests.models.arbiter_cases import TRUE, drawn

SEEN = drawn(1, 40)
FIT = Fit(TRUE, count_rates(SEEN[:30]))
DRAWS = replace(FIT, draws=(TRUE, tuple(-w for w in TRUE), (0.0,) * len(TRUE)))


@eqx.filter_jit
def judged(module: ArbiterModule, seen: Sight) -> jax.Array:
    """What a module gives at each of many decisions."""
    return jax.vmap(module)(seen)


@eqx.filter_jit
@eqx.filter_value_and_grad
def likelihood(module: ArbiterModule, seen: Sight, actual: jax.Array) -> jax.Array:
    """The log probability of the options at these places."""
    return jax.vmap(module.log_p)(seen, actual).sum()


def assert_judges(found: jax.Array, fit: Fit, within: float) -> None:
    """The probabilities are those of the fit, and 0 wherever a row was filled up."""
    expected = np.zeros(found.shape)
    for row, case in zip(expected, SEEN, strict=False):
        row[: len(case.features.options)] = list(judge(fit, case.features).values())
    np.testing.assert_allclose(found[: len(SEEN)], expected[: len(SEEN)], 0, within)


@pytest.mark.parametrize("fit", [FIT, DRAWS], ids=["mode", "draws"])
def test_the_module_gives_what_the_fit_gives(fit: Fit) -> None:
    assert {case.features.site for case in SEEN} - fit.rates.sites.keys() == set()
    with float64():
        found = judged(ArbiterModule.of(fit), sights(fit, [c.features for c in SEEN]))

    assert found.dtype == jnp.float64
    assert_judges(found, fit, 1e-12)


def test_float32_is_off_by_less_than_a_millionth() -> None:
    found = judged(ArbiterModule.of(FIT), sights(FIT, [c.features for c in SEEN]))

    assert found.dtype == jnp.float32
    assert_judges(found, FIT, 1e-6)


def test_a_site_that_the_fit_has_not_seen_has_the_overall_rates() -> None:
    sites = {site: rate for site, rate in FIT.rates.sites.items() if site != "site2"}
    fit = replace(FIT, rates=replace(FIT.rates, sites=sites))
    with float64():
        found = judged(ArbiterModule.of(fit), sights(fit, [c.features for c in SEEN]))

    assert_judges(found, fit, 1e-12)


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_a_published_arbiter_is_the_same_as_a_module(domain: str) -> None:
    fit = read_arbiter(shared(f"reference/arbiters/{domain}.json")).fitted
    cases = drawn(2, len(SEEN), n_weighed=3)
    names = cycle(fit.rates.sites)
    seen = [replace(case.features, site=next(names)) for case in cases]
    with float64():
        found = judged(ArbiterModule.of(fit), sights(fit, seen))

    for row, each in zip(found.tolist(), seen, strict=False):
        expected = list(judge(fit, each).values())
        assert row[: len(expected)] == pytest.approx(expected, abs=1e-12, rel=0)


def test_a_fit_of_nothing_judges_the_worked_decisions() -> None:
    fit = Fit((1.0, 0.5, 0.5, 0.0, 0.0, 1.0), count_rates([]))
    with float64():
        found = judged(ArbiterModule.of(fit), sights(fit, [c.features for c in CASES]))

    for row, case in zip(found, CASES, strict=False):
        expected = list(judge(fit, case.features).values())
        np.testing.assert_allclose(row[: len(expected)], expected, 0, 1e-12)


def test_the_log_probability_of_a_step_is_the_fits_own_down_to_its_floor() -> None:
    sure = replace(FIT, weights=tuple(100 * w for w in TRUE))
    with float64():
        found = likelihood(ArbiterModule.of(sure), *steps_seen(sure))[0]

    expected = [log_p(replace(c, group=0), [sure]) for c in SEEN if c.covered]
    assert min(expected) == pytest.approx(np.log(1e-12))
    assert found == pytest.approx(sum(expected), rel=1e-12)


def test_what_fills_a_row_passes_on_no_derivative() -> None:
    with float64():
        seen, actual = steps_seen(FIT)
        there = seen.offered[..., None]
        rows = jnp.where(there, seen.rows, jnp.nan).at[-1].set(1e300)
        offered = seen.offered.at[-1].set(False)
        filled = replace(seen, rows=rows, offered=offered)
        module = ArbiterModule.of(FIT)
        _, slopes = likelihood(module, seen, actual)
        value, again = likelihood(module, filled, actual)

    assert np.isfinite(value)
    assert len(seen.site) > len(SEEN)
    assert not bool(jnp.isnan(slopes.weights).any())
    assert eqx.tree_equal(slopes, again)


def test_derivatives_are_the_slopes_between_two_fits() -> None:
    def at(weight: float, agree: float) -> Fit:
        rates = replace(FIT.rates, agree=agree)
        return Fit((*TRUE[:2], weight, *TRUE[3:]), rates)

    def log_likelihood(fit: Fit) -> float:
        return sum(
            log_p(replace(case, group=0), [fit]) for case in SEEN if case.covered
        )

    w, agree, h = TRUE[2], FIT.rates.agree, 1e-6
    expected = [
        (log_likelihood(at(w + h, agree)) - log_likelihood(at(w - h, agree))) / (2 * h),
        (log_likelihood(at(w, agree + h)) - log_likelihood(at(w, agree - h))) / (2 * h),
    ]
    with float64():
        seen, actual = steps_seen(FIT)
        module = ArbiterModule.of(FIT)
        _, slopes = likelihood(module, seen, actual)

    found = [float(slopes.weights[0, 2]), float(slopes.rates.agree)]
    assert found == pytest.approx(expected, rel=1e-6)
    assert float(slopes.rates.cover) == 0


def test_the_worked_weights_are_where_the_penalised_likelihood_is_flat() -> None:
    fit = Fit(WEIGHTS, count_rates(CASES))
    with float64():
        seen = sights(fit, [case.features for case in CASES])
        actual = jnp.array([case.actual for case in CASES], jnp.int32)
        actual = jnp.zeros(len(seen.site), jnp.int32).at[: len(CASES)].set(actual)
        _, slopes = likelihood(ArbiterModule.of(fit), seen, actual)

    np.testing.assert_allclose(slopes.weights[0], WEIGHTS, rtol=0, atol=5e-6)


def steps_seen(fit: Fit) -> tuple[Sight, jax.Array]:
    """
    Steps that were on offer, and where.

    The rows behind them offer one option, which is certain and teaches nothing.
    """
    covered = [case for case in SEEN if case.covered]
    seen = sights(fit, [case.features for case in covered])
    actual = np.zeros(len(seen.site), np.int32)
    actual[: len(covered)] = [case.actual for case in covered]
    return seen, jnp.asarray(actual)
