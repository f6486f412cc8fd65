"""Who answers: given choices, a generator, or both; and the laws between them."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import ProgramError
from stretto.program.families import Bernoulli, Categorical, Family
from stretto.program.handlers import Run, answer, replay, score, simulate
from stretto.program.run import steps
from stretto.program.standard import STANDARD
from stretto.program.text import parse
from tests.claims import claim
from tests.program.enumerated import every_run
from tests.program.strategies import families, runs

SEEDS = st.integers(0, 2**32)
DATA = {"call": 1, "call_failed": False, "max_lookups": 3}


@settings(max_examples=150, deadline=None)
@given(runs(), families(), SEEDS)
def test_scoring_a_simulated_run_gives_the_run_back(program, odds, seed):
    run = simulate(steps(program, odds, DATA), Random(seed))

    assert score(steps(program, odds, DATA), run.values) == run


@settings(max_examples=150, deadline=None)
@given(runs(), families(), SEEDS, SEEDS)
def test_replaying_all_of_a_run_gives_it_back_whatever_the_generator(
    program, odds, seed, other
):
    run = simulate(steps(program, odds, DATA), Random(seed))

    assert replay(steps(program, odds, DATA), run.values, Random(other)) == run


@settings(max_examples=150, deadline=None)
@given(families(), SEEDS, st.integers(0, 6))
def test_replaying_the_start_of_a_run_keeps_it_and_draws_the_rest(odds, seed, keep):
    run = simulate(steps(STANDARD, odds, DATA), Random(seed))
    start = dict(list(run.values.items())[:keep])

    again = replay(steps(STANDARD, odds, DATA), start, Random(seed + 1))

    assert again.values.items() >= start.items()
    assert score(steps(STANDARD, odds, DATA), again.values) == again


@claim("audit:prior")
@settings(max_examples=25, deadline=None)
@given(families(), st.integers(1, 3), st.booleans())
def test_the_probabilities_of_all_standard_runs_sum_to_one(odds, tool, failed):
    data = {"call": tool, "call_failed": failed, "max_lookups": 3}

    found = list(every_run(lambda: steps(STANDARD, odds, data)))

    assert math.fsum(math.exp(run.log_prob) for run in found) == pytest.approx(1)
    assert len({tuple(run.values.items()) for run in found}) == len(found)


@settings(max_examples=60, deadline=None)
@given(runs(), families())
def test_the_probabilities_of_all_runs_sum_to_one(program, odds):
    total = 0.0
    for n, run in enumerate(every_run(lambda: steps(program, odds, DATA))):
        total += math.exp(run.log_prob)
        assert total <= 1 + 1e-9
        if n == 2000:
            return  # a program of many draws; what was seen sums to less than one

    assert total == pytest.approx(1)


def test_simulated_runs_come_up_as_often_as_their_probability_says():
    odds = {
        "Decide": Family(int, 2, lambda _prev, _failed: Categorical((0.5, 0.2, 0.3))),
        "Outcome": Family(bool, 1, lambda _tool: Bernoulli(0.8)),
    }
    data = {"call": 1, "call_failed": False, "max_lookups": 2}
    random, n = Random(1), 5_000
    seen: dict[tuple, int] = {}
    for _ in range(n):
        key = tuple(simulate(steps(STANDARD, odds, data), random).values.items())
        seen[key] = seen.get(key, 0) + 1

    expected = {
        tuple(run.values.items()): n * math.exp(run.log_prob)
        for run in every_run(lambda: steps(STANDARD, odds, data))
    }
    assert seen.keys() == expected.keys()
    chi_squared = sum((seen[k] - e) ** 2 / e for k, e in expected.items())
    degrees = len(expected) - 1
    assert chi_squared < degrees + 4 * math.sqrt(2 * degrees)


ONE = parse('let d <- sample(addr!("d"), Outcome(1)); pure(d)')
COIN = {"Outcome": Family(bool, 1, lambda _tool: Bernoulli(0.5))}


def refused(handle) -> ProgramError:
    with pytest.raises(ProgramError) as raised:
        handle(steps(ONE, COIN, {}))
    return raised.value


def test_a_missing_choice_is_an_error_when_scoring():
    error = refused(lambda run: score(run, {"e": True}))

    assert str(error) == "no choice is given for `d`"
    assert error.hint == "the choices are e"


@pytest.mark.parametrize(
    "handle",
    [
        lambda run: score(run, {"d": True, "e": True, "f": 1}),
        lambda run: replay(run, {"e": True, "f": 1}, Random(0)),
    ],
)
def test_a_choice_left_over_is_an_error_when_scoring_and_replaying(handle):
    error = refused(handle)

    assert str(error) == "the run never draws `e`, `f`"
    assert error.hint == "it draws d"


@pytest.mark.parametrize("value", [1, 1.0, (True,), None])
@pytest.mark.parametrize(
    "handle",
    [
        lambda run, value: score(run, {"d": value}),
        lambda run, value: replay(run, {"d": value}, Random(0)),
        lambda run, value: answer(run, lambda _: value),
    ],
)
def test_a_choice_of_another_type_is_an_error_in_every_handler(handle, value):
    assert "`d` was answered with" in str(refused(lambda run: handle(run, value)))


def test_a_choice_that_is_not_on_offer_has_no_probability():
    odds = {**COIN, "Decide": Family(int, 2, lambda _p, _f: Categorical((1.0, 0.0)))}
    program = parse('let d <- sample(addr!("d"), Decide(1, true)); pure(d)')

    for impossible in (1, 2, -1, 2**40):
        run = score(steps(program, odds, {}), {"d": impossible})
        assert run.log_prob == -math.inf


def test_an_integer_will_do_where_a_float_is_drawn():
    odds = {"Any": Family(float, 0, lambda: Bernoulli(0.5))}
    program = parse('let x <- sample(addr!("x"), Any()); pure(x / 2)')

    assert score(steps(program, odds, {}), {"x": 3}).value == 1.5


def test_a_run_of_which_a_part_is_impossible_is_impossible():
    assert Run(0, {}, math.inf, -math.inf, ()).log_prob == -math.inf
