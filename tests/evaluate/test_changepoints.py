"""Change points, beside every way to cut a series into runs."""

from itertools import product
from math import gamma, pi, sqrt
from random import Random

import pytest

from stretto.evaluate.changepoints import (
    HAZARD,
    MIN_BEFORE,
    MIN_RUN,
    MIN_SCALE,
    OUTLIER,
    Prior,
    changes,
    run_lengths,
)

PRIOR = Prior(0.4, 0.3)


def student(x, centre, scale, degrees):
    """The density of a Student t."""
    z = (x - centre) / scale
    norm = gamma((degrees + 1) / 2) / gamma(degrees / 2) / sqrt(degrees * pi) / scale
    return norm * (1 + z * z / degrees) ** (-(degrees + 1) / 2)


def predictive(x, n, mean, m2, prior):
    kappa, shape = 0.1 + n, 1 + n / 2
    off = mean - prior.mean
    rate = prior.scale**2 + m2 / 2 + 0.1 * n * off**2 / (2 * kappa)
    centre = (0.1 * prior.mean + n * mean) / kappa
    return student(x, centre, sqrt(rate * (kappa + 1) / (shape * kappa)), 2 * shape)


def likelihood(values, prior):
    """Of one run's values, in order; those of a run that is not over too."""
    p, n, mean, m2 = 1.0, 0.0, 0.0, 0.0
    for x in values:
        own = (1 - OUTLIER) * predictive(x, n, mean, m2, prior)
        other = OUTLIER * predictive(x, 0.0, 0.0, 0.0, prior)
        p *= own + other
        weight = own / (own + other)
        n += weight
        off = x - mean
        mean += weight * off / n
        m2 += weight * off * (x - mean)
    return p


def by_enumeration(values, prior):
    """The chance of each length of the last run, over all ways to end runs."""
    mass = [0.0] * (len(values) + 1)
    for ends in product((False, True), repeat=len(values)):
        p, start = 1.0, 0
        for place, is_end in enumerate(ends):
            p *= HAZARD if is_end else 1 - HAZARD
            if is_end:
                p *= likelihood(values[start : place + 1], prior)
                start = place + 1
        mass[len(values) - start] += p * likelihood(values[start:], prior)
    return [m / sum(mass) for m in mass]


@pytest.mark.parametrize("seed", range(5))
def test_run_lengths_are_those_of_every_way_to_cut_the_series(seed):
    random = Random(seed)
    values = [random.gauss(0.5, 0.2) for _ in range(5)]
    values += [random.gauss(2.5, 0.2) for _ in range(4)]
    found = list(run_lengths(values, PRIOR))

    for t in (1, 4, 6, 9):
        expected = by_enumeration(values[:t], PRIOR)
        assert found[t - 1].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_the_prior_is_the_median_and_how_far_values_step():
    assert Prior.of([1.0, 1.5, 1.0, 9.0]) == Prior(
        1.25, pytest.approx(0.5242, abs=1e-4)
    )
    assert Prior.of([0.2]) == Prior(0.2, MIN_SCALE)
    assert Prior.of([1.0] * 9) == Prior(1.0, MIN_SCALE)


def shifted(random, before, after, by):
    return [
        *(random.gauss(1.0, 0.1) for _ in range(before)),
        *(random.gauss(1.0 + by, 0.1) for _ in range(after)),
    ]


def test_a_shift_is_found_where_it_is_once_it_has_lasted_three_values():
    random = Random(4)
    for before in (10, 25, 60):
        [change] = changes(shifted(random, before, 12, 0.8))

        assert change.start == before
        assert change.found >= before + MIN_RUN - 1
        assert change.p > 0.5


def test_a_shift_before_the_tenth_value_is_not_called_a_change():
    assert changes(shifted(Random(4), MIN_BEFORE - 2, 3, 0.8)) == []


def test_one_far_value_is_an_outlier_and_no_change():
    random = Random(9)
    values = [random.gauss(1.0, 0.1) for _ in range(40)]
    values[25] = 6.0

    assert changes(values) == []


def test_steady_series_raise_few_alarms():
    random = Random(1)
    series = [[random.gauss(1.0, 0.2) for _ in range(60)] for _ in range(50)]

    assert sum(bool(changes(values)) for values in series) <= 3


def test_a_longer_window_sees_a_change_for_longer_and_alarms_no_more_often():
    values = shifted(Random(2), 30, 30, 0.8)

    assert len(changes(values, window=10)) == len(changes(values, window=40)) == 1
    assert changes([]) == []
