"""How long an arbiter takes to fit, to judge with and to score, beside plain NumPy."""

from time import perf_counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.beside import beside
from stretto.flow.fitting import Fitting
from stretto.flow.judge import judge, log_likelihood
from stretto.models.arbiter import Evidence, loss, modes
from stretto.models.crossfit import fit
from stretto.models.precision import float64
from tests.models import newton
from tests.models.arbiter_cases import arrays, drawn

N, N_OPTIONS, N_WEIGHED = 5_000, 8, 3
"""About as many decisions as the published retail fit, and its eight weights."""

N_SCORED = 100_000


@pytest.fixture(scope="module")
def cases():
    shape = {"n_options": N_OPTIONS, "n_weighed": N_WEIGHED}
    return drawn(1, N, n_tasks=200, n_sites=16, **shape)


@pytest.fixture(scope="module")
def folds(cases):
    """The decisions and the five folds' sides, as arrays."""
    with float64():
        return arrays(cases, N_WEIGHED, by_fold=True)


def by_newton(data, sides):
    """Damped Newton on padded arrays in NumPy, one fold after the other."""
    rows = np.concatenate(
        [np.asarray(data.rows), np.zeros((*data.picked.shape, 1))], -1
    )
    offered, actual = np.asarray(data.offered), np.asarray(data.actual)
    picked = np.asarray(data.picked)
    found = []
    by_side = map(np.asarray, (sides.trust, sides.counted))
    for trust, counted in zip(*by_side, strict=True):
        rows[..., -1] = np.where(picked, trust[:, None], 0.0)
        x, on, y = rows[counted], offered[counted], actual[counted]
        found.append(newton_steps(x, on, y))
    return np.array(found)


def newton_steps(x, on, y):
    w = np.zeros(x.shape[-1])
    value, gradient, hessian = terms(w, x, on, y)
    for _ in range(100):
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while (after := terms(w + size * step, x, on, y))[0] < value and size > 1e-6:
            size /= 2
        w, gain = w + size * step, after[0] - value
        value, gradient, hessian = after
        if gain < 1e-9:
            break
    return w


def terms(w, x, on, y):
    scores = np.where(on, x @ w, -1e30)
    scores -= scores.max(1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(1, keepdims=True)
    n = np.arange(len(y))
    mean = np.einsum("no,nof->nf", p, x)
    spread = np.einsum("no,nof,nog->fg", p, x, x, optimize=True) - mean.T @ mean
    value = np.log(p[n, y]).sum() - 0.5 * w @ w
    return value, (x[n, y] - mean).sum(0) - w, spread + np.eye(len(w))


def test_five_folds_of_weights_beside_newton_in_numpy(benchmark, folds):
    data, sides = folds
    with float64():

        def at_once():
            return np.asarray(modes(data, sides).at)

        assert np.abs(at_once() - by_newton(data, sides)).max() < 1e-6
        beside(
            benchmark,
            at_once,
            baseline=lambda: by_newton(data, sides),
            named="damped Newton in NumPy, fold after fold",
        )


def test_five_folds_from_cases_beside_newton_in_loops(benchmark, cases):
    """With the rates, the arrays and the fits' own checks."""
    how = Fitting(by_fold=True)
    began = perf_counter()
    fit(cases, N_WEIGHED, how)
    print(f"\nthe first one, its compile counted: {perf_counter() - began:.3g} s")
    beside(
        benchmark,
        lambda: fit(cases, N_WEIGHED, how),
        baseline=lambda: newton.fitter(cases, N_WEIGHED, how),
        named="damped Newton, decision by decision",
    )


def test_scoring_decisions_beside_judging_them_one_by_one(benchmark, cases):
    """The log probability of the agents' steps under one fit."""
    fits, times = fit(cases, N_WEIGHED), N_SCORED // N
    with float64():
        data, sides = arrays(cases, N_WEIGHED)
        seen = data.seen(jax.tree.map(lambda part: part[0], sides))
        many = Evidence(
            *(
                jnp.concatenate([part] * times)
                for part in (seen.rows, seen.offered, seen.actual, seen.counted)
            ),
            seen.prior,
        )
        weights = jnp.array(fits[0].weights)
        score = jax.jit(loss)

        def at_once():
            return float(score(weights, many))

        ridge = 0.5 * np.dot(weights, weights) + 4 * np.log(2 * np.pi)
        one_by_one = log_likelihood((c for c in cases if c.fittable), fits)
        assert at_once() - ridge == pytest.approx(-one_by_one * times)
        benchmark.extra_info["n"] = N_SCORED
        beside(
            benchmark,
            at_once,
            baseline=lambda: [judge(fits[0], case.features) for case in cases],
            named=f"plain Python ({N} of {N_SCORED} decisions)",
            times=times,
        )


def test_judging_one_decision(benchmark, cases):
    """What an arbiter adds to a live decision, once it is answered."""
    fitted = fit(cases, N_WEIGHED)[0]
    seen = max((case.features for case in cases), key=lambda seen: len(seen.options))

    benchmark(lambda: judge(fitted, seen))
