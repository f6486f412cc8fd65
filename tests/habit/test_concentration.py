import math
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from stretto.episodes.vocabulary import symbol
from stretto.habit.concentration import PRIOR_SD, grid
from stretto.habit.encode import Encoded
from stretto.habit.prequential import log_evidence, prequential
from tests.claims import claim
from tests.habit import literal
from tests.habit.published import HABITS, sessions
from tests.habit.strategies import VOCAB_SIZE, encoded_episodes
from tests.habit.toy import E1, E2


@claim("alpha:median")
def test_the_toys_posterior_is_the_worked_examples():
    posterior = grid(prequential([E1, E2], 5))

    assert posterior.median == pytest.approx(3.875, abs=5e-4)
    assert posterior.low == pytest.approx(1.124, abs=5e-4)
    assert posterior.high == pytest.approx(22.23, abs=5e-3)


def test_without_a_step_the_posterior_is_the_prior():
    posterior = grid(prequential([], 5))

    assert posterior.median == pytest.approx(1.0, rel=1e-5)
    assert math.log(posterior.high) == pytest.approx(1.6449 * PRIOR_SD, rel=1e-4)
    assert math.log(posterior.low) == pytest.approx(-1.6449 * PRIOR_SD, rel=1e-4)


@settings(max_examples=30, deadline=None)
@given(encoded_episodes(weighted=True))
def test_the_posterior_is_that_of_the_evidence_itself_at_every_point(encoded):
    data = prequential(encoded, VOCAB_SIZE, weighted=True)
    found = grid(data, step=0.02)

    x = np.linspace(-10, 14, 1201)
    log_p = np.array([log_evidence(math.exp(v), data) for v in x]) - x**2 / 8
    p = np.exp(log_p - log_p.max())
    cdf = np.append(0.0, np.cumsum((p[1:] + p[:-1]) / 2))
    expected = np.exp(np.interp([0.05, 0.5, 0.95], cdf / cdf[-1], x))
    assert (found.low, found.median, found.high) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", HABITS)
def test_real_sessions_have_the_published_concentration(name):
    habit = HABITS[name]
    read = sessions(habit)
    data = prequential(read.encoded, read.vocab.size)

    fine, coarse = grid(data), grid(data, step=0.02)

    assert (len(read.used), len(read.training)) == (habit.used, habit.training)
    assert read.vocab.size == habit.vocab_size
    # The figures were computed in steps of 0.02, which puts the interval's ends
    # a thousandth too far out; the median is the same in any.
    assert (coarse.median, coarse.low, coarse.high) == pytest.approx(
        habit.alpha, abs=5.1e-4
    )
    assert fine.median == pytest.approx(habit.alpha[0], abs=5.1e-4)
    assert coarse.low < fine.low < fine.median < fine.high < coarse.high
    assert fine.low == pytest.approx(coarse.low, rel=2e-3)
    assert fine.high == pytest.approx(coarse.high, rel=2e-3)


def test_a_step_four_times_finer_leaves_the_median_where_it_is():
    read = sessions(HABITS["retail-pooled"])
    data = prequential(read.encoded, read.vocab.size)

    assert grid(data).median == pytest.approx(grid(data, step=5e-4).median, rel=1e-5)


def test_the_interval_holds_the_concentration_as_often_as_it_says():
    """Calibration: α from the prior, episodes from the model, the posterior of α."""
    rng = random.Random(7)
    inside = below = 0
    n = 300
    for _ in range(n):
        alpha = math.exp(rng.gauss(0.0, PRIOR_SD))
        posterior = grid(prequential(_drawn(rng, alpha), 5), step=0.02)
        inside += posterior.low <= alpha <= posterior.high
        below += alpha <= posterior.median

    assert inside / n == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / n))
    assert below / n == pytest.approx(0.5, abs=3 * math.sqrt(0.25 / n))


def test_the_quadrature_starts_no_jax():
    code = "import sys, stretto.habit.concentration; sys.exit('jax' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _drawn(rng, alpha):
    """Four episodes of eight steps, each drawn from the habit of the steps before."""
    drawn = []
    levels = literal.empty(2)
    for task in range(4):
        symbols = []
        for _ in range(8):
            chances = [literal.chance(levels, symbols, a, alpha, 5) for a in range(5)]
            (action,) = rng.choices(range(5), chances)
            literal.observe(levels, symbols, [action], 1.0)
            symbols.append(symbol(action, 0))
        actions = tuple(s // 16384 for s in symbols)
        drawn.append(Encoded(str(task), actions, tuple(symbols)))
    return drawn
