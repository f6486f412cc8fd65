from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpyro.infer.util import log_density

from stretto.episodes.tasks import N_FOLDS
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Rates, SiteRate
from stretto.flow.judge import judge, log_likelihood
from stretto.flow.rates import reliability
from stretto.models.arbiter import loss, model
from stretto.models.cases import rounded_up
from stretto.models.crossfit import fit
from stretto.models.precision import float64
from stretto.models.sites import Alike, alike, shrunk_by
from stretto.models.spread import curvature
from tests.claims import claim
from tests.flow.worked_arbiter import CASES, WEIGHTS
from tests.models import newton
from tests.models.arbiter_cases import TRUE, arrays, drawn


@claim("arbiter:fit")
def test_the_worked_example_has_the_weights_that_were_worked_out():
    folds = fit(CASES, 1)

    assert len(folds) == N_FOLDS
    assert len(set(folds_weights(folds))) == 1
    assert folds[0].weights == pytest.approx(WEIGHTS, abs=5e-7)
    ridge = 0.5 * sum(w * w for w in folds[0].weights)
    objective = log_likelihood(CASES, folds) - ridge
    assert objective == pytest.approx(-1.944821, abs=5e-7)
    at_zero = [replace(folds[0], weights=(0.0,) * 6)] * N_FOLDS
    assert log_likelihood(CASES, at_zero) == pytest.approx(-3.295837, abs=5e-7)


def folds_weights(folds):
    return [fold.weights for fold in folds]


@claim("arbiter:fit", "arbiter:own-fold")
@pytest.mark.parametrize(("n", "n_weighed"), [(0, 1), (3, 1), (15, 1), (60, 2)])
def test_five_folds_at_once_are_what_newton_finds_one_by_one(n, n_weighed):
    cases = drawn(n, n, n_weighed=n_weighed)

    found = fit(cases, n_weighed, Fitting(by_fold=True))

    for f, fold in enumerate(found):
        expected, (sites, agree, cover) = newton.fit(
            cases, 5 + n_weighed, lambda case, f=f: case.fold != f
        )
        assert np.abs(np.array(fold.weights) - expected).max() < 1e-6
        assert {s: [*rate] for s, rate in fold.rates.sites.items()} == sites
        assert (fold.rates.agree, fold.rates.cover) == pytest.approx((agree, cover))


def test_one_fit_on_all_is_what_newton_finds():
    cases = drawn(1, 60)

    expected, _ = newton.fit(cases, 7)

    assert np.abs(np.array(fit(cases, 2)[0].weights) - expected).max() < 1e-6


@pytest.mark.parametrize(
    "how",
    [
        Fitting(by_fold=True),
        Fitting(by_fold=True, left_out=True),
        Fitting(by_fold=True, centre=(0.2,) * 7),
        Fitting(by_fold=True, pooled_rates=True),
    ],
)
def test_no_case_is_judged_by_a_fit_that_knows_how_it_went(how):
    cases = drawn(2, 60)
    folds = fit(cases, 2, how)
    for place in (0, 17, 42):
        case = cases[place]
        other = 0 if case.actual != 0 else 1
        altered = [*cases]
        altered[place] = replace(case, actual=other)

        again = fit(altered, 2, how)

        assert judge(again[case.fold], case.features) == judge(
            folds[case.fold], case.features
        )
        assert folds_weights(again) != folds_weights(folds) or not case.fittable


def test_the_fit_is_where_the_models_own_density_is_flat():
    cases = drawn(3, 60)
    found = fit(cases, 2)[0].weights
    with float64():
        data, side = arrays(cases, 2)
        seen = data.seen(jax.tree.map(lambda part: part[0], side))
        slope = jax.jit(slope_of)(jnp.array(found), seen)

        assert slope.dtype == "float64"
        assert float(jnp.abs(slope).max()) < 1e-6


@jax.grad
def slope_of(weights, data):
    return log_density(model, (data,), {}, {"weights": weights})[0]


def test_the_density_is_that_of_newtons_objective():
    cases = drawn(3, 60)
    with float64():
        data, side = arrays(cases, 2)
        seen = data.seen(jax.tree.map(lambda part: part[0], side))
        w = jnp.array(TRUE)
        value = -loss(w, seen) + 0.5 * 7 * np.log(2 * np.pi)
        learned = [case for case in cases if case.fittable and case.covered]
        sites, agree, _ = newton.rates([case for case in cases if case.fittable])
        xs = [newton.rows(case, sites, agree) for case in learned]
        expected, _, hessian = newton.terms(
            np.array(TRUE), xs, [case.actual for case in learned]
        )

        assert float(value) == pytest.approx(expected, rel=1e-12)
        assert np.asarray(curvature(seen, w)) == pytest.approx(hessian, abs=1e-9)


