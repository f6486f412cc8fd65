"""The interpreter's arithmetic on lanes, with a mask of where it has no result."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NamedTuple

from stretto.program.ast import Operator
from stretto.program.batch.lanes import Lanes, Operand, kind_of

_LEAST = -(2**63)


class Result(NamedTuple):
    """An operator's value in each lane."""

    value: Lanes
    overflows: Lanes | None = None
    """Where an integer left its 64 bits and the value is wrong."""


def negative(xp: ModuleType, arg: Lanes) -> Result:
    """The numbers with their signs turned."""
    return Result(-arg, xp.equal(arg, _LEAST) if kind_of(arg) is int else None)


def infix(xp: ModuleType, op: Operator, lhs: Operand, rhs: Operand) -> Result:
    """An operator that looks at both operands, of which one at least is lanes."""
    if op in _CHECKED and kind_of(lhs) is kind_of(rhs) is int:
        return _CHECKED[op](xp, lhs, rhs)
    return Result(getattr(xp, _UFUNCS[op])(lhs, rhs))


_UFUNCS: Mapping[Operator, str] = {
    Operator.ADD: "add",
    Operator.SUB: "subtract",
    Operator.MUL: "multiply",
    Operator.DIV: "true_divide",
    Operator.EQ: "equal",
    Operator.NE: "not_equal",
    Operator.LT: "less",
    Operator.LE: "less_equal",
    Operator.GT: "greater",
    Operator.GE: "greater_equal",
}


def _add(xp: ModuleType, lhs: Operand, rhs: Operand) -> Result:
    """Sums; one overflows where its sign is neither operand's."""
    total = xp.add(lhs, rhs)
    turned = xp.bitwise_xor(lhs, total) & xp.bitwise_xor(rhs, total)
    return Result(total, xp.less(turned, 0))


def _subtract(xp: ModuleType, lhs: Operand, rhs: Operand) -> Result:
    """Differences; one overflows where the signs differ and its own is the right's."""
    difference = xp.subtract(lhs, rhs)
    turned = xp.bitwise_xor(lhs, rhs) & xp.bitwise_xor(lhs, difference)
    return Result(difference, xp.less(turned, 0))


def _multiply(xp: ModuleType, lhs: Operand, rhs: Operand) -> Result:
    """Products; one overflows where dividing it does not give the right back."""
    product = xp.multiply(lhs, rhs)
    divisor = xp.where(xp.equal(lhs, 0), 1, lhs)
    other = xp.not_equal(xp.floor_divide(product, divisor), rhs)
    turned = xp.equal(lhs, -1) & xp.equal(rhs, _LEAST)
    return Result(product, (xp.not_equal(lhs, 0) & other) | turned)


_CHECKED: Mapping[Operator, Callable[[ModuleType, Operand, Operand], Result]] = {
    Operator.ADD: _add,
    Operator.SUB: _subtract,
    Operator.MUL: _multiply,
}
