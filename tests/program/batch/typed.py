"""
Random programs in which every value has one type, and random tables for them.

They overflow, divide by zero, number addresses by what was drawn, come to addresses
twice and leave loops early, so that runs of all kinds come about.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

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
_COMPARISON = (
    Operator.EQ,
    Operator.NE,
    Operator.LT,
    Operator.LE,
    Operator.GT,
    Operator.GE,
)
_INTS = st.sampled_from([0, 1, 1, 2, 3, -1, 2**62, 2**63 - 1, -(2**63)])
_FLOATS = st.sampled_from([0.0, -0.0, 0.5, 1.0, -2.0, 1e308])

Scope = dict[str, Kind]


def tables(seed: int) -> dict[str, Tabled]:
    """`Decide` over `TOOLS` tools and `Outcome`, with probabilities that may be 0."""
    random = np.random.default_rng(seed)
    weights = random.integers(0, 3, (TOOLS, 2, TOOLS)) + np.eye(TOOLS)[:, None]
    decide = {
        (tool, failed): Categorical(tuple((w / w.sum()).tolist()))
        for tool, failed in product(range(TOOLS), (False, True))
        for w in [weights[tool, int(failed)]]
    }
    outcome = [
        Bernoulli(p) for p in random.choice([0.0, 0.3, 0.9, 1.0], TOOLS).tolist()
    ]
    decide_rows = [
        [decide[t, f].log_probs for f in (False, True)] for t in range(TOOLS)
    ]
    outcome_rows = [[coin.log_prob(ok) for ok in (False, True)] for coin in outcome]

    def at(tool: Value) -> int:
        assert isinstance(tool, int)
        if tool < 0:
            raise ValueError(f"{tool} is no tool's number")
        return min(tool, TOOLS - 1)

    return {
        "Decide": Tabled(
            int, 2, lambda t, f: decide[at(t), f], (int, bool), np.array(decide_rows)
        ),
        "Outcome": Tabled(
            bool, 1, lambda t: outcome[at(t)], (int,), np.array(outcome_rows)
        ),
    }


def typed_programs() -> st.SearchStrategy[Program]:
    """Programs on `DATA` and `tables`."""
    return st.composite(_program)()


def _program(draw: st.DrawFn) -> Program:
    scope = dict(DATA)
    body = _Writer(draw).block(scope, depth=0, in_loop=False)
    kind = draw(st.sampled_from([int, bool, float]))
    return Program(body, _Writer(draw).expr(scope, kind))


@dataclass(frozen=True)
class _Writer:
    draw: st.DrawFn

    def block(self, scope: Scope, depth: int, in_loop: bool) -> tuple[Stmt, ...]:
        body: list[Stmt] = []
        for _ in range(self.draw(st.integers(1, 4))):
            body += self.stmts(scope, depth, in_loop)
        return tuple(body)

    def stmts(self, scope: Scope, depth: int, in_loop: bool) -> list[Stmt]:
        kinds = ["let", "assign", "decide", "decide", "outcome", "outcome", "factor"]
        kinds += ["observe"]
        if depth < 2:
            kinds += ["if", "if", "for", "for"]
        if in_loop:
            kinds += ["break"]
        match self.draw(st.sampled_from(kinds)):
            case "let":
                kind = self.draw(st.sampled_from([int, bool, float]))
                let = Let(self.name(), self.expr(scope, kind))
                scope[let.var] = kind
                return [let]
            case "assign":
                var = self.draw(st.sampled_from(sorted(scope.keys() - {"most"})))
                return [Assign(var, self.expr(scope, scope[var]))]
            case "decide":
                args = self.expr(scope, int), self.expr(scope, bool)
                decide = Dist("Decide", args)
                sample = Sample(self.name(), self.address(scope), decide)
                scope[sample.var] = int
                return [sample]
            case "outcome":
                outcome = Dist("Outcome", (self.expr(scope, int),))
                sample = Sample(self.name(), self.address(scope), outcome)
                scope[sample.var] = bool
                return [sample]
            case "observe":
                outcome = Dist("Outcome", (self.expr(scope, int),))
                name = self.draw(st.sampled_from(["a", "seen"]))
                return [Observe(Address(name), outcome, self.expr(scope, bool))]
            case "factor":
                kind = self.draw(st.sampled_from([int, float]))
                return [Factor(self.expr(scope, kind))]
            case "if":
                then = self.block({**scope}, depth + 1, in_loop)
                has_else = self.draw(st.booleans())
                other = self.block({**scope}, depth + 1, in_loop) if has_else else ()
                kind = self.draw(st.sampled_from([bool, bool, int, float]))
                return [If(self.expr(scope, kind), then, other)]
            case "for":
                var = self.name()
                inner = self.block({**scope, var: int}, depth + 1, True)
                start = self.draw(st.sampled_from([Int(0), Int(0), Var("most")]))
                end = self.draw(st.sampled_from([Int(2), Var("most")]))
                return [For(var, start, end, inner)]
            case _:
                return [Break()]

    def name(self) -> str:
        return self.draw(st.sampled_from(["x", "y", "z", "i", "d"]))

    def address(self, scope: Scope) -> Address:
        name = self.draw(st.sampled_from(["a", "a", "b", "b", "c#"]))
        numbered = self.draw(st.sampled_from([True, True, False]))
        return Address(name, self.expr(scope, int) if numbered else None)

    def expr(self, scope: Scope, kind: Kind, depth: int = 0) -> Expr:
        known = sorted(name for name, found in scope.items() if found is kind)
        leaf = depth > 1 or self.draw(st.integers(0, 2)) > 0
        if leaf and known and self.draw(st.integers(0, 3)) > 0:
            return Var(self.draw(st.sampled_from(known)))
        if leaf:
            return self.literal(kind)
        return self.compound(scope, kind, depth + 1)

    def literal(self, kind: Kind) -> Expr:
        if kind is bool:
            return Bool(self.draw(st.booleans()))
        return Int(self.draw(_INTS)) if kind is int else Float(self.draw(_FLOATS))

    def compound(self, scope: Scope, kind: Kind, depth: int) -> Expr:
        if kind is bool:
            return self.condition(scope, depth)
        if self.draw(st.integers(0, 4)) == 0:
            return Unary(Sign.NEG, self.expr(scope, kind, depth))
        if kind is int:
            op = self.draw(st.sampled_from(_ARITHMETIC))
            left, right = (self.expr(scope, int, depth) for _ in range(2))
            return Binary(op, left, right)
        op = self.draw(st.sampled_from((*_ARITHMETIC, Operator.DIV)))
        right_kind = self.draw(st.sampled_from([int, float]))
        right = self.expr(scope, right_kind, depth)
        return Binary(op, self.expr(scope, float, depth), right)

    def condition(self, scope: Scope, depth: int) -> Expr:
        kind = self.draw(st.sampled_from([int, int, bool, float]))
        form = self.draw(st.sampled_from(["not", "and", "or", "compare", "compare"]))
        if form == "not":
            return Unary(Sign.NOT, self.expr(scope, kind, depth))
        left, right = (self.expr(scope, kind, depth) for _ in range(2))
        if form == "compare":
            return Binary(self.draw(st.sampled_from(_COMPARISON)), left, right)
        return Binary(Operator.AND if form == "and" else Operator.OR, left, right)
