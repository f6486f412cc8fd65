"""One interpreter: what a run draws, what it refuses, and what it forgives."""

import asyncio
import math
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stretto.errors import ProgramError
from stretto.program.families import Bernoulli, Categorical, Family
from stretto.program.general import GENERAL
from stretto.program.handlers import MAX_WARNINGS, Run, answer, score, serve, simulate
from stretto.program.run import prepare, steps
from stretto.program.standard import DATA, STANDARD
from stretto.program.text import parse
from tests.program.literal import Duplicate, Interpreter
from tests.program.strategies import families, runs

ODDS = {
    "Decide": Family(int, 2, lambda _prev, _failed: Categorical((0.25, 0.25, 0.5))),
    "Outcome": Family(bool, 1, lambda _tool: Bernoulli(0.75)),
}


def run(text: str, registry=ODDS, **data) -> Run:
    """A run of a text, its draws at random."""
    return simulate(steps(parse(text), registry, data), Random(0))


def value(expr: str, **data) -> object:
    """What an expression comes to, with no soft error on the way."""
    found = run(f"pure({expr})", **data)
    assert found.warnings == ()
    return found.value


def soft(text: str, **data) -> str:
    """The only soft error of a text."""
    found = run(text, **data)
    assert found.log_factors == -math.inf
    (warning,) = found.warnings
    return warning


@settings(max_examples=300, deadline=None)
@given(runs(wild=True), families(), st.booleans(), st.integers(0, 2**32))
def test_a_run_is_what_the_rules_say_one_after_the_other(program, odds, failed, seed):
    data = {"call": 1, "call_failed": failed, "max_lookups": 2}
    random = Random(seed)
    literal = Interpreter(odds, lambda _address, dist: dist.draw(random))
    try:
        expected = literal.run(program, data)
    except Duplicate:
        event("an address twice")
        with pytest.raises(ProgramError, match="second time"):
            simulate(steps(program, odds, data), Random(seed))
        return

    found = simulate(steps(program, odds, data), Random(seed))

    event("soft errors" if expected.soft_errors else "no soft error")
    assert found.choices == expected.choices
    assert found.log_likelihood == expected.log_likelihood
    assert found.log_factors == expected.log_factors
    assert len(found.warnings) == expected.soft_errors
    assert repr(found.value) == repr(expected.value)


def test_the_standard_run_decides_until_it_hands_back():
    script = iter([2, True, 1, False, 0])
    asked = []

    def choose(draw):
        asked.append(draw.address)
        return next(script)

    data = {"call": 1, "call_failed": False, "max_lookups": 8}
    found = answer(steps(STANDARD, ODDS, data), choose)

    assert asked == ["decide#0", "outcome#0", "decide#1", "outcome#1", "decide#2"]
    assert found.value == 1
    assert found.log_prior == pytest.approx(
        math.log(0.5) + math.log(0.75) + math.log(0.25) + math.log(0.25)
        + math.log(0.25)
    )  # fmt: skip


def test_the_standard_run_makes_no_more_lookups_than_it_may():
    data = {"call": 1, "call_failed": False, "max_lookups": 2}

    found = answer(
        steps(STANDARD, ODDS, data),
        lambda draw: 2 if draw.draws is int else True,
    )

    assert list(found.choices) == ["decide#0", "outcome#0", "decide#1", "outcome#1"]


def test_a_decision_is_told_what_the_last_outcome_was():
    told = []

    def decide(prev, failed):
        told.append((prev, failed))
        return Categorical((0.0, 1.0))

    registry = {**ODDS, "Decide": Family(int, 2, decide)}
    data = {"call": 2, "call_failed": True, "max_lookups": 3}
    score(
        steps(STANDARD, registry, data),
        {
            "decide#0": 1, "outcome#0": True, "decide#1": 1,
            "outcome#1": False, "decide#2": 0,
        },
    )  # fmt: skip

    assert told == [(2, True), (1, False), (1, True)]


