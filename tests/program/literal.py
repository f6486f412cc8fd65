"""The run-time rules, read off one after the other: slow, and nothing shared."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from stretto.program import ast
from stretto.program.families import Distribution, Family, Registry


class Soft(Exception):
    """A soft error."""


class Broken(Exception):
    """A `break` on its way to its loop."""


class Duplicate(Exception):
    """An address drawn twice."""


@dataclass
class Trace:
    """What a run left behind."""

    choices: dict[str, tuple[object, float]] = field(default_factory=dict)
    observed: set[str] = field(default_factory=set)
    log_likelihood: float = 0.0
    log_factors: float = 0.0
    soft_errors: int = 0
    value: object = None


Scopes = list[dict[str, object]]


class Interpreter:
    """Walks the nodes, with a stack of scopes."""

    def __init__(
        self, registry: Registry, choose: Callable[[str, Distribution], object]
    ) -> None:
        self.registry = registry
        self.choose = choose
        self.trace = Trace()

    def run(self, program: ast.Program, data: dict[str, object]) -> Trace:
        """The trace of a run."""
        scopes: Scopes = [dict(data)]
        self.block(program.body, scopes)
        try:
            self.trace.value = self.value(program.ret, scopes)
        except Soft:
            self.soft()
            self.trace.value = math.nan
        return self.trace

    def soft(self) -> None:
        """One more soft error."""
        self.trace.soft_errors += 1
        self.trace.log_factors = -math.inf

    def block(self, body: tuple[ast.Stmt, ...], scopes: Scopes) -> None:
        """The statements of a block, in the innermost scope."""
        for stmt in body:
            self.statement(stmt, scopes)

    def statement(self, stmt: ast.Stmt, scopes: Scopes) -> None:
        """One statement; a soft error skips it, or leaves a placeholder."""
        try:
            self.carry_out(stmt, scopes)
        except Soft:
            self.soft()
            if isinstance(stmt, ast.Let):
                scopes[-1][stmt.var] = math.nan
            elif isinstance(stmt, ast.Assign):
                self.owner(stmt.var, scopes)[stmt.var] = math.nan
            elif isinstance(stmt, ast.Sample):
                drawn = self.registry[stmt.dist.name].draws
                scopes[-1][stmt.var] = {int: 0, bool: False, float: 0.0}[drawn]

    def carry_out(self, stmt: ast.Stmt, scopes: Scopes) -> None:
        """One statement."""
        match stmt:
            case ast.Let():
                scopes[-1][stmt.var] = self.value(stmt.value, scopes)
            case ast.Assign():
                owner = self.owner(stmt.var, scopes)
                owner[stmt.var] = self.value(stmt.value, scopes)
            case ast.Sample():
                address = self.address(stmt.addr, scopes)
                dist = self.distribution(stmt.dist, scopes)
                self.fresh(address)
                value = self.choose(address, dist)
                self.trace.choices[address] = (value, dist.log_prob(value))
                scopes[-1][stmt.var] = value
            case ast.Observe():
                value = self.value(stmt.value, scopes)
                drawn = self.registry[stmt.dist.name].draws
                if type(value) is not drawn:
                    raise Soft
                address = self.address(stmt.addr, scopes)
                dist = self.distribution(stmt.dist, scopes)
                self.fresh(address)
                self.trace.observed.add(address)
                self.trace.log_likelihood += dist.log_prob(value)
            case ast.Factor():
                weight = self.value(stmt.logw, scopes)
                if type(weight) not in (int, float) or not weight < math.inf:
                    raise Soft
                self.trace.log_factors += weight
                if weight == -math.inf:
                    self.trace.log_factors = -math.inf
            case ast.If():
                taken = truth(self.value(stmt.cond, scopes))
                body = stmt.then if taken else stmt.otherwise
                self.block(body, [*scopes, {}])
            case ast.For():
                start = self.value(stmt.start, scopes)
                end = self.value(stmt.end, scopes)
                if type(start) is not int or type(end) is not int:
                    raise Soft
                try:
                    for i in range(start, end):
                        self.block(stmt.body, [*scopes, {stmt.var: i}])
                except Broken:
                    return
            case ast.Break():
                raise Broken

    def owner(self, name: str, scopes: Scopes) -> dict[str, object]:
        """The innermost scope that has a variable."""
        return next(scope for scope in reversed(scopes) if name in scope)

    def fresh(self, address: str) -> None:
        """Nothing, for an address that has not come up."""
        if address in self.trace.choices or address in self.trace.observed:
            raise Duplicate(address)

    def address(self, addr: ast.Address, scopes: Scopes) -> str:
        """`name`, or `name#index`."""
        name = "".join("\\" + c if c in "\\#" else c for c in addr.name)
        if addr.index is None:
            return name
        index = self.value(addr.index, scopes)
        if type(index) is not int:
            raise Soft
        return f"{name}#{index}"

    def distribution(self, dist: ast.Dist, scopes: Scopes) -> Distribution:
        """The distribution at its arguments."""
        family = self.registry[dist.name]
        assert isinstance(family, Family)
        args = [self.value(arg, scopes) for arg in dist.args]
        try:
            return family.make(*args)
        except ValueError:
            raise Soft from None

    def value(self, expr: ast.Expr, scopes: Scopes) -> object:
        """An expression's value."""
        match expr:
            case ast.Float() | ast.Int() | ast.Bool():
                return expr.value
            case ast.Var():
                return self.owner(expr.name, scopes)[expr.name]
            case ast.Array():
                return tuple(self.value(item, scopes) for item in expr.items)
            case ast.Index():
                array = self.value(expr.array, scopes)
                index = self.value(expr.index, scopes)
                if not isinstance(array, tuple) or type(index) is not int:
                    raise Soft
                if index < 0 or index >= len(array):
                    raise Soft
                return array[index]
            case ast.Len():
                array = self.value(expr.array, scopes)
                if not isinstance(array, tuple):
                    raise Soft
                return len(array)
            case ast.Unary(op=ast.Sign.NOT):
                return not truth(self.value(expr.arg, scopes))
            case ast.Unary():
                return arithmetic("neg", self.value(expr.arg, scopes))
            case ast.Binary(op=ast.Operator.AND):
                if not truth(self.value(expr.lhs, scopes)):
                    return False
                return truth(self.value(expr.rhs, scopes))
            case ast.Binary(op=ast.Operator.OR):
                if truth(self.value(expr.lhs, scopes)):
                    return True
                return truth(self.value(expr.rhs, scopes))
            case ast.Binary():
                lhs = self.value(expr.lhs, scopes)
                rhs = self.value(expr.rhs, scopes)
                if expr.op.value in ("add", "sub", "mul", "div"):
                    return arithmetic(expr.op.value, lhs, rhs)
                return compared(expr.op.value, lhs, rhs)
        raise AssertionError(expr)