def test_cases_that_teach_nothing_leave_the_fit_as_it_is():
    cases = [case for case in drawn(4, 55) if case.fittable]
    targets = [replace(case, fittable=False) for case in drawn(5, 5)]

    assert fit(cases, 2)[0] == fit([*targets, *cases], 2)[0]


def test_a_case_left_out_of_its_own_reliability_is_fitted_otherwise():
    cases = drawn(6, 60)

    left_out, kept = fit(cases, 2, Fitting(left_out=True)), fit(cases, 2)

    assert left_out[0].rates == kept[0].rates
    assert left_out[0].weights != kept[0].weights


def test_a_centre_that_cases_bear_out_is_kept_to_and_one_they_do_not_is_left():
    cases = drawn(7, 60)

    near = fit(cases, 2, Fitting(centre=TRUE))[0].weights
    plain = fit(cases, 2)[0].weights
    astray = fit(cases, 2, Fitting(centre=tuple(-5 * w for w in TRUE)))[0].weights

    assert distance(near, TRUE) < distance(plain, TRUE)
    assert distance(astray, plain) < distance(astray, [-5 * w for w in TRUE])


def distance(one, other):
    return float(np.linalg.norm(np.array(one) - np.array(other)))


def test_the_normal_at_the_mode_spreads_as_far_as_the_cases_allow():
    cases = drawn(8, 60)
    plain = fit(cases, 2)[0]

    spread = fit(cases, 2, Fitting(posterior="laplace", draws=2000))[0]

    assert spread.weights == plain.weights
    assert len(spread.draws) == 2000
    with float64():
        data, side = arrays(cases, 2)
        seen = data.seen(jax.tree.map(lambda part: part[0], side))
        curved = np.asarray(curvature(seen, jnp.array(plain.weights)))
    covariance = np.linalg.inv(curved)
    apart = np.cov(np.array(spread.draws).T) - covariance
    assert np.abs(apart).max() < 0.15 * covariance.max()
    seen = cases[0].features
    assert judge(spread, seen) != judge(plain, seen)


@pytest.mark.slow
def test_the_chains_agree_with_the_normal_at_the_mode_where_cases_are_many():
    cases = drawn(9, 600)
    how = Fitting(posterior="laplace", draws=2000)

    laplace = np.array(fit(cases, 2, how)[0].draws)
    nuts = np.array(fit(cases, 2, replace(how, posterior="nuts"))[0].draws)

    assert nuts.mean(0) == pytest.approx(laplace.mean(0), abs=0.1)
    assert nuts.std(0) == pytest.approx(laplace.std(0), rel=0.15)


def test_sites_that_differ_start_from_fewer_decisions_than_sites_that_are_alike():
    with float64():
        apart = alike(counted({"a": (40, 4), "b": (40, 36), "c": (40, 20)}))
        same = alike(counted({"a": (40, 20), "b": (40, 21), "c": (40, 19)}))

    assert apart.decisions < 6 < 20 < same.decisions
    assert same.rate == pytest.approx(0.5, abs=0.02)


def test_the_files_own_formula_gives_the_pooled_reliability():
    raw = counted({"a": (40, 4), "b": (8, 8)})
    found = Alike(0.6, 3.0)

    filed = shrunk_by(raw, found)

    for site, (n, agreed) in {"a": (40, 4), "b": (8, 8), "new": (0, 0)}.items():
        expected = (agreed + 3.0 * 0.6) / (n + 3.0)
        assert reliability(filed, site) == pytest.approx(expected)


def counted(sites):
    total = sum(n for n, _ in sites.values())
    agreed = sum(k for _, k in sites.values())
    rates = {site: SiteRate(n, k, n) for site, (n, k) in sites.items()}
    return Rates(rates, agreed / total, 1.0)


@pytest.mark.parametrize(
    ("n", "padded"), [(0, 16), (16, 16), (17, 24), (24, 24), (25, 32), (100, 128)]
)
def test_shapes_grow_by_halves_and_doubles(n, padded):
    assert rounded_up(n, 16) == padded
