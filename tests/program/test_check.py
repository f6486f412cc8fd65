"""What is refused before a program runs."""

import pytest
from hypothesis import given, settings

from stretto.errors import ProgramError
from stretto.program.check import check
from stretto.program.general import GENERAL
from stretto.program.standard import DATA, FAMILIES, STANDARD
from stretto.program.text import parse
from tests.claims import claim
from tests.program.strategies import runs


def refused(text: str, registry=FAMILIES, data=DATA) -> tuple[str, str | None]:
    with pytest.raises(ProgramError) as raised:
        check(parse(text, name="x"), registry, data)
    return str(raised.value), raised.value.hint


def test_the_standard_program_is_sound():
    check(STANDARD, FAMILIES, DATA)


@settings(max_examples=120, deadline=None)
@given(runs(wild=True))
def test_a_program_whose_names_are_all_bound_is_sound(program):
    check(program, FAMILIES, DATA)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pure(x)", "x:1:6: no variable `x` is in scope"),
        ("let x = x; pure(1)", "x:1:9: no variable `x` is in scope"),
        ("x = 1; pure(1)", "x:1:1: no variable `x` is in scope"),
        ("if true { let x = 1; } pure(x)", "x:1:29: no variable `x` is in scope"),
        ("for x in 0..1 { } pure(x)", "x:1:24: no variable `x` is in scope"),
        ("for x in 0..x { } pure(1)", "x:1:13: no variable `x` is in scope"),
        ("if true { let x = 1; } else { x = 2; } pure(1)",
         "x:1:31: no variable `x` is in scope"),
        ('let x <- sample(addr!("a", x), Outcome(1)); pure(1)',
         "x:1:28: no variable `x` is in scope"),
        ('observe(addr!("a"), Outcome(1), x); pure(1)',
         "x:1:33: no variable `x` is in scope"),
        ("break; pure(1)", "x:1:1: `break` stands outside a loop"),
        ("if true { break; } pure(1)", "x:1:11: `break` stands outside a loop"),
    ],
)  # fmt: skip
def test_a_program_that_means_nothing_is_refused_where_it_does_not(text, said):
    assert refused(text)[0] == said


@claim("program:checked", "program:families")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('let d <- sample(addr!("a"), Normal(0, 1)); pure(d)',
         "x:1:29: no family is called `Normal`"),
        ('let d <- sample(addr!("a"), Decide(0)); pure(d)',
         "x:1:29: `Decide` takes 2 arguments, and has 1"),
        ('let d <- sample(addr!("a"), Outcome(0, 1)); pure(d)',
         "x:1:29: `Outcome` takes 1 argument, and has 2"),
        ("pure(exp(1))", "x:1:6: no function is called `exp`"),
        ("pure(Outcome(1))", "x:1:6: no function is called `Outcome`"),
    ],
)  # fmt: skip
def test_a_flow_has_two_families_and_no_function(text, said):
    assert refused(text)[0] == said


def test_a_function_takes_as_many_arguments_as_it_takes():
    assert refused("pure(exp())", GENERAL)[0] == (
        "x:1:6: `exp` takes 1 argument, and has 0"
    )
    assert refused('let d <- sample(addr!("a"), exp(1)); pure(d)', GENERAL)[0] == (
        "x:1:29: no family is called `exp`"
    )


def test_a_hint_says_what_is_known():
    assert refused("pure(x)")[1] == "in scope: call, call_failed, max_lookups"
    assert refused("pure(x)", data=())[1] == "in scope: nothing"
    assert refused('let d <- sample(addr!("a"), D()); pure(d)')[1] == (
        "known here: Decide, Outcome"
    )


def test_a_variable_may_hide_another():
    text = "let call = 1.0; for call in 0..1 { let call = true; } pure(call)"

    check(parse(text), FAMILIES, DATA)


def test_a_break_in_a_branch_of_a_loop_leaves_the_loop():
    check(parse("for i in 0..1 { if true { break; } } pure(1)"), FAMILIES, DATA)
