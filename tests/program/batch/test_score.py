import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import ProgramError
from stretto.program.batch import Batch, Fault, score
from stretto.program.batch.lanes import Operand
from stretto.program.batch.score import BLOCK
from stretto.program.handlers import simulate
from stretto.program.run import steps
from stretto.program.text import parse
from stretto.program.values import Value
from tests.program.batch.cases import Case, case
from tests.program.batch.typed import tables

TABLES = tables(Random(0))


def assert_scored_as_interpreted(tried: Case) -> None:
    """The whole batch is scored as the interpreter scores one run after another."""
    batch = Batch.of(tried.choices)

    scores = score(tried.program, tried.tables, tried.data, batch)

    for run in range(len(batch)):
        fault, log_prob, value = tried.expected(run)
        assert Fault(scores.fault[run]) is fault
        assert_same(float(scores.log_prob[run]), log_prob)
        if value is not None:
            ended = scores.value[run].item()
            assert type(ended) is type(value)
            assert ended == value or (ended != ended and value != value)


def assert_same(found: float, expected: float) -> None:
    """Two log-probabilities are the same number."""
    assert found == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


def scored(text: str, *choices: dict[str, Value], **data: Operand) -> list[Fault]:
    """The faults of runs of a program."""
    program = parse(text, name="test")
    return [Fault(f) for f in score(program, TABLES, data, Batch.of(choices)).fault]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=250, deadline=None)
def test_every_lane_is_the_interpreters_run(seed: int) -> None:
    assert_scored_as_interpreted(case(seed))


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
@settings(max_examples=5000, deadline=None)
def test_every_lane_of_many_programs_is_the_interpreters_run(seed: int) -> None:
    assert_scored_as_interpreted(case(seed))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_a_choice_too_few_or_too_many_is_a_fault(seed: int) -> None:
    tried = case(seed).only(lambda _, fault: not fault)
    drawing = tried.only(lambda choices, _: bool(choices))
    fewer = [dict(list(run.items())[1:]) for run in drawing.choices]
    more = [{**run, "never": 0} for run in tried.choices]

    left = score(*drawing[:3], Batch.of(fewer))
    added = score(*tried[:3], Batch.of(more))

    assert (left.fault != Fault.NONE).all()
    assert (left.log_prob == -math.inf).all()
    assert (added.fault == Fault.LEFT_OVER).all()


def test_the_scores_are_in_the_order_the_runs_were_given_in() -> None:
    program = parse(
        """
        let d <- sample(addr!("a"), Decide(0, false));
        if d == 1 { let ok <- sample(addr!("b"), Outcome(d)); }
        pure(d)
        """,
        name="test",
    )
    random = Random(1)
    runs = [simulate(steps(program, TABLES, {}), random) for _ in range(2 * BLOCK + 3)]

    scores = score(program, TABLES, {}, Batch.of([run.values for run in runs]))

    assert scores.value.tolist() == [run.value for run in runs]
    assert scores.log_prob.tolist() == [run.log_prob for run in runs]


def test_a_batch_of_no_runs_has_no_scores() -> None:
    assert scored("pure(1)") == []


def test_a_loop_over_each_runs_own_number_ends_for_each_run_on_its_own() -> None:
    text = """
        let last = 0;
        for i in 0..most { let d <- sample(addr!("a", i), Decide(0, false)); last = i; }
        pure(last)
    """
    choices = [{f"a#{i}": 2 for i in range(n)} for n in (3, 0, 40)]

    program = parse(text, name="test")
    scores = score(program, TABLES, {"most": np.array([3, 0, 40])}, Batch.of(choices))

    assert scores.fault.tolist() == [Fault.NONE] * 3
    assert scores.value.tolist() == [2, 0, 39]


def test_an_address_numbered_by_a_draw_is_found_in_each_run() -> None:
    text = """
        let d <- sample(addr!("a"), Decide(0, false));
        let e <- sample(addr!("b", 2 * d + 1), Decide(d, false));
        pure(e)
    """

    faults = scored(text, {"a": 2, "b#5": 1}, {"a": 2, "b#3": 1}, {"a": 1, "b#03": 1})

    assert faults == [Fault.NONE, Fault.MISSING, Fault.MISSING]


def test_the_first_fault_is_the_one_that_is_told() -> None:
    text = """
        let x = 9223372036854775807 + n;
        let d <- sample(addr!("a"), Decide(0, false));
        pure(d)
    """

    assert scored(text, {}, {}, n=np.array([0, 1])) == [Fault.MISSING, Fault.SOFT]


def test_a_right_operand_that_fails_counts_only_where_the_left_one_does_not_stop() -> (
    None
):
    text = "let x = n > 0 && 9223372036854775807 + n < 0; pure(x)"

    assert scored(text, {}, {}, n=np.array([0, 1])) == [Fault.NONE, Fault.SOFT]


@pytest.mark.parametrize(
    "n", [np.array([1, 2, 3]), np.array([[1], [2]]), np.array(["1", "2"]), (1, 2, 3)]
)
def test_data_that_are_not_one_for_each_run_are_refused(n: Operand) -> None:
    with pytest.raises(ProgramError, match="`n` is neither one number"):
        scored("pure(n)", {}, {}, n=n)


def test_a_name_that_stands_for_nothing_is_refused() -> None:
    with pytest.raises(ProgramError, match="no family is called `Normal`"):
        scored('let x <- sample(addr!("a"), Normal(0.0, 1.0)); pure(x)')


def test_an_observation_that_runs_number_differently_is_refused() -> None:
    text = 'observe(addr!("a", n), Outcome(0), true); pure(0)'

    with pytest.raises(ProgramError, match="test:1:1: cannot be run on arrays"):
        scored(text, {}, {}, n=np.array([1, 2]))
