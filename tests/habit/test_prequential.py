import math

import numpy as np
import pytest
from hypothesis import given, settings

from stretto.habit.prequential import log_evidence, prequential
from tests.claims import claim
from tests.habit import literal
from tests.habit.published import HABITS, sessions
from tests.habit.strategies import VOCAB_SIZE, alphas, encoded_episodes
from tests.habit.toy import E1, E2

TOY = prequential([E1, E2], 5)


@pytest.mark.parametrize(
    ("alpha", "log_p"),
    [(0.5, -19.643914), (1.0, -17.416573), (2.0, -16.128532), (5.0, -15.736678)],
)
def test_the_toys_evidence_is_the_worked_examples(alpha, log_p):
    assert log_evidence(alpha, TOY) == pytest.approx(log_p, abs=5e-7)


def test_the_first_steps_are_predicted_from_nothing():
    assert TOY.total[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert TOY.total[0].tolist() == list(range(11))
    assert TOY.hits[2, 7:].tolist() == [1.0, 1.0, 1.0, 0.0]


@claim("alpha:prequential")
@settings(max_examples=80, deadline=None)
@given(encoded_episodes(weighted=True), alphas)
def test_the_evidence_is_that_of_a_habit_fitted_step_by_step(encoded, alpha):
    for weighted in (False, True):
        data = prequential(encoded, VOCAB_SIZE, weighted=weighted)

        expected = literal.log_evidence(encoded, alpha, VOCAB_SIZE, weighted=weighted)
        assert log_evidence(alpha, data) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(encoded_episodes(), alphas)
def test_with_every_weight_one_weighting_changes_nothing(encoded, alpha):
    plain = prequential(encoded, VOCAB_SIZE)
    weighted = prequential(encoded, VOCAB_SIZE, weighted=True)

    assert np.array_equal(plain.total, weighted.total)
    assert log_evidence(alpha, plain) == log_evidence(alpha, weighted)


def test_at_a_vast_concentration_every_action_is_as_likely_as_any_other():
    assert log_evidence(1e12, TOY) == pytest.approx(11 * math.log(1 / 5))


def test_real_sessions_have_the_evidence_of_the_literal_walk():
    read = sessions(HABITS["airline"])
    data = prequential(read.encoded, read.vocab.size)

    for alpha in (0.1, 9.36, 300.0):
        expected = literal.log_evidence(read.encoded, alpha, read.vocab.size)
        assert log_evidence(alpha, data) == pytest.approx(expected, rel=1e-12)
