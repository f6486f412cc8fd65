"""
A program's nodes.

Two programs are equal when they say the same; where a node was written (`at`) is not
part of what it says.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

MAX_LEVELS = 100
"""The deepest a program may nest, in levels of its JSON form."""

_BINDING = ("let", "mut", "observe", "factor")
_CONTROL = ("for", "in", "if", "else", "break", "pure", "true", "false")
RESERVED = frozenset((*_BINDING, *_CONTROL))
"""The words that name nothing."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_identifier(text: str) -> bool:
    """Whether a variable, a family or a function may be called that."""
    return _IDENTIFIER.fullmatch(text) is not None and text not in RESERVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A node that knows where it was written."""

    at: str = field(default="", compare=False, repr=False)
    """`FILE:LINE:COLUMN` from text, `FILE: body[2].value` from JSON, or nothing."""


class Sign(StrEnum):
    """An operator with one operand; the value is its JSON name."""

    NEG = "neg"
    NOT = "not"


class Operator(StrEnum):
    """An operator with two operands; the value is its JSON name."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    AND = "and"
    OR = "or"


@dataclass(frozen=True, slots=True)
class Float(Placed):
    """A finite float."""

    value: float


@dataclass(frozen=True, slots=True)
class Int(Placed):
    """A 64-bit integer."""

    value: int


@dataclass(frozen=True, slots=True)
class Bool(Placed):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Var(Placed):
    """A variable's value."""

    name: str


@dataclass(frozen=True, slots=True)
class Array(Placed):
    """An array of its items' values."""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Index(Placed):
    """One item of an array, counted from 0."""

    array: "Expr"
    index: "Expr"


@dataclass(frozen=True, slots=True)
class Len(Placed):
    """How many items an array has."""

    array: "Expr"


@dataclass(frozen=True, slots=True)
class Unary(Placed):
    """A prefix operator on its operand."""

    op: Sign
    arg: "Expr"


@dataclass(frozen=True, slots=True)
class Binary(Placed):
    """An infix operator on its operands."""

    op: Operator
    lhs: "Expr"
    rhs: "Expr"


@dataclass(frozen=True, slots=True)
class Call(Placed):
    """A function's value at its arguments."""

    func: str
    args: tuple["Expr", ...]


Expr: TypeAlias = Float | Int | Bool | Var | Array | Index | Len | Unary | Binary | Call


@dataclass(frozen=True, slots=True)
class Address(Placed):
    """The name of a draw, numbered by an expression where a loop repeats it."""

    name: str
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class Dist(Placed):
    """A family at its arguments."""

    name: str
    args: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample(Placed):
    """Draw from a distribution and bind what was drawn."""

    var: str
    addr: Address
    dist: Dist


@dataclass(frozen=True, slots=True)
class Let(Placed):
    """Bind a new variable."""

    var: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign(Placed):
    """Overwrite a variable that exists."""

    var: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Observe(Placed):
    """Score a value under a distribution."""

    addr: Address
    dist: Dist
    value: Expr


@dataclass(frozen=True, slots=True)
class Factor(Placed):
    """Add to the run's log weight."""

    logw: Expr


@dataclass(frozen=True, slots=True)
class For(Placed):
    """Run the body once for each integer from `start` up to, not including, `end`."""

    var: str
    start: Expr
    end: Expr
    body: tuple["Stmt", ...]


@dataclass(frozen=True, slots=True)
class If(Placed):
    """Run one of two blocks."""

    cond: Expr
    then: tuple["Stmt", ...]
    otherwise: tuple["Stmt", ...] = ()
    """The `else` block; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Break(Placed):
    """Leave the innermost loop."""


Stmt: TypeAlias = Sample | Let | Assign | Observe | Factor | For | If | Break


@dataclass(frozen=True, slots=True)
class Program:
    """Statements, and the value a run of them ends with."""

    body: tuple[Stmt, ...]
    ret: Expr


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside one."""
    match expr:
        case Array(items) | Call(_, items):
            return items
        case Index(array, index):
            return (array, index)
        case Len(inner) | Unary(_, inner):
            return (inner,)
        case Binary(_, lhs, rhs):
            return (lhs, rhs)
        case _:
            return ()