def test_a_run_awaits_its_draws_one_after_the_other():
    now = []

    async def choose(draw):
        assert now == []
        now.append(draw.address)
        await asyncio.sleep(0)
        now.clear()
        return draw.distribution.draw(random)

    data = {"call": 1, "call_failed": False, "max_lookups": 8}
    for seed in range(20):
        random = Random(seed)
        served = asyncio.run(serve(steps(STANDARD, ODDS, data), choose))
        assert served == simulate(steps(STANDARD, ODDS, data), Random(seed))


def test_a_prepared_program_starts_afresh_each_time():
    start = prepare(parse("let n = call; n = n + 1; pure(n)"), ODDS, ["call"])

    ends = [answer(start({"call": n}), lambda _: 0).value for n in (1, 5, 1)]

    assert ends == [2, 6, 2]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("7 / 2", 3.5),
        ("4 / 2", 2.0),
        ("1 + 0.5", 1.5),
        ("1.0 / 0", math.inf),
        ("-1 / 0.0", -math.inf),
        ("-(3)", -3),
        ("1 == 1.0", True),
        ("true > false", True),
        ("!0", True),
        ("2 && 0.5", True),
        ("0 || 0.0", False),
        ("[1, 2, 3][1]", 2),
        ("[[1], 2.0].len()", 2),
        ("[].len()", 0),
        ("9223372036854775807 - 1", 2**63 - 2),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_an_expression_comes_to(expr, expected):
    found = value(expr)

    assert (found, type(found)) == (expected, type(expected))


def test_zero_by_zero_is_nan():
    assert math.isnan(value("0 / 0"))


@pytest.mark.parametrize(
    "expr",
    [
        "9223372036854775807 + 1",
        "-9223372036854775808 - 1",
        "4611686018427387904 * 2",
        "-(-9223372036854775808)",
    ],
)
def test_an_integer_never_wraps_around(expr):
    assert "64 bits" in soft(f"let n = {expr}; pure(n)")


@pytest.mark.parametrize(
    "expr",
    ["true + 1", "[1] == [1]", "true == 1", "[1, 2][2]", "[1][-1]", "[1][0.0]",
     "1[0]", "true.len()", "-true", "[1] && true", "!(0.0 / 0)"],
)  # fmt: skip
def test_a_value_that_is_not_there_leaves_nan_and_no_probability(expr):
    found = run(f"let n = {expr}; pure(n)")

    assert math.isnan(found.value)
    assert found.log_prob == -math.inf
    assert len(found.warnings) == 1


def test_the_second_operand_is_not_looked_at_when_the_first_decides():
    assert value("false && [1][9] == 1") is False
    assert value("true || [1][9] == 1") is True


def test_a_soft_error_says_where():
    assert soft("let a = [1];\npure(a[2])") == (
        "program:2:6: index 2 is outside an array of 1"
    )
    assert soft("let a = 1;\n  a = a[0];\npure(0)") == (
        "program:2:3: an integer is no array"
    )


def test_a_draw_without_a_distribution_leaves_a_placeholder_and_is_not_made():
    registry = {**ODDS, "Outcome": Family(bool, 1, lambda p: Bernoulli(p))}
    found = run(
        """
        let d <- sample(addr!("d", 0.5), Decide(1, false));
        let ok <- sample(addr!("ok"), Outcome(7));
        pure([d, ok])
        """,
        registry,
    )

    assert found.value == (0, False)
    assert found.choices == {}
    assert [warning.split(": ", 1)[1] for warning in found.warnings] == [
        "the number of `d` is a float, and should be an integer",
        "`Outcome`: 7 is no probability",
    ]


def test_a_branch_or_a_loop_without_a_condition_is_skipped():
    text = "let n = 0; {} pure(n)"

    assert run(text.format("if [1] { n = 1; } else { n = 2; }")).value == 0
    assert run(text.format("for i in 0..1.5 { n = 1; }")).value == 0
    assert run(text.format("if 0.0 / 0.0 { n = 1; } else { n = 2; }")).value == 0


def test_a_loop_looks_at_its_bounds_once():
    text = "let n = 2; for i in 0..n { n = n + 1; } pure(n)"

    assert run(text).value == 4


def test_what_a_block_changes_stays_changed_and_what_it_binds_does_not():
    text = """
    let n = 1;
    if true { let m = 5; n = m; let n = 9; }
    for n in 0..3 { n = 7; }
    pure(n)
    """

    assert run(text).value == 5


