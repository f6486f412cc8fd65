"""Random programs: any at all, and ones that run."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from random import Random

from hypothesis import strategies as st

from stretto.program.ast import (
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
from stretto.program.values import Value

N_TOOLS = 3

NAMES = ("a", "b", "prev", "_", "_1", "x9", "sample", "addr", "new", "len", "lets")
"""Names that nothing is wrong with, though some look like words of the language."""


def programs() -> st.SearchStrategy[Program]:
    """
    Any program at all, with names that stand for nothing.

    Made up from a seed, as `runs` is: a hundred times faster than piece by piece.
    """
    return st.integers(0, 2**32).map(lambda seed: Scribe(Random(seed)).program())


def runs(*, wild: bool = False) -> st.SearchStrategy[Program]:
    """
    Programs that a flow could run: they draw, branch, loop and break.

    They meet no soft error and come to no address twice, unless they are `wild`.
    """
    return st.integers(0, 2**32).map(lambda seed: Maker(Random(seed), wild).program())


def families() -> st.SearchStrategy[Mapping[str, Family]]:
    """A flow's families over few tools, some of whose lookups are not on offer."""
    return st.integers(0, 2**32).map(lambda seed: _families(Random(seed)))


class Scribe:
    """Writes down whatever the nodes allow."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> Program:
        """A program."""
        return Program(self.block(2), self.expr(2))

    def block(self, depth: int) -> tuple[Stmt, ...]:
        """Up to three statements."""
        return tuple([self.stmt(depth) for _ in range(self.random.randrange(4))])

    def stmt(self, depth: int) -> Stmt:
        """A statement."""
        kinds = ["sample", "let", "assign", "observe", "factor", "break"]
        match self.random.choice(kinds + ["for", "if"] * (depth > 0)):
            case "sample":
                return Sample(self.name(), self.address(), self.dist())
            case "let":
                return Let(self.name(), self.expr(2))
            case "assign":
                return Assign(self.name(), self.expr(2))
            case "observe":
                return Observe(self.address(), self.dist(), self.expr(2))
            case "factor":
                return Factor(self.expr(2))
            case "for":
                ends = self.expr(1), self.expr(1)
                return For(self.name(), *ends, self.block(depth - 1))
            case "if":
                then, otherwise = self.block(depth - 1), self.block(depth - 1)
                return If(self.expr(1), then, otherwise)
            case _:
                return Break()

    def address(self) -> Address:
        """An address, of any characters at all."""
        alphabet = "ab#\\\"'/{}\n\t\0é\u202e\ud800😀"
        name = "".join(self.random.choices(alphabet, k=self.random.randrange(5)))
        return Address(name, self.expr(1) if self.random.random() < 0.5 else None)

    def dist(self) -> Dist:
        """A family at up to two arguments."""
        return Dist(self.name(), self.exprs(1))

    def name(self) -> str:
        """An identifier."""
        names = [
            "a",
            "b",
            "prev",
            "_",
            "_1",
            "x9",
            "sample",
            "addr",
            "new",
            "len",
            "unwrap",
            "lets",
            "puree",
            "Decide",
        ]
        return self.random.choice(names)

    def exprs(self, depth: int) -> tuple[Expr, ...]:
        """Up to two expressions."""
        return tuple([self.expr(depth) for _ in range(self.random.randrange(3))])

    def expr(self, depth: int) -> Expr:
        """An expression."""
        random = self.random
        bits = random.getrandbits(64) - 2**63
        if depth == 0 or random.random() < 0.3:
            return random.choice(
                [
                    Var(self.name()),
                    Int(bits >> random.randrange(64)),
                    Bool(random.random() < 0.5),
                    Float(random.uniform(-2, 2) * 10.0 ** random.randint(-320, 307)),
                    Float(float(random.randint(-3, 3))),
                ]
            )
        one, two = self.expr(depth - 1), self.expr(depth - 1)
        return random.choice(
            [
                Unary(random.choice(list(Sign)), one),
                Binary(random.choice(list(Operator)), one, two),
                Binary(random.choice(list(Operator)), two, one),
                Index(one, two),
                Len(one),
                Array(self.exprs(depth - 1)),
                Call(self.name(), self.exprs(depth - 1)),
            ]
        )


@dataclass(frozen=True)
class Scope:
    """The variables of a block, by the type they have in a program that is not wild."""

    integers: list[str]
    booleans: list[str]

    def inside(self) -> "Scope":
        """A block's own scope. A loop's variable only numbers addresses: it stays."""
        return Scope([*self.integers], [*self.booleans])


class Maker:
    """Makes up a program."""

    def __init__(self, random: Random, wild: bool) -> None:
        self.random = random
        self.wild = wild
        self.names = (f"v{n}" for n in count())

    def program(self) -> Program:
        """A program over a flow's data."""
        scope = Scope(["call", "max_lookups"], ["call_failed"])
        return Program(self.block(scope, 2, ()), self.integer(scope))

    def block(self, scope: Scope, depth: int, loops: tuple[str, ...]) -> tuple:
        """Up to three statements."""
        n = self.random.randrange(4)
        return tuple([self.stmt(scope, depth, loops) for _ in range(n)])

    def stmt(self, scope: Scope, depth: int, loops: tuple[str, ...]) -> Stmt:
        """A statement; what it binds is added to the scope."""
        kinds = ["decide", "outcome", "let", "assign"]
        kinds += ["for", "if"] * (depth > 0) + ["break"] * bool(loops)
        kinds += ["observe", "factor"] * self.wild
        match self.random.choice(kinds):
            case "decide" | "outcome" as kind:
                return self.sample(scope, kind, loops)
            case "let":
                value, name = self.integer(scope), next(self.names)
                scope.integers.append(name)
                return Let(name, value)
            case "assign":
                return Assign(self.random.choice(scope.integers), self.integer(scope))
            case "for":
                name = next(self.names)
                body = self.block(scope.inside(), depth - 1, (*loops, name))
                return For(name, Int(0), self.end(), body)
            case "if":
                then, otherwise = (
                    self.block(scope.inside(), depth - 1, loops) for _ in range(2)
                )
                return If(self.boolean(scope), then, otherwise)
            case "observe":
                dist = Dist("Outcome", (self.integer(scope),))
                return Observe(Address(next(self.names)), dist, self.boolean(scope))
            case "factor":
                return Factor(self.anything(scope))
            case _:
                return Break()

    def end(self) -> Expr:
        """Where a loop ends: soon, or where no loop can."""
        if self.wild and self.random.random() < 0.2:
            return self.random.choice([Bool(True), Float(1.0), Len(Int(1))])
        return Int(self.random.randrange(3))

    def sample(self, scope: Scope, kind: str, loops: tuple[str, ...]) -> Sample:
        """A draw; outside wild programs its address is its own."""
        name = next(self.names)
        index: Expr | None = None
        if self.wild and self.random.random() < 0.4:
            index, loops = self.random.choice([None, self.anything(scope)]), ()
        for loop in loops:
            tens = Int(0) if index is None else Binary(Operator.MUL, index, Int(10))
            index = Binary(Operator.ADD, tens, Var(loop))
        if kind == "decide":
            dist = Dist("Decide", (self.integer(scope), self.boolean(scope)))
            scope.integers.append(name)
        else:
            dist = Dist("Outcome", (self.integer(scope),))
            scope.booleans.append(name)
        return Sample(name, Address(f"{kind}-{name}", index), dist)

    def integer(self, scope: Scope) -> Expr:
        """A small integer, unless anything goes."""
        if self.wild and self.random.random() < 0.3:
            return self.anything(scope)
        leaves: list[Expr] = [
            self.random.choice(
                [
                    Int(self.random.randint(-3, 3)),
                    Var(self.random.choice(scope.integers)),
                ]
            )
            for _ in range(2)
        ]
        op = self.random.choice([None, Operator.ADD, Operator.SUB])
        return leaves[0] if op is None else Binary(op, *leaves)

    def boolean(self, scope: Scope) -> Expr:
        """A boolean, unless anything goes."""
        if self.wild and self.random.random() < 0.3:
            return self.anything(scope)
        leaf, other = (Var(self.random.choice(scope.booleans)) for _ in range(2))
        op = self.random.choice([Operator.EQ, Operator.LT, Operator.GE])
        return self.random.choice(
            [
                leaf,
                Unary(Sign.NOT, leaf),
                Binary(op, self.integer(scope), self.integer(scope)),
                Binary(self.random.choice([Operator.AND, Operator.OR]), leaf, other),
            ]
        )

    def anything(self, scope: Scope, depth: int = 2) -> Expr:
        """Any expression."""
        names = scope.integers + scope.booleans
        leaves: list[Expr] = [
            Var(self.random.choice(names)),
            Int(self.random.choice([0, 1, 2, -1, 2**62, 2**63 - 1, -(2**63)])),
            Float(self.random.choice([0.0, -0.0, 0.5, 1e308])),
            Bool(self.random.random() < 0.5),
        ]
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(leaves)
        one, two = (self.anything(scope, depth - 1) for _ in range(2))
        return self.random.choice(
            [
                Unary(self.random.choice(list(Sign)), one),
                Binary(self.random.choice(list(Operator)), one, two),
                Index(Array((one, two)), Int(self.random.randint(-1, 2))),
                Index(one, two),
                Len(self.random.choice([one, Array((one, two))])),
                Array((one,)),
            ]
        )


def _families(random: Random) -> Mapping[str, Family]:
    rows = []
    for _ in range(2 * N_TOOLS):
        counts = [random.choice([0, 1, 2, 5]) for _ in range(N_TOOLS)]
        counts[random.randrange(N_TOOLS)] += 1
        rows.append(Categorical(tuple(n / sum(counts) for n in counts)))
    coins = [Bernoulli(random.uniform(0.05, 0.95)) for _ in range(N_TOOLS)]

    def decide(prev: Value, failed: Value) -> Categorical:
        if type(prev) is not int or type(failed) is not bool:
            raise ValueError("no number, or no boolean")
        return rows[2 * (prev % N_TOOLS) + failed]

    def outcome(tool: Value) -> Bernoulli:
        if type(tool) is not int:
            raise ValueError("no number")
        return coins[tool % N_TOOLS]

    return {"Decide": Family(int, 2, decide), "Outcome": Family(bool, 1, outcome)}
