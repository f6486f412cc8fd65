"""The functions of the general registry, with the results IEEE arithmetic gives."""

import math
from collections.abc import Callable

from stretto.program.families import Function, Registry
from stretto.program.values import Value, checked, negative, number


def _of_float(apply: Callable[[float], float]) -> Function:
    """A function of a number, NaN outside its domain and +∞ past the largest float."""

    def safe(value: Value) -> float:
        x = number(value, "the argument")
        try:
            return apply(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return Function(1, safe)


def _log(x: float) -> float:
    return math.log(x) if x != 0 else -math.inf


def _abs(value: Value) -> Value:
    return negative(value) if number(value, "the argument") < 0 else value


def _floor(value: Value) -> int:
    x = number(value, "the argument")
    if not math.isfinite(x):
        raise ValueError(f"{x:g} has no integer below it")
    return checked(math.floor(x))


def _pow(base: Value, exponent: Value) -> float:
    x, y = number(base, "the base"), number(exponent, "the exponent")
    try:
        return math.pow(x, y)
    except OverflowError:
        odd = x < 0 and math.fmod(y, 2) != 0
        return -math.inf if odd else math.inf
    except ValueError:
        return math.inf if x == 0 else math.nan


def _min(lhs: Value, rhs: Value) -> Value:
    x, y = number(lhs, "an argument"), number(rhs, "an argument")
    return lhs if x <= y or x != x else rhs


def _max(lhs: Value, rhs: Value) -> Value:
    x, y = number(lhs, "an argument"), number(rhs, "an argument")
    return lhs if x >= y or x != x else rhs


FUNCTIONS: Registry = {
    "exp": _of_float(math.exp),
    "ln": _of_float(_log),
    "log": _of_float(_log),
    "sqrt": _of_float(math.sqrt),
    "sin": _of_float(math.sin),
    "cos": _of_float(math.cos),
    "tanh": _of_float(math.tanh),
    "abs": Function(1, _abs),
    "floor": Function(1, _floor),
    "pow": Function(2, _pow),
    "min": Function(2, _min),
    "max": Function(2, _max),
}
"""By name. `ln` and `log` are one; `floor` gives an integer."""
