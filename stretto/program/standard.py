"""The standard run, and what any other run a flow may hold has to keep to."""

from stretto.errors import ProgramError
from stretto.program.ast import (
    Address,
    Assign,
    Binary,
    Break,
    Dist,
    For,
    If,
    Int,
    Let,
    Operator,
    Program,
    Sample,
    Sign,
    Unary,
    Var,
)
from stretto.program.bounds import Bounds, Linear, bounds
from stretto.program.check import check
from stretto.program.families import Bernoulli, Categorical, Family, Registry

DATA = ("call", "call_failed", "max_lookups")
"""What a run is told: the number of the tool whose call returned, whether that failed,
and how many lookups may follow it."""

FAMILIES: Registry = {
    "Decide": Family(int, 2, lambda _prev, _failed: Categorical((1.0,))),
    "Outcome": Family(bool, 1, lambda _tool: Bernoulli(0.5)),
}
"""A flow's two families as they are before anything is learned: it hands back."""

MAX_STATEMENTS = 10_000
"""How many statements a run may come to, and again for each lookup it may make."""


def admit(program: Program) -> Bounds:
    """
    The most that a flow's run of `program` can do.

    A run draws from `Decide` and `Outcome` alone, and at most twice for each lookup it
    may make.

    Raises:
        ProgramError: it uses another name, can do more than that, or has a loop whose
            work nothing bounds.
    """
    check(program, FAMILIES, DATA)
    found = bounds(program, DATA)
    _within(found.draws, Linear({"max_lookups": 2}), "draws")
    most = Linear({"": MAX_STATEMENTS, "max_lookups": MAX_STATEMENTS})
    _within(found.statements, most, "runs statements")
    return found


def _within(found: Linear, most: Linear, does: str) -> None:
    if (found | most) != most:
        cause = f"a run {does} up to {found} times; a flow's may {most} times"
        raise ProgramError(cause, hint="work belongs into `for i in 0..max_lookups`")


def _sample(var: str, address: str, family: str, *args: str) -> Sample:
    dist = Dist(family, tuple(map(Var, args)))
    return Sample(var, Address(address, Var("i")), dist)


STANDARD = Program(
    (
        Let("prev", Var("call")),
        Let("failed", Var("call_failed")),
        For(
            "i",
            Int(0),
            Var("max_lookups"),
            (
                _sample("d", "decide", "Decide", "prev", "failed"),
                If(Binary(Operator.EQ, Var("d"), Int(0)), (Break(),)),
                _sample("ok", "outcome", "Outcome", "d"),
                Assign("prev", Var("d")),
                Assign("failed", Unary(Sign.NOT, Var("ok"))),
            ),
        ),
    ),
    Var("prev"),
)
