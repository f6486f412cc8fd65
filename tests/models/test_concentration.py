from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpyro import distributions as dist
from numpyro.infer.util import log_density

from stretto.errors import NoConvergence
from stretto.habit.concentration import PRIOR_SD, grid
from stretto.habit.prequential import log_evidence as numpy_log_evidence
from stretto.habit.prequential import prequential
from stretto.models.concentration import (
    concentration,
    evidence,
    log_evidence,
    model,
)
from stretto.models.precision import float64
from tests.claims import claim
from tests.habit import literal
from tests.habit.published import HABITS, sessions
from tests.habit.strategies import VOCAB_SIZE, alphas, encoded_episodes
from tests.habit.toy import E1, E2

TOY = [E1, E2]


@settings(max_examples=60, deadline=None)
@given(encoded_episodes(weighted=True), alphas, st.booleans())
def test_the_model_scores_the_episodes_as_numpy_and_a_step_by_step_walk_do(
    encoded, alpha, weighted
):
    data = prequential(encoded, VOCAB_SIZE, weighted=weighted)
    with float64():
        log_alpha = jnp.log(alpha)
        log_joint = log_density_of(padded(data), log_alpha)
        found = log_joint - dist.Normal(0.0, PRIOR_SD).log_prob(log_alpha)
    expected = literal.log_evidence(encoded, alpha, VOCAB_SIZE, weighted=weighted)

    assert found.dtype == "float64"
    assert float(found) == pytest.approx(expected, rel=1e-10, abs=1e-9)
    assert numpy_log_evidence(alpha, data) == pytest.approx(
        expected, rel=1e-10, abs=1e-9
    )


@jax.jit
def log_density_of(data, log_alpha):
    return log_density(model, (data,), {}, {"log_alpha": log_alpha})[0]


def padded(data):
    """The data at one length, by steps of no weight: every example shares a compile."""
    more = 64 - len(data.weight)
    levels = ((0, 0), (0, more))
    return evidence(
        replace(
            data,
            hits=np.pad(data.hits, levels),
            total=np.pad(data.total, levels),
            weight=np.pad(data.weight, (0, more)),
        )
    )


def test_the_evidence_has_the_slope_of_its_differences():
    data = prequential(TOY, 5)
    with float64():
        slope = jax.grad(log_evidence)(jnp.asarray(2.0), evidence(data))
    step = 1e-5
    rise = numpy_log_evidence(2 + step, data) - numpy_log_evidence(2 - step, data)

    assert float(slope) == pytest.approx(rise / (2 * step), rel=1e-6)


@claim("alpha:sampler", "habit:alpha-draws")
def test_the_default_is_the_quadrature():
    assert concentration(TOY, 5) == grid(prequential(TOY, 5))


@claim("alpha:sampler", "habit:alpha-draws")
@pytest.mark.parametrize("sampler", ["nuts", "mh"])
def test_the_chains_of_the_toy_agree_with_the_quadrature(sampler):
    exact = grid(prequential(TOY, 5))

    drawn = concentration(TOY, 5, sampler=sampler)

    assert drawn.sampler == sampler
    assert len(drawn.draws) == 2400
    assert_agree(drawn, exact)
    assert np.median(drawn.draws) == pytest.approx(drawn.median, rel=0.01)


@pytest.mark.slow
def test_a_chain_too_short_to_mix_is_refused():
    with pytest.raises(NoConvergence):
        concentration(TOY, 5, sampler="mh", draws=20, warmup=0)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["nuts", "mh"])
@pytest.mark.parametrize("name", HABITS)
def test_the_chains_of_real_sessions_agree_with_the_quadrature(name, sampler):
    read = sessions(HABITS[name])
    exact = grid(prequential(read.encoded, read.vocab.size))

    drawn = concentration(read.encoded, read.vocab.size, sampler=sampler)

    assert_agree(drawn, exact)


@pytest.mark.slow
def test_weighted_chains_agree_with_the_weighted_quadrature():
    weighted = [E1._replace(weight=3.0), E2._replace(weight=0.25)]
    exact = concentration(weighted, 5, weighted=True)

    assert exact.median != concentration(weighted, 5).median
    assert_agree(concentration(weighted, 5, weighted=True, sampler="mh"), exact)


def assert_agree(drawn, exact):
    """Within four Monte-Carlo errors: of a normal's median, and of its 5% quantile."""
    sd = (np.log(exact.high) - np.log(exact.low)) / 3.29
    error = sd / np.sqrt(drawn.ess)
    assert abs(np.log(drawn.median / exact.median)) < 4 * 1.25 * error
    assert abs(np.log(drawn.low / exact.low)) < 4 * 2.11 * error
    assert abs(np.log(drawn.high / exact.high)) < 4 * 2.11 * error
