"""Expressions, compiled once to closures over the variables' slots."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TypeAlias

from stretto.program.ast import (
    Array,
    Binary,
    Bool,
    Call,
    Expr,
    Float,
    Index,
    Int,
    Len,
    Operator,
    Sign,
    Unary,
    Var,
)
from stretto.program.families import Function, Registry
from stretto.program.values import (
    EAGER,
    SoftError,
    Value,
    describe,
    integer,
    negative,
    truth,
)

Slots: TypeAlias = Mapping[str, int]
"""Where each variable in scope keeps its value."""

Evaluate: TypeAlias = Callable[[list[Value]], Value]
"""An expression's value, given the slots' values; raises SoftError."""


def evaluator(expr: Expr, slots: Slots, registry: Registry) -> Evaluate:
    """What computes `expr`, whose names all stand for something."""

    def inner(part: Expr) -> Evaluate:
        return evaluator(part, slots, registry)

    match expr:
        case Float(value) | Bool(value) | Int(value):
            return lambda _: value
        case Var(name):
            return itemgetter(slots[name])
        case Array(items):
            parts = tuple(map(inner, items))
            return lambda env: tuple(part(env) for part in parts)
        case Index(array, index):
            return _indexed(inner(array), inner(index))
        case Len(array):
            return _length(inner(array))
        case Unary(Sign.NEG, arg):
            operand = inner(arg)
            return lambda env: negative(operand(env))
        case Unary(_, arg):
            operand = inner(arg)
            return lambda env: not truth(operand(env))
        case Binary(op, lhs, rhs):
            return _infix(op, inner(lhs), inner(rhs))
        case Call(func, args):
            function = registry[func]
            assert isinstance(function, Function)
            return _called(func, function, tuple(map(inner, args)))


def _infix(op: Operator, left: Evaluate, right: Evaluate) -> Evaluate:
    match op:
        case Operator.AND:
            return lambda env: truth(left(env)) and truth(right(env))
        case Operator.OR:
            return lambda env: truth(left(env)) or truth(right(env))
        case _:
            apply = EAGER[op]
            return lambda env: apply(left(env), right(env))


def _indexed(array: Evaluate, index: Evaluate) -> Evaluate:
    def item(env: list[Value]) -> Value:
        items, at = _array(array(env)), integer(index(env), "an index")
        if not 0 <= at < len(items):
            raise SoftError(f"index {at} is outside an array of {len(items)}")
        return items[at]

    return item


def _length(array: Evaluate) -> Evaluate:
    return lambda env: len(_array(array(env)))


def _array(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        raise SoftError(f"{describe(value)} is no array")
    return value


def _called(name: str, function: Function, args: tuple[Evaluate, ...]) -> Evaluate:
    def result(env: list[Value]) -> Value:
        values = [arg(env) for arg in args]
        try:
            return function.apply(*values)
        except ValueError as error:
            raise SoftError(f"`{name}`: {error}") from error

    return result
