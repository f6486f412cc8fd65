from random import Random

import pytest

from stretto.errors import ProgramError
from stretto.program.batch.kinds import lowerable
from stretto.program.text import parse
from tests.program.batch.typed import DATA, tables, typed_program

TABLES = tables(Random(0))


def assert_refused(text: str, cause: str) -> None:
    """A program is refused for a reason, where it stands."""
    with pytest.raises(ProgramError) as refused:
        lowerable(parse(text, name="test"), TABLES, DATA)

    assert refused.value.cause == f"cannot be run on arrays: {cause}"
    assert refused.value.place.startswith("test:1:")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("pure([1][0])", "arrays and functions are not for whole batches"),
        ("pure([1].len())", "arrays and functions are not for whole batches"),
        ("pure(exp(1.0))", "arrays and functions are not for whole batches"),
        ("call = 1.0; pure(0)", "`call` turns from an integer into a float"),
        ("pure(call + true)", "this is a boolean, and should be a number"),
        ("pure(-call_failed)", "this is a boolean, and should be a number"),
        ("factor(true); pure(0)", "this is a boolean, and should be a number"),
        ("pure(call < 0.5)", "an integer is compared with a float"),
        ("pure(call == false)", "an integer is compared with a boolean"),
        (
            "for i in 0..1.5 {} pure(0)",
            "a loop runs over an integer, and this is a float",
        ),
        (
            'let d <- sample(addr!("a", 0.5), Outcome(0)); pure(d)',
            "an address is numbered by an integer, and this is a float",
        ),
        (
            'let d <- sample(addr!("a"), Decide(0, 1)); pure(d)',
            "`Decide` takes here a boolean, and this is an integer",
        ),
        (
            'observe(addr!("a"), Outcome(0), 1); pure(0)',
            "`Outcome` draws a boolean, and this is an integer",
        ),
    ],
)
def test_what_arrays_cannot_hold_is_refused(text: str, cause: str) -> None:
    assert_refused(text, cause)


def test_a_program_in_which_every_value_has_one_type_is_not_refused() -> None:
    for seed in range(200):
        lowerable(typed_program(Random(seed)), TABLES, DATA)


def test_a_variable_may_hide_one_of_another_type() -> None:
    text = "let x = 1; let x = x / 2; if true { let x = false; } pure(x)"

    lowerable(parse(text, name="test"), TABLES, DATA)
