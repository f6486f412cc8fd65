import numpy as np
import pytest

from stretto.errors import NoConvergence
from stretto.models.diagnostics import MAX_R_HAT, MIN_ESS, diagnose


def draws(*shape, seed=7):
    return np.random.default_rng(seed).normal(size=shape)


def test_independent_draws_have_mixed_and_are_all_worth_about_one():
    found = diagnose(draws(4, 600))

    assert 1.0 <= found.r_hat + 0.01 < 1.02
    assert 1800 < found.ess < 3200
    assert found.divergences == 0


def test_chains_in_two_places_have_not_converged():
    apart = draws(4, 600) + np.array([0, 0, 0, 1.0])[:, None]

    with pytest.raises(NoConvergence, match="split R̂ is 1"):
        diagnose(apart)


def test_one_chain_that_drifts_has_not_converged():
    with pytest.raises(NoConvergence, match="split R̂"):
        diagnose(draws(1, 600) + np.linspace(0, 2, 600))


def test_chains_that_never_moved_have_not_converged():
    with pytest.raises(NoConvergence, match="split R̂ is nan"):
        diagnose(np.ones((4, 600)))


def test_too_few_effective_draws_are_refused_with_what_to_do():
    with pytest.raises(NoConvergence, match="of 160 draws are effective") as refused:
        diagnose(draws(4, 40))

    assert "grid" in str(refused.value.hint)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_chain_too_short_to_halve_is_refused(n):
    with pytest.raises(NoConvergence, match=f"{4 * n} draws are too few"):
        diagnose(draws(4, n))


def test_a_trajectory_that_diverged_is_refused():
    with pytest.raises(NoConvergence, match="1 of 2400 trajectories diverged"):
        diagnose(draws(4, 600), divergences=1)


def test_of_several_parameters_the_worst_counts():
    together = draws(4, 600, 3)
    apart = together + np.array([0, 0, 0, 1.0])[:, None, None] * np.array([0, 1, 0])

    assert diagnose(together).r_hat <= MAX_R_HAT
    assert diagnose(together).ess >= MIN_ESS
    with pytest.raises(NoConvergence):
        diagnose(apart)
