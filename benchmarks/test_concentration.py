"""How long the concentration's posterior takes, beside sampling it."""

import numpy as np
import pytest
from jax import random
from numpyro.infer import MCMC, NUTS

from benchmarks.beside import beside
from benchmarks.synthetic import VOCAB_SIZE, episodes
from stretto.habit.concentration import grid
from stretto.habit.prequential import prequential
from stretto.models.concentration import evidence, model
from stretto.models.precision import float64
from stretto.models.random_walk import RandomWalk
from tests.habit import literal
from tests.habit.published import HABITS, sessions


@pytest.fixture(scope="module")
def many():
    return episodes(100_000)


def quadrature(encoded, vocab_size=VOCAB_SIZE):
    return grid(prequential(encoded, vocab_size))


def one_chain(kernel, encoded, vocab_size=VOCAB_SIZE):
    """A chain as long as the published one, whether it mixed or not."""
    with float64():
        chain = MCMC(kernel(model), num_warmup=300, num_samples=600, progress_bar=False)
        chain.run(random.key(7), evidence(prequential(encoded, vocab_size)))
        return np.asarray(chain.get_samples()["log_alpha"])


def test_the_posterior_of_1e5_steps_beside_nuts(benchmark, many):
    beside(
        benchmark,
        lambda: quadrature(many),
        baseline=lambda: one_chain(NUTS, many),
        named="one chain of NUTS, 300 + 600, its compile counted",
        bar=15,
    )


def test_the_posterior_of_1e5_steps_beside_a_sampler_that_walks_the_steps(
    benchmark, many
):
    beside(
        benchmark,
        lambda: quadrature(many),
        baseline=lambda: literal.log_evidence(many, 5.0, VOCAB_SIZE),
        named="600 times the evidence, walked step by step",
        times=600,
        bar=500,
    )


@pytest.mark.parametrize("name", ["retail", "retail-pooled"])
def test_the_posterior_of_real_sessions_beside_a_random_walk(benchmark, name):
    read = sessions(HABITS[name])
    encoded, size = read.encoded, read.vocab.size
    beside(
        benchmark,
        lambda: quadrature(encoded, size),
        baseline=lambda: one_chain(RandomWalk, encoded, size),
        named="one chain of the random walk, 300 + 600, its compile counted",
    )
