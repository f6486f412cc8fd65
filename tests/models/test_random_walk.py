import numpy as np
import numpyro
import pytest
from jax import random
from numpyro import distributions as dist
from numpyro.infer import MCMC

from stretto.models.precision import float64
from stretto.models.random_walk import ACCEPTANCE, RandomWalk


def model():
    numpyro.sample("x", dist.Gamma(3.0, 2.0))


@pytest.fixture(scope="module")
def run():
    with float64():
        chains = MCMC(
            RandomWalk(model),
            num_warmup=500,
            num_samples=3000,
            num_chains=4,
            chain_method="vectorized",
            progress_bar=False,
        )
        fields = ("accepted", "proposals", "log_scale")
        chains.run(random.key(7), extra_fields=fields)
        return chains


def test_the_draws_have_the_models_moments_on_the_sites_own_scale(run):
    x = np.asarray(run.get_samples()["x"])

    assert x.dtype == np.float64
    assert x.min() > 0
    assert x.mean() == pytest.approx(1.5, abs=0.06)
    assert x.var() == pytest.approx(0.75, abs=0.1)


def test_the_scale_is_set_in_warm_up_and_stays(run):
    scales = np.asarray(run.get_extra_fields(group_by_chain=True)["log_scale"])

    assert (scales == scales[:, :1]).all()
    assert len(set(scales[:, 0])) == 4


def test_about_as_many_proposals_are_accepted_as_the_scale_aims_for(run):
    fields = run.get_extra_fields(group_by_chain=True)
    rate = np.asarray(fields["accepted"][:, -1] / fields["proposals"][:, -1])

    assert rate == pytest.approx(ACCEPTANCE, abs=0.15)


def test_a_rejected_proposal_repeats_the_value(run):
    x = np.asarray(run.get_samples(group_by_chain=True)["x"])
    accepted = np.asarray(run.get_extra_fields(group_by_chain=True)["accepted"])

    moved = x[:, 1:] != x[:, :-1]
    assert (moved == (np.diff(accepted) == 1)).all()