def test_a_break_leaves_the_innermost_loop():
    text = """
    let n = 0;
    for i in 0..3 { for j in 0..3 { if j == 1 { break; } n = n + 1; } }
    pure(n)
    """

    assert run(text).value == 3


def test_only_the_first_warnings_are_kept():
    found = run("for i in 0..1000 { factor(true); } pure(0)")

    assert len(found.warnings) == MAX_WARNINGS
    assert found.log_factors == -math.inf


def test_an_address_spells_out_its_name_and_number():
    found = run(
        r"""
        let a <- sample(addr!("x#\\", 2), Outcome(1));
        let b <- sample(addr!("x#2"), Outcome(1));
        let c <- sample(addr!("n", -(3)), Outcome(1));
        pure(0)
        """
    )

    assert list(found.choices) == ["x\\#\\\\#2", "x\\#2", "n#-3"]


def test_observations_and_factors_are_counted_apart_from_draws():
    found = run(
        """
        observe(addr!("seen"), Outcome(1), true);
        factor(-1);
        factor(0.25);
        pure(0)
        """
    )

    assert found.log_likelihood == math.log(0.75)
    assert found.log_factors == -0.75
    assert found.log_prior == 0
    assert found.log_prob == math.log(0.75) - 0.75


@pytest.mark.parametrize("weight", ["0.0 / 0", "1.0 / 0", "true", "[1]"])
def test_a_weight_is_a_number_below_infinity(weight):
    assert soft(f"factor({weight}); pure(0)").startswith("program:1:1: a factor is ")


def test_a_weight_of_minus_infinity_is_no_mistake():
    found = run("factor(-1.0 / 0); factor(1.0e308); pure(0)")

    assert found.log_factors == -math.inf
    assert found.warnings == ()


def test_an_observation_of_another_type_is_a_soft_error():
    assert soft('observe(addr!("a"), Outcome(1), 1); pure(0)') == (
        "program:1:1: an integer is nothing `Outcome` draws"
    )


def test_an_observed_integer_will_do_where_a_float_is_drawn():
    program = parse('observe(addr!("a"), Normal(0, 1), 2); pure(0)')

    found = answer(steps(program, GENERAL, {}), lambda _: 0)

    assert found.log_likelihood == pytest.approx(-2 - 0.5 * math.log(math.tau))


def test_what_is_served_counts_observations_and_weights_too():
    text = 'observe(addr!("a"), Outcome(1), true); factor(2); pure(0)'

    async def choose(_):
        raise AssertionError

    found = asyncio.run(serve(steps(parse(text), ODDS, {}), choose))

    assert found == run(text)
    assert found.log_prob == math.log(0.75) + 2


@pytest.mark.parametrize(
    "text",
    [
        'for i in 0..2 { let a <- sample(addr!("a"), Outcome(1)); } pure(0)',
        'let a <- sample(addr!("a"), Outcome(1)); '
        'observe(addr!("a"), Outcome(1), true); pure(0)',
    ],
)
def test_an_address_that_comes_up_twice_is_an_error(text):
    with pytest.raises(ProgramError, match="`a` comes up a second time"):
        run(text)


@pytest.mark.parametrize("given", [True, 1.0, None, (1,)])
def test_a_draw_is_answered_with_its_own_type_or_not_at_all(given):
    text = 'let d <- sample(addr!("d"), Decide(1, false)); pure(d)'
    with pytest.raises(ProgramError, match=r"`d` was answered with .*draws an integer"):
        answer(steps(parse(text), ODDS, {}), lambda _: given)


def test_a_program_is_checked_before_it_draws():
    with pytest.raises(ProgramError, match="no variable `gone` is in scope"):
        prepare(parse("pure(gone)"), ODDS, DATA)


def test_an_error_of_the_chooser_is_its_own():
    def choose(_):
        raise StopIteration("mine")

    data = {"call": 1, "call_failed": False, "max_lookups": 1}
    with pytest.raises(StopIteration, match="mine"):
        answer(steps(STANDARD, ODDS, data), choose)
