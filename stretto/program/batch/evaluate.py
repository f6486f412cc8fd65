"""Expressions on lanes; what all lanes have alike is computed once, as a scalar."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from stretto.program.ast import (
    Binary,
    Bool,
    Expr,
    Float,
    Int,
    Operator,
    Sign,
    Unary,
    Var,
)
from stretto.program.batch import arithmetic
from stretto.program.batch.lanes import Lanes, Operand, Shared, kind_of
from stretto.program.batch.runs import Fault, Runs
from stretto.program.values import EAGER, SoftError, negative
from stretto.program.values import Value as Scalar


@dataclass(slots=True)
class Cell:
    """A variable."""

    value: Operand


Scope: TypeAlias = dict[str, Cell]
"""The variables by name; an inner block's scope shares the cells of the outer."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Evaluates expressions for some of the runs, ending those that have no value."""

    runs: Runs

    def expr(self, expr: Expr, scope: Scope, act: Lanes) -> Operand:
        """An expression's value where `act` is; anything elsewhere."""
        match expr:
            case Float(value) | Int(value) | Bool(value):
                return value
            case Var(name):
                return scope[name].value
            case Unary(Sign.NEG, arg):
                return self._negative(self.expr(arg, scope, act), act)
            case Unary(_, arg):
                return inverted(self.truth(arg, scope, act))
            case Binary(Operator.AND | Operator.OR as op, lhs, rhs):
                return self._short(op is Operator.OR, lhs, rhs, scope, act)
            case Binary(op, lhs, rhs):
                left = self.expr(lhs, scope, act)
                return self._infix(op, left, self.expr(rhs, scope, act), act)
        raise AssertionError(f"{type(expr).__name__} is not for lanes")

    def truth(self, expr: Expr, scope: Scope, act: Lanes) -> bool | Lanes:
        """Whether an expression counts as true."""
        value = self.expr(expr, scope, act)
        xp = self.runs.arrays.xp
        if kind_of(value) is float:
            self.runs.end(act & xp.isnan(value), Fault.SOFT)
        found: bool | Lanes
        found = bool(value) if isinstance(value, Shared) else xp.not_equal(value, 0)
        return found

    def _short(
        self, stops_at: bool, lhs: Expr, rhs: Expr, scope: Scope, act: Lanes
    ) -> Operand:
        """`&&` and `||`: the right operand counts only where the left did not stop."""
        left = self.truth(lhs, scope, act)
        if isinstance(left, bool):
            return left if left is stops_at else self.truth(rhs, scope, act)
        right = self.truth(rhs, scope, act & (~left if stops_at else left))
        return left | right if stops_at else left & right

    def _infix(self, op: Operator, lhs: Operand, rhs: Operand, act: Lanes) -> Operand:
        if isinstance(lhs, Shared) and isinstance(rhs, Shared):
            return self._scalar(lambda: EAGER[op](lhs, rhs), act)
        result = arithmetic.infix(self.runs.arrays.xp, op, lhs, rhs)
        return self._checked(result, act)

    def _negative(self, arg: Operand, act: Lanes) -> Operand:
        if isinstance(arg, Shared):
            return self._scalar(lambda: negative(arg), act)
        return self._checked(arithmetic.negative(self.runs.arrays.xp, arg), act)

    def _scalar(self, compute: Callable[[], Scalar], act: Lanes) -> Operand:
        """A scalar; where it left 64 bits, all these runs end."""
        try:
            value = compute()
        except SoftError:
            self.runs.end(act, Fault.SOFT)
            return 0
        assert not isinstance(value, tuple)
        return value

    def _checked(self, result: arithmetic.Result, act: Lanes) -> Lanes:
        if result.overflows is not None:
            self.runs.end(act & result.overflows, Fault.SOFT)
        return result.value


def inverted(value: bool | Lanes) -> bool | Lanes:
    """`!`."""
    return not value if isinstance(value, bool) else ~value
