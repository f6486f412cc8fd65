"""
Random programs in which every value has one type, and random tables for them.

They overflow, divide by zero, number addresses by what was drawn, come to addresses
twice and leave loops early, so that runs of all kinds come about.
"""

from dataclasses import dataclass, field
from itertools import count, product
from random import Random

import numpy as np

from stretto.program.ast import (
    Address,
    Assign,
    Binary,
    Bool,
    Break,
    Dist,
    Expr,
    Factor,
    Float,
    For,
    If,
    Int,
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
from stretto.program.batch.lanes import Kind
from stretto.program.batch.table import Tabled
from stretto.program.families import Bernoulli, Categorical
from stretto.program.values import Value

DATA = {"call": int, "call_failed": bool, "most": int}
"""What a run of these programs is told."""

TOOLS = 3

_ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL)
_COMPARISON = tuple(Operator)[4:10]
_INTS = (0, 1, 1, 2, 3, -1, 2**62, 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, 0.5, 1.0, -2.0, 1e308)

Scope = dict[str, Kind]


def tables(random: Random) -> dict[str, Tabled]:
    """`Decide` and `Outcome` over `TOOLS` tools, of which some never happen."""
    decide = {at: _categorical(random) for at in product(range(TOOLS), (False, True))}
    outcome = [Bernoulli(random.choice([0.0, 0.3, 0.9, 1.0])) for _ in range(TOOLS)]
    chosen = [[decide[n, f].log_probs for f in (False, True)] for n in range(TOOLS)]
    ended = [[coin.log_prob(ok) for ok in (False, True)] for coin in outcome]
    return {
        "Decide": Tabled(
            int,
            2,
            lambda n, f: decide[_row(n), _flag(f)],
            (int, bool),
            np.array(chosen),
        ),
        "Outcome": Tabled(bool, 1, lambda n: outcome[_row(n)], (int,), np.array(ended)),
    }


def _categorical(random: Random) -> Categorical:
    weights = [random.randint(0, 2) for _ in range(TOOLS - 1)] + [1]
    return Categorical(tuple(weight / sum(weights) for weight in weights))


def _row(number: Value) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number} is no tool's number")
    return min(number, TOOLS - 1)


def _flag(failed: Value) -> bool:
    if type(failed) is not bool:
        raise ValueError(f"{failed} is no boolean")
    return failed


def typed_program(random: Random) -> Program:
    """A program on `DATA` and `tables`."""
    writer, scope = _Writer(random), dict(DATA)
    body = writer.block(scope, loops=())
    return Program(body, writer.expr(scope, random.choice([int, bool, float])))


@dataclass(frozen=True)
class _Writer:
    random: Random
    names: "count[int]" = field(default_factory=count)

    def block(
        self, scope: Scope, loops: tuple[str, ...], depth: int = 0
    ) -> tuple[Stmt, ...]:
        n = self.random.randint(1, 3)
        return tuple(self.stmt(scope, loops, depth) for _ in range(n))

    def stmt(self, scope: Scope, loops: tuple[str, ...], depth: int) -> Stmt:
        kinds = [Let, Assign, Sample, Sample, Sample, Factor, Observe]
        kinds += [If, For, For] if depth < 2 else []
        kinds += [Break] if loops else []
        kind = self.random.choice(kinds)
        if kind is If:
            cond = self.expr(scope, self.random.choice([bool, bool, int, float]))
            then, other = (self.block({**scope}, loops, depth + 1) for _ in range(2))
            return If(cond, then, self.random.choice([other, ()]))
        if kind is For:
            var = self.random.choice("ij")
            body = self.block({**scope, var: int}, (*loops, var), depth + 1)
            start = self.random.choice([Int(0), Int(0), Var("most")])
            return For(var, start, self.random.choice([Int(2), Var("most")]), body)
        return self.simple(kind, scope, loops)

    def simple(self, kind: type[Stmt], scope: Scope, loops: tuple[str, ...]) -> Stmt:
        if kind is Let:
            of = self.random.choice([int, bool, float])
            value, var = self.expr(scope, of), self.random.choice("xyz")
            scope[var] = of
            return Let(var, value)
        if kind is Assign:
            var = self.random.choice(sorted(scope.keys() - {"most"}))
            return Assign(var, self.expr(scope, scope[var]))
        if kind is Sample:
            addr, var = self.address(scope, loops), self.random.choice("xyzd")
            dist = self.dist(scope)
            scope[var] = int if dist.name == "Decide" else bool
            return Sample(var, addr, dist)
        if kind is Observe:
            dist = Dist("Outcome", (self.tool(scope),))
            addr = Address(self.random.choice(["a", f"seen{next(self.names)}"]))
            return Observe(addr, dist, self.expr(scope, bool))
        if kind is Factor:
            return Factor(self.expr(scope, self.random.choice([int, float])))
        return Break()

    def dist(self, scope: Scope) -> Dist:
        if self.random.random() < 0.5:
            return Dist("Decide", (self.tool(scope), self.expr(scope, bool)))
        return Dist("Outcome", (self.tool(scope),))

    def tool(self, scope: Scope) -> Expr:
        plain = self.random.random() < 0.8
        return Int(self.random.randrange(4)) if plain else self.expr(scope, int)

    def address(self, scope: Scope, loops: tuple[str, ...]) -> Address:
        """A new one for each turn, most of the time."""
        if self.random.random() < 0.3:
            numbered = self.random.random() < 0.7
            name = self.random.choice(["a", "b", "c#"])
            return Address(name, self.expr(scope, int) if numbered else None)
        name = f"a{next(self.names)}"
        if not loops:
            return Address(name)
        number: Expr = Var(loops[0])
        for var in loops[1:]:
            number = Binary(
                Operator.ADD, Binary(Operator.MUL, number, Int(4)), Var(var)
            )
        return Address(name, number)

    def expr(self, scope: Scope, kind: Kind, depth: int = 0) -> Expr:
        known = sorted(name for name, found in scope.items() if found is kind)
        if depth < 2 and self.random.random() < 0.3:
            return self.compound(scope, kind, depth + 1)
        if known and self.random.random() < 0.8:
            return Var(self.random.choice(known))
        if kind is bool:
            return Bool(self.random.random() < 0.5)
        if kind is int:
            return Int(self.random.choice(_INTS))
        return Float(self.random.choice(_FLOATS))

    def compound(self, scope: Scope, kind: Kind, depth: int) -> Expr:
        if kind is bool:
            return self.condition(scope, depth)
        if self.random.random() < 0.2:
            return Unary(Sign.NEG, self.expr(scope, kind, depth))
        if kind is int:
            op = self.random.choice(_ARITHMETIC)
            return Binary(op, *(self.expr(scope, int, depth) for _ in range(2)))
        op = self.random.choice((*_ARITHMETIC, Operator.DIV))
        left, right = kind, self.random.choice([int, float])
        return Binary(op, self.expr(scope, left, depth), self.expr(scope, right, depth))

    def condition(self, scope: Scope, depth: int) -> Expr:
        of = self.random.choice([int, int, bool, float])
        left, right = (self.expr(scope, of, depth) for _ in range(2))
        form = self.random.choice(["not", "and", "or", "compare", "compare"])
        if form == "not":
            return Unary(Sign.NOT, left)
        if form == "compare":
            return Binary(self.random.choice(_COMPARISON), left, right)
        return Binary(Operator(form), left, right)