def truth(value: object) -> bool:
    """A boolean itself; a number if it is not zero; NaN and arrays are errors."""
    if isinstance(value, tuple) or value != value:
        raise Soft
    return value is True or (value is not False and value != 0)


def arithmetic(op: str, *values: object) -> object:
    """Of integers, in 64 bits; otherwise of floats; `/` always of floats."""
    if any(type(value) not in (int, float) for value in values):
        raise Soft
    whole = all(type(value) is int for value in values) and op != "div"
    args = values if whole else [float(value) for value in values]
    if op == "neg":
        result = -args[0]
    elif op == "add":
        result = args[0] + args[1]
    elif op == "sub":
        result = args[0] - args[1]
    elif op == "mul":
        result = args[0] * args[1]
    elif args[1] != 0:
        result = args[0] / args[1]
    elif args[0] == 0 or args[0] != args[0]:
        result = math.nan
    else:
        minus = math.copysign(1, args[0]) * math.copysign(1, args[1]) < 0
        result = -math.inf if minus else math.inf
    if whole and not -(2**63) <= result <= 2**63 - 1:
        raise Soft
    return result


def compared(op: str, lhs: object, rhs: object) -> bool:
    """Between two numbers, or two booleans."""
    kinds = {bool: "boolean", int: "number", float: "number"}
    if kinds.get(type(lhs)) is None or kinds.get(type(lhs)) != kinds.get(type(rhs)):
        raise Soft
    return {
        "eq": lhs == rhs,
        "ne": lhs != rhs,
        "lt": lhs < rhs,
        "le": lhs <= rhs,
        "gt": lhs > rhs,
        "ge": lhs >= rhs,
    }[op]
