from collections import Counter
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.models.batch import bucket, prepare, score
from stretto.models.precision import float64
from stretto.program.batch import Batch, Fault
from stretto.program.batch import score as score_in_numpy
from stretto.program.handlers import simulate
from stretto.program.run import steps
from stretto.program.standard import STANDARD
from stretto.program.text import parse
from tests.program.batch.cases import Case, case
from tests.program.batch.typed import TOOLS, tables

TABLES = tables(Random(0))


def assert_as_in_numpy(tried: Case) -> None:
    """Compiled code gives the scores that numpy gives."""
    batch = Batch.of(tried.choices)
    expected = score_in_numpy(tried.program, tried.tables, tried.data, batch)

    found = score(tried.program, tried.tables, tried.data, batch)

    assert found.log_prob.dtype == np.float64
    np.testing.assert_allclose(found.log_prob, expected.log_prob, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.value, expected.value)
    np.testing.assert_array_equal(found.fault, expected.fault)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_compiled_code_scores_as_numpy_does(seed: int) -> None:
    assert_as_in_numpy(case(seed))


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_compiled_code_scores_many_programs_as_numpy_does(seed: int) -> None:
    assert_as_in_numpy(case(seed))


def standard_runs(n: int, *, max_lookups: int) -> Case:
    """Runs of the standard program after one call."""
    data = {"call": 1, "call_failed": False, "max_lookups": max_lookups}
    random = Random(3)
    runs = [simulate(steps(STANDARD, TABLES, data), random) for _ in range(n)]
    return Case(STANDARD, TABLES, dict(data), [run.values for run in runs])


def test_runs_of_the_standard_program_score_as_in_numpy() -> None:
    assert_as_in_numpy(standard_runs(100, max_lookups=4))


def test_the_derivative_in_a_log_probability_is_how_often_its_value_came_up() -> None:
    tried = standard_runs(100, max_lookups=2)
    prepared = prepare(*tried[:3], Batch.of(tried.choices))

    def total(log_p: dict[str, jax.Array]) -> jax.Array:
        return jnp.sum(prepared.log_prob(log_p))

    with float64():
        even = {name: jnp.full(t.log_p.shape, -1.0) for name, t in TABLES.items()}
        found = jax.tree.map(np.asarray, jax.grad(total)(even))

    decided = Counter(
        value for run in tried.choices for a, value in run.items() if "decide" in a
    )
    assert found["Decide"].sum((0, 1)).tolist() == [decided[n] for n in range(TOOLS)]
    outcomes = Counter(
        (run[f"decide#{i}"], run[f"outcome#{i}"])
        for run in tried.choices
        for i in range(2)
        if f"outcome#{i}" in run
    )
    assert found["Outcome"].tolist() == [
        [outcomes[tool, ok] for ok in (False, True)] for tool in range(TOOLS)
    ]


def test_a_run_that_turns_more_often_than_was_compiled_is_unfinished() -> None:
    text = 'for i in 0..n { let d <- sample(addr!("a", i), Outcome(0)); } pure(n)'
    batch = Batch.of([{f"a#{i}": True for i in range(n)} for n in (2, 3, 4)])

    scores = score(
        parse(text, name="test"),
        TABLES,
        {"n": np.array([2, 3, 4])},
        batch,
        most_turns=3,
    )

    assert scores.fault.tolist() == [Fault.NONE, Fault.NONE, Fault.UNFINISHED]


def test_values_that_compare_equal_do_not_share_compiled_code() -> None:
    def ended(text: str, n: bool | int | float) -> list[bool | int | float]:
        program = parse(text, name="test")
        value: list[bool | int | float]
        value = score(program, TABLES, {"n": n}, Batch.of([{}])).value.tolist()
        return value

    assert (
        repr([ended("pure(n)", n) for n in (0, False, 0.0)]) == "[[0], [False], [0.0]]"
    )
    assert ended("pure(1 / 0.0)", 0) == [float("inf")]
    assert ended("pure(1 / -0.0)", 0) == [-float("inf")]


def test_a_bucket_is_at_most_half_as_long_again_as_it_has_to_be() -> None:
    found = [bucket(n) for n in range(13)]

    assert found == [0, 1, 2, 3, 4, 6, 6, 8, 8, 12, 12, 12, 12]
    assert all(n <= bucket(n) <= 1.5 * n for n in range(1, 5000))
