"""
What can be run on arrays: a program whose every value has one type, known beforehand.

The interpreter finds out a value's type when it has the value; arrays have one type
for all their elements.
"""

from collections.abc import Iterable, Mapping
from typing import NoReturn, TypeAlias

from stretto.errors import ProgramError
from stretto.program.ast import (
    Address,
    Assign,
    Binary,
    Bool,
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
    Placed,
    Program,
    Sample,
    Sign,
    Stmt,
    Unary,
    Var,
)
from stretto.program.batch.lanes import Kind
from stretto.program.batch.table import Tabled

Scope: TypeAlias = dict[str, Kind]

_ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL)
_LOGIC = (Operator.AND, Operator.OR)
_NAMES = {bool: "a boolean", int: "an integer", float: "a float"}


def lowerable(
    program: Program, tables: Mapping[str, Tabled], data: Mapping[str, Kind]
) -> None:
    """
    Nothing, for a program that can be run on arrays.

    It has passed `check`; `data` are the types of what its runs are told.

    Raises:
        ProgramError: it has an array or calls a function; a variable changes its type;
            an operand or argument is of a type that no run gets past; or an integer is
            compared with a float, which arrays round first.
    """
    typer = _Typer(tables)
    scope = dict(data)
    typer.block(program.body, scope)
    typer.expr(program.ret, scope)


class _Typer:
    def __init__(self, tables: Mapping[str, Tabled]) -> None:
        self.tables = tables

    def block(self, body: Iterable[Stmt], scope: Scope) -> None:
        """A block's statements; the variables they bind are added to `scope`."""
        for stmt in body:
            self.stmt(stmt, scope)

    def stmt(self, stmt: Stmt, scope: Scope) -> None:
        match stmt:
            case Let(var, value):
                scope[var] = self.expr(value, scope)
            case Assign(var, value):
                found = self.expr(value, scope)
                if found is not scope[var]:
                    _refuse(
                        stmt,
                        f"`{var}` turns from {_NAMES[scope[var]]} into {_NAMES[found]}",
                    )
            case Sample(var, addr, dist):
                scope[var] = self.drawn(addr, dist, scope)
            case Observe(addr, dist, value):
                draws = self.drawn(addr, dist, scope)
                self.wanted(value, scope, draws, f"`{dist.name}` draws")
            case Factor(logw):
                self.number(logw, scope)
            case For(var, start, end, body):
                for bound in (start, end):
                    self.wanted(bound, scope, int, "a loop runs over")
                self.block(body, {**scope, var: int})
            case If(cond, then, otherwise):
                self.expr(cond, scope)
                self.block(then, {**scope})
                self.block(otherwise, {**scope})
            case _:
                pass

    def drawn(self, addr: Address, dist: Dist, scope: Scope) -> Kind:
        if addr.index is not None:
            self.wanted(addr.index, scope, int, "an address is numbered by")
        table = self.tables[dist.name]
        for arg, kind in zip(dist.args, table.takes, strict=True):
            self.wanted(arg, scope, kind, f"`{dist.name}` takes here")
        return table.draws

    def wanted(self, expr: Expr, scope: Scope, kind: Kind, who: str) -> None:
        found = self.expr(expr, scope)
        if found is not kind:
            _refuse(expr, f"{who} {_NAMES[kind]}, and this is {_NAMES[found]}")

    def expr(self, expr: Expr, scope: Scope) -> Kind:
        match expr:
            case Float() | Int() | Bool():
                return type(expr.value)
            case Var(name):
                return scope[name]
            case Unary(Sign.NEG, arg):
                return self.number(arg, scope)
            case Unary(_, arg):
                self.expr(arg, scope)
                return bool
            case Binary(op, lhs, rhs) if op in _ARITHMETIC:
                both = {self.number(lhs, scope), self.number(rhs, scope)}
                return int if both == {int} else float
            case Binary(Operator.DIV, lhs, rhs):
                self.number(lhs, scope)
                self.number(rhs, scope)
                return float
            case Binary(op, lhs, rhs):
                left, right = self.expr(lhs, scope), self.expr(rhs, scope)
                if op not in _LOGIC and left is not right:
                    _refuse(expr, f"{_NAMES[left]} is compared with {_NAMES[right]}")
                return bool
            case _:
                _refuse(expr, "arrays and functions are not for whole batches")

    def number(self, expr: Expr, scope: Scope) -> Kind:
        found = self.expr(expr, scope)
        if found is bool:
            _refuse(expr, "this is a boolean, and should be a number")
        return found


def _refuse(node: Placed, cause: str) -> NoReturn:
    raise ProgramError(
        f"cannot be run on arrays: {cause}",
        place=node.at,
        hint="`stretto.program.handlers.score` takes any program, one run at a time",
    )
