"""The values a program computes with, and arithmetic that refuses to wrap around."""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from stretto.program.ast import Operator

Value: TypeAlias = bool | int | float | tuple["Value", ...]
"""A boolean, a 64-bit integer, a float, or an array of values."""


class SoftError(Exception):
    """A value that could not be computed. The run goes on, with no probability left."""


def describe(value: Value) -> str:
    """What kind of value it is, for an error."""
    match value:
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a float"
        case _:
            return "an array"


def truth(value: Value) -> bool:
    """Whether a value counts as true: a boolean that is, a number other than zero."""
    if isinstance(value, tuple):
        raise SoftError("an array is neither true nor false")
    if value != value:
        raise SoftError("NaN is neither true nor false")
    return bool(value)


def integer(value: Value, what: str) -> int:
    """A value that has to be an integer; errors call it `what`."""
    if type(value) is not int:
        raise SoftError(f"{what} is {describe(value)}, and should be an integer")
    return value


def number(value: Value, what: str) -> float:
    """A value that has to be a number, as a float; errors call it `what`."""
    if type(value) is not float and type(value) is not int:
        raise SoftError(f"{what} is {describe(value)}, and should be a number")
    return float(value)


def checked(value: int) -> int:
    """An integer that fits in 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise SoftError("an integer left the 64 bits it may have")
    return value


def negative(value: Value) -> Value:
    """The number with its sign turned."""
    if type(value) is int:
        return checked(-value)
    return -number(value, "the operand of `-`")


def add(lhs: Value, rhs: Value) -> Value:
    """The sum of two numbers: an integer if both are."""
    if type(lhs) is int and type(rhs) is int:
        return checked(lhs + rhs)
    return number(lhs, "the left of `+`") + number(rhs, "the right of `+`")


def subtract(lhs: Value, rhs: Value) -> Value:
    """The difference of two numbers: an integer if both are."""
    if type(lhs) is int and type(rhs) is int:
        return checked(lhs - rhs)
    return number(lhs, "the left of `-`") - number(rhs, "the right of `-`")


def multiply(lhs: Value, rhs: Value) -> Value:
    """The product of two numbers: an integer if both are."""
    if type(lhs) is int and type(rhs) is int:
        return checked(lhs * rhs)
    return number(lhs, "the left of `*`") * number(rhs, "the right of `*`")


def divide(lhs: Value, rhs: Value) -> float:
    """The quotient of two numbers as a float; by zero, an infinity or NaN."""
    over, under = number(lhs, "the left of `/`"), number(rhs, "the right of `/`")
    if under != 0.0:
        return over / under
    if over == 0.0 or over != over:
        return math.nan
    return math.copysign(math.inf, over) * math.copysign(1.0, under)


def _comparable(lhs: Value, rhs: Value) -> None:
    """Nothing, for two numbers or two booleans."""
    if type(lhs) is type(rhs) and not isinstance(lhs, tuple):
        return
    mixed = isinstance(lhs, bool) or isinstance(rhs, bool)
    if mixed or isinstance(lhs, tuple) or isinstance(rhs, tuple):
        raise SoftError(f"{describe(lhs)} and {describe(rhs)} do not compare")


def _equal(lhs: Value, rhs: Value) -> bool:
    _comparable(lhs, rhs)
    return lhs == rhs


def _less(lhs: Value, rhs: Value) -> bool:
    _comparable(lhs, rhs)
    return lhs < rhs  # type: ignore[operator]  # what compares has an order


def _no_more(lhs: Value, rhs: Value) -> bool:
    _comparable(lhs, rhs)
    return lhs <= rhs  # type: ignore[operator]


EAGER: Mapping[Operator, Callable[[Value, Value], Value]] = {
    Operator.ADD: add,
    Operator.SUB: subtract,
    Operator.MUL: multiply,
    Operator.DIV: divide,
    Operator.EQ: _equal,
    Operator.NE: lambda lhs, rhs: not _equal(lhs, rhs),
    Operator.LT: _less,
    Operator.LE: _no_more,
    Operator.GT: lambda lhs, rhs: _less(rhs, lhs),
    Operator.GE: lambda lhs, rhs: _no_more(rhs, lhs),
}
"""The operators that look at both operands; `&&` and `||` may stop at the first."""
