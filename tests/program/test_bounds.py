"""The most a run can do."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import ProgramError
from stretto.program.bounds import Linear, bounds
from stretto.program.events import Draw, Observation
from stretto.program.handlers import answer
from stretto.program.run import steps
from stretto.program.standard import DATA, STANDARD, admit
from stretto.program.text import parse
from tests.program.strategies import families, runs

DRAW = 'let d <- sample(addr!("d", i), Outcome(1));'
LOOP = "for i in 0..max_lookups {{ {} }} pure(0)"


def draws(text: str) -> str:
    return str(bounds(parse(text), DATA).draws)


def refused(text: str, check) -> str:
    with pytest.raises(ProgramError) as raised:
        check(parse(text, name="x"))
    return str(raised.value)


def test_the_standard_run_draws_twice_a_lookup():
    found = admit(STANDARD)

    assert str(found.draws) == "2·max_lookups"
    assert str(found.statements) == "7·max_lookups + 3"


@settings(max_examples=120, deadline=None)
@given(runs(), families(), st.integers(0, 2**32))
def test_no_run_draws_more_often_than_its_bound(program, odds, seed):
    random = Random(seed)
    data = {"call": 1, "call_failed": False, "max_lookups": 2}
    drawn = 0

    def count(event: Draw | Observation):
        nonlocal drawn
        drawn += 1
        return event.distribution.draw(random)

    answer(steps(program, odds, data), count)

    most = bounds(program, DATA).draws
    assert drawn <= most.at({"call": 1, "call_failed": 0, "max_lookups": 2})


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("pure(0)", "0"),
        (LOOP.format(DRAW), "max_lookups"),
        (LOOP.format(f"if true {{ {DRAW} }} else {{ {DRAW}{DRAW} }}"), "2·max_lookups"),
        (LOOP.format(f"for j in 0..3 {{ {DRAW} }}"), "3·max_lookups"),
        (f"for j in 0..3 {{ {LOOP.format(DRAW)[:-len(' pure(0)')]} }} pure(0)",
         "3·max_lookups"),
        (f"for i in 2..max_lookups + 3 {{ {DRAW} }} pure(0)", "max_lookups + 1"),
        (f"for i in max_lookups..2 {{ {DRAW} }} pure(0)", "2"),
        (f"for i in 0..call + max_lookups {{ {DRAW} }} pure(0)", "call + max_lookups"),
        (f"for i in 5..0 {{ {DRAW} }} pure(0)", "0"),
        (f"let n = max_lookups - 1; for i in 0..n {{ {DRAW} }} pure(0)",
         "max_lookups"),
        (f"let n = 2; let n = 3; for i in 0..n {{ {DRAW} }} pure(0)", "3"),
        ('observe(addr!("d"), Outcome(1), true); pure(0)', "1"),
    ],
)  # fmt: skip
def test_a_bound_is_read_off_the_loops(text, most):
    assert draws(text) == most


@pytest.mark.parametrize(
    "text",
    [
        f'let i = 0; {DRAW} let n <- sample(addr!("n"), Decide(1, d)); '
        "for j in 0..n { } pure(0)",
        "max_lookups = 1000000; for i in 0..max_lookups { } pure(0)",
        "let n = 1; n = n + n; for i in 0..n { } pure(0)",
        "let n = max_lookups; for i in 0..2 { n = n + n; } for j in 0..n { } pure(0)",
        "let max_lookups = [1].len(); for i in 0..max_lookups { } pure(0)",
        "for i in 0..max_lookups * max_lookups { } pure(0)",
        "for i in 0..3 { for j in 0..i { } } pure(0)",
        "for i in 0..1.5 { } pure(0)",
    ],
)
def test_a_loop_over_what_is_drawn_or_computed_has_no_bound(text):
    assert "nothing bounds this loop" in refused(text, lambda p: bounds(p, DATA))


def test_a_loop_over_data_in_a_loop_over_data_is_refused():
    text = "for i in 0..call {\n for j in 0..max_lookups { } } pure(0)"

    assert refused(text, lambda p: bounds(p, DATA)) == (
        "x:1:1: a loop over data stands inside a loop over data"
    )


@pytest.mark.parametrize(
    "text",
    [
        'let d <- sample(addr!("d"), Outcome(1)); pure(0)',
        LOOP.format(DRAW * 3),
        f"for i in 0..max_lookups + 1 {{ {DRAW} }} pure(0)",
        f"for i in 0..call {{ {DRAW} }} pure(0)",
    ],
)
def test_a_flow_draws_at_most_twice_for_each_lookup(text):
    assert "a flow's may 2·max_lookups times" in refused(text, admit)


@pytest.mark.parametrize(
    "text",
    [
        "for i in 0..9223372036854775807 { } pure(0)",
        LOOP.format("for j in 0..10000 { }"),
        "for i in 0..call { } pure(0)",
    ],
)
def test_a_flow_runs_a_bounded_number_of_statements(text):
    assert "runs statements up to" in refused(text, admit)


def test_a_number_and_its_units_print_as_a_sum():
    assert str(Linear({"n": 1, "": 2}) - Linear({"": 2})) == "n"
    assert str(Linear() * 3) == "0"
    assert Linear({"n": 2, "": 1}).at({"n": 4}) == 9
