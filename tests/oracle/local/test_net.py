"""The network's arithmetic, and the temperatures its scores are read at."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.oracle.local.calibration import (
    HIGHEST,
    LOWEST,
    PRIOR_SD,
    loss,
    probabilities,
    temperature,
)
from stretto.oracle.local.clues import clues
from stretto.oracle.local.hashing import crossed, number, numbered, numbers
from tests.oracle.local.models import net_of, slow_scores
from tests.oracle.local.test_clues import OPTIONS, desk


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0]))
def test_scores_are_what_the_formula_says(seed, share):
    seen = clues(desk("L107"), OPTIONS)
    net = net_of(seen, seed, share=share)

    assert net.scores(seen) == pytest.approx(slow_scores(net, seen), abs=1e-12)


def test_a_number_is_the_same_on_every_machine():
    assert number("order") == 0xF5299398
    assert number("order", 1) != number("order")
    assert crossed(numbers([1, 2]), [3]).tolist() == [[1639539551, 1666316475]]


def test_many_numbers_are_those_of_one_by_one():
    tokens = ["order", "", "naïve", "a\nb", "\ud800"]

    assert numbered(tokens, 7) == [number(token, 7) for token in tokens]


def test_a_mark_crossed_with_two_options_makes_two_numbers():
    marks = numbers(range(1, 2001))
    found = crossed(marks, [*range(1, 21)])

    assert len(np.unique(found)) == found.size


def test_probabilities_sum_to_one_and_leave_out_what_is_not_there():
    p = probabilities(np.array([[1.0, -np.inf, 2.0], [0.0, 0.0, 0.0]]), 0.5)

    assert p.sum(axis=1) == pytest.approx([1, 1])
    assert p[0, 1] == 0.0
    assert p[0, 2] / p[0, 0] == pytest.approx(np.exp(2))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 1.0, 2.5]))
def test_the_temperature_that_scores_were_drawn_at_is_found(seed, of):
    random = np.random.default_rng(seed)
    scores = random.normal(0, 3, (4000, 4))
    p = probabilities(scores, of)
    taken = np.array([random.choice(4, p=row) for row in p])

    assert temperature(scores, taken) == pytest.approx(of, rel=0.12)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_a_temperature_is_at_the_least_of_its_cost(seed):
    random = np.random.default_rng(seed)
    scores, taken = random.normal(0, 2, (30, 3)), random.integers(0, 3, 30)

    def cost(at: float) -> float:
        return 30 * loss(scores, taken, at) + 0.5 * (np.log(at) / PRIOR_SD) ** 2

    found = temperature(scores, taken)

    grid = np.exp(np.linspace(np.log(LOWEST), np.log(HIGHEST), 200))
    assert cost(found) <= min(map(cost, grid)) + 1e-9


def test_two_decisions_do_not_move_a_temperature_far():
    certain = np.array([[5.0, 0.0], [5.0, 0.0]])

    assert 0.8 < temperature(certain, np.array([0, 0])) <= 1.0
    assert temperature(certain[:0], np.array([], int)) == 1.0
