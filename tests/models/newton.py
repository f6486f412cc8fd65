"""The arbiter's fit as the formulas read: damped Newton, in NumPy, with loops."""

import math

import numpy as np

from stretto.flow.flow import Fit, Rates, SiteRate


def log_odds(p):
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def rates(cases):
    sites, agreed, covered, total = {}, 0, 0, 0
    for case in cases:
        n = sites.setdefault(case.features.site, [0, 0, 0])
        n[0] += 1
        n[1] += case.actual == case.features.pick
        n[2] += case.actual is not None
        total += 1
        agreed += case.actual == case.features.pick
        covered += case.actual is not None
    return sites, agreed / total if total else 0.5, covered / total if total else 1.0


def rows(case, sites, agree):
    n, agreed, _ = sites.get(case.features.site, (0, 0, 0))
    trust = log_odds((agreed + 10 * agree) / (n + 10))
    pick = case.features.pick
    last = [trust if i == pick else 0.0 for i in range(len(case.features.rows))]
    return np.column_stack([np.array(case.features.rows), last])


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def terms(w, xs, ys):
    value = -0.5 * w @ w
    gradient, hessian = -w, np.eye(len(w))
    for x, y in zip(xs, ys, strict=True):
        p = softmax(x @ w)
        mean = p @ x
        value += math.log(p[y])
        gradient = gradient + x[y] - mean
        hessian = hessian + (p[:, None] * x).T @ x - np.outer(mean, mean)
    return value, gradient, hessian


def weights(xs, ys, n):
    w = np.zeros(n)
    value, gradient, hessian = terms(w, xs, ys)
    for _ in range(100):
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while terms(w + size * step, xs, ys)[0] < value:
            size /= 2
            if size < 1e-6:
                return w
        w = w + size * step
        before = value
        value, gradient, hessian = terms(w, xs, ys)
        if value - before < 1e-9:
            return w
    return w


def fit(cases, n, training=lambda _: True):
    """The weights, and each site's (decisions, agreed, covered), agree and cover."""
    learned = [case for case in cases if case.fittable and training(case)]
    sites, agree, cover = rates(learned)
    offered = [case for case in learned if case.actual is not None]
    xs = [rows(case, sites, agree) for case in offered]
    return weights(xs, [case.actual for case in offered], n), (sites, agree, cover)


def fitter(cases, n_weighed, how):
    """As `stretto.models.crossfit.fit`, of the published fit alone, without JAX."""
    sides = [(lambda case, f=f: case.fold != f) for f in range(5)]
    return tuple(
        _fit(*fit(cases, 5 + n_weighed, side if how.by_fold else lambda _: True))
        for side in sides
    )


def _fit(w, rated):
    sites, agree, cover = rated
    return Fit(
        tuple(w.tolist()),
        Rates({site: SiteRate(*sites[site]) for site in sorted(sites)}, agree, cover),
    )
