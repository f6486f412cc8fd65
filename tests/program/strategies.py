"""Random programs: any at all, and ones that run."""

from collections.abc import Mapping

from hypothesis import strategies as st

from stretto.program.ast import (
    RESERVED,
    Address,
    Array,
    Assign,
    Binary,
    Bool,
    Break,
    Call,
    Dist,
    Expr,
    Factor,
    Float,
    For,
    If,
    Index,
    Int,
    Len,
    Let,
    Observe,
    Operator,
    Program,
    Sample,
    Sign,
    Stmt,
    Unary,
    Var,
)
from stretto.program.families import Bernoulli, Categorical, Family

N_TOOLS = 3

identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True).filter(
    lambda name: name not in RESERVED
)

literals: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Float, st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(Int, st.integers(-(2**63), 2**63 - 1)),
    st.builds(Bool, st.booleans()),
)


def exprs(names: st.SearchStrategy[str]) -> st.SearchStrategy[Expr]:
    """Any expression over these names, whether it means anything or not."""

    def compound(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        several = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Unary, st.sampled_from(Sign), inner),
            st.builds(Binary, st.sampled_from(Operator), inner, inner),
            st.builds(Index, inner, inner),
            st.builds(Len, inner),
            st.builds(Array, several),
            st.builds(Call, identifiers, several),
        )

    return st.recursive(literals | st.builds(Var, names), compound, max_leaves=8)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program at all, with names that stand for nothing."""
    expr = exprs(identifiers)
    address = st.builds(Address, st.text(max_size=6), st.none() | expr)
    dist = st.builds(Dist, identifiers, st.lists(expr, max_size=2).map(tuple))
    simple: st.SearchStrategy[Stmt] = st.one_of(
        st.builds(Sample, identifiers, address, dist),
        st.builds(Let, identifiers, expr),
        st.builds(Assign, identifiers, expr),
        st.builds(Observe, address, dist, expr),
        st.builds(Factor, expr),
        st.just(Break()),
    )

    def nested(inner: st.SearchStrategy[Stmt]) -> st.SearchStrategy[Stmt]:
        block = st.lists(inner, max_size=3).map(tuple)
        return st.builds(For, identifiers, expr, expr, block) | st.builds(
            If, expr, block, block
        )

    stmt = st.recursive(simple, nested, max_leaves=6)
    return Program(tuple(draw(st.lists(stmt, max_size=4))), draw(expr))


class Scope:
    """The variables of a program being made up, by type."""

    def __init__(self) -> None:
        self.integers = ["call", "max_lookups"]
        self.booleans = ["call_failed"]
        self.made = 0

    def inside(self) -> "Scope":
        """A block's scope; names made in it stay unique in the program."""
        scope = Scope()
        scope.integers, scope.booleans = [*self.integers], [*self.booleans]
        scope.made = self.made
        return scope

    def name(self) -> str:
        """A name not used before."""
        self.made += 1
        return f"v{self.made}"


@st.composite
def runs(draw: st.DrawFn) -> Program:
    """
    Programs that a flow could run and that meet no soft error.

    They draw, branch, loop and break; each draw has an address of its own.
    """
    scope = Scope()
    body = draw(_block(scope, depth=2, loops=()))
    return Program(body, draw(_integer(scope)))


def _integer(scope: Scope) -> st.SearchStrategy[Expr]:
    leaf = st.builds(Int, st.integers(-3, 3)) | st.sampled_from(
        [Var(name) for name in scope.integers]
    )
    small = st.sampled_from([Operator.ADD, Operator.SUB])
    return leaf | st.builds(Binary, small, leaf, leaf)


def _boolean(scope: Scope) -> st.SearchStrategy[Expr]:
    leaf: st.SearchStrategy[Expr] = st.builds(Bool, st.booleans()) | st.sampled_from(
        [Var(name) for name in scope.booleans]
    )
    compares = st.sampled_from([Operator.EQ, Operator.LT, Operator.GE])
    joins = st.sampled_from([Operator.AND, Operator.OR])
    integer = _integer(scope)
    return st.one_of(
        leaf,
        st.builds(Unary, st.just(Sign.NOT), leaf),
        st.builds(Binary, compares, integer, integer),
        st.builds(Binary, joins, leaf, leaf),
    )


@st.composite
def _block(
    draw: st.DrawFn, scope: Scope, depth: int, loops: tuple[str, ...]
) -> tuple[Stmt, ...]:
    return tuple(
        draw(_stmt(scope, depth, loops)) for _ in range(draw(st.integers(0, 3)))
    )


@st.composite
def _stmt(draw: st.DrawFn, scope: Scope, depth: int, loops: tuple[str, ...]) -> Stmt:
    kinds = ["decide", "outcome", "let", "assign"]
    kinds += ["for", "if"] * (depth > 0) + ["break"] * bool(loops)
    match draw(st.sampled_from(kinds)):
        case "decide" | "outcome" as kind:
            return draw(_sample(scope, kind, loops))
        case "let":
            name = scope.name()
            value = draw(_integer(scope))
            scope.integers.append(name)
            return Let(name, value)
        case "assign":
            return Assign(draw(st.sampled_from(scope.integers)), draw(_integer(scope)))
        case "for":
            inside, name = scope.inside(), scope.name()
            inside.made = scope.made
            inside.integers.append(name)
            body = draw(_block(inside, depth - 1, (*loops, name)))
            scope.made = inside.made
            return For(name, Int(0), Int(draw(st.integers(0, 2))), body)
        case "if":
            branches = []
            cond = draw(_boolean(scope))
            for _ in range(2):
                inside = scope.inside()
                branches.append(draw(_block(inside, depth - 1, loops)))
                scope.made = inside.made
            return If(cond, *branches)
        case _:
            return Break()


@st.composite
def _sample(
    draw: st.DrawFn, scope: Scope, kind: str, loops: tuple[str, ...]
) -> Sample:
    name = scope.name()
    index: Expr | None = None
    for loop in loops:  # the numbers of the loops, read as one number
        tens = Int(0) if index is None else Binary(Operator.MUL, index, Int(10))
        index = Binary(Operator.ADD, tens, Var(loop))
    address = Address(f"{kind}-{name}", index)
    if kind == "decide":
        dist = Dist("Decide", (draw(_integer(scope)), draw(_boolean(scope))))
        scope.integers.append(name)
    else:
        dist = Dist("Outcome", (draw(_integer(scope)),))
        scope.booleans.append(name)
    return Sample(name, address, dist)


@st.composite
def families(draw: st.DrawFn) -> Mapping[str, Family]:
    """A flow's families over few tools, some of whose lookups are not on offer."""
    counts = st.lists(st.integers(0, 5), min_size=N_TOOLS, max_size=N_TOOLS)
    rows = [
        Categorical(tuple(n / sum(row) for n in row))
        for row in draw(
            st.lists(counts.filter(any), min_size=2 * N_TOOLS, max_size=2 * N_TOOLS)
        )
    ]
    chances = st.floats(0.05, 0.95)
    coins = [
        Bernoulli(p)
        for p in draw(st.lists(chances, min_size=N_TOOLS, max_size=N_TOOLS))
    ]
    return {
        "Decide": Family(
            int, 2, lambda prev, failed: rows[2 * (prev % N_TOOLS) + failed]
        ),
        "Outcome": Family(bool, 1, lambda tool: coins[tool % N_TOOLS]),
    }
