"""Categorical and Bernoulli: exact at the edges, and drawn as written."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.program.families import Bernoulli, Categorical


class Fixed(Random):
    """A generator whose next uniform draw is known."""

    def __init__(self, u: float) -> None:
        super().__init__(0)
        self.u = u

    def random(self) -> float:
        return self.u


@pytest.mark.parametrize(
    ("u", "drawn"), [(0.0, 1), (0.1, 1), (0.25, 1), (0.26, 3), (0.999, 3)]
)
def test_a_draw_is_the_first_number_whose_cumulative_probability_is_reached(u, drawn):
    assert Categorical((0.0, 0.25, 0.0, 0.75)).draw(Fixed(u)) == drawn


def test_a_draw_stays_inside_when_the_sum_is_a_little_less_than_one():
    assert Categorical((0.5, 0.4999995, 0.0)).draw(Fixed(1 - 1e-9)) == 1


@pytest.mark.parametrize("probs", [(0.5, 0.4), (0.5, 0.500002), (1.5, -0.5), ()])
def test_what_is_no_distribution_is_refused(probs):
    with pytest.raises(ValueError, match="probabilit"):
        Categorical(probs)


@pytest.mark.parametrize("p", [math.nan, math.inf])
def test_nan_is_no_probability(p):
    with pytest.raises(ValueError, match="probabilit"):
        Categorical((p, 1.0))
    with pytest.raises(ValueError, match="no probability"):
        Bernoulli(p)


def test_the_probabilities_may_miss_one_by_a_millionth():
    assert Categorical((0.5, 0.5000009)).log_prob(0) == math.log(0.5)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any), st.integers())
def test_a_number_has_the_log_of_its_probability(counts, seed):
    dist = Categorical(tuple(n / sum(counts) for n in counts))

    drawn = dist.draw(Random(seed))

    assert counts[drawn] > 0
    assert dist.log_prob(drawn) == math.log(counts[drawn] / sum(counts))
    for nowhere in (-1, len(counts), 0.0, False, (0,)):
        assert dist.log_prob(nowhere) == -math.inf


def test_a_coin_is_exact_where_it_is_certain():
    assert Bernoulli(1.0).log_prob(True) == 0
    assert Bernoulli(1.0).log_prob(False) == -math.inf
    assert Bernoulli(0.0).log_prob(True) == -math.inf
    assert Bernoulli(0.0).log_prob(1) == -math.inf
    assert Bernoulli(1.0).draw(Fixed(1 - 1e-16)) is True
    assert Bernoulli(0.0).draw(Fixed(0.0)) is False
