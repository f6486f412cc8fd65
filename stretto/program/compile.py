"""Statements, compiled once: variables become slots, expressions become closures."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from stretto.program.ast import (
    Address,
    Assign,
    Dist,
    Expr,
    Factor,
    For,
    If,
    Let,
    Observe,
    Sample,
    Stmt,
)
from stretto.program.evaluate import Evaluate, Slots, evaluator
from stretto.program.events import Draw, Observation, Weight
from stretto.program.families import Distribution, Family, Registry
from stretto.program.values import SoftError, Value, describe, integer, number, truth

Env: TypeAlias = list[Value]
"""The value in each slot."""

Block: TypeAlias = "tuple[Op, ...]"


@dataclass(frozen=True, slots=True)
class Bind:
    """Give a slot a value."""

    slot: int
    value: Evaluate
    at: str
    placeholder: Value = math.nan
    """What the slot gets where there is no value."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Give a slot the value of a draw."""

    slot: int
    draw: Callable[[Env], Draw]
    at: str
    placeholder: Value
    """What the slot gets where there is no distribution."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Score a value under a distribution."""

    observation: Callable[[Env], Observation]
    at: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """Add to the log weight."""

    weight: Callable[[Env], Weight]
    at: str


@dataclass(frozen=True, slots=True)
class Loop:
    """Run a block for each number of a range."""

    slot: int
    numbers: Callable[[Env], range]
    body: Block
    at: str


@dataclass(frozen=True, slots=True)
class Branch:
    """Run one of two blocks."""

    chosen: Callable[[Env], Block]
    at: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the innermost loop."""

    at: str


Op: TypeAlias = Bind | Pick | Observed | Weighed | Loop | Branch | Leave


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program whose every name has been found."""

    body: Block
    ret: Evaluate
    slots: int
    """How many slots a run needs; the data come first."""


def compiled(
    body: Iterable[Stmt], ret: Expr, registry: Registry, data_names: Iterable[str]
) -> Compiled:
    """A program that has been checked, compiled."""
    compiler = _Compiler(registry)
    scope = {name: compiler.slot() for name in data_names}
    block = compiler.block(body, scope)
    return Compiled(block, evaluator(ret, scope, registry), compiler.slots)


class _Compiler:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.slots = 0

    def slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def block(self, body: Iterable[Stmt], scope: dict[str, int]) -> Block:
        """A block's statements; the variables they bind are added to `scope`."""
        return tuple([self.stmt(stmt, scope) for stmt in body])

    def stmt(self, stmt: Stmt, scope: dict[str, int]) -> Op:
        match stmt:
            case Let(var, value):
                evaluate = self.expr(value, scope)
                scope[var] = self.slot()
                return Bind(scope[var], evaluate, stmt.at)
            case Assign(var, value):
                return Bind(scope[var], self.expr(value, scope), stmt.at)
            case Sample():
                return self.sample(stmt, scope)
            case Observe():
                return self.observe(stmt, scope)
            case Factor(logw):
                return Weighed(_weight(self.expr(logw, scope)), stmt.at)
            case For():
                return self.loop(stmt, scope)
            case If():
                return self.branch(stmt, scope)
            case _:
                return Leave(stmt.at)

    def sample(self, stmt: Sample, scope: dict[str, int]) -> Pick:
        draws = self.family(stmt.dist).draws
        address = self.address(stmt.addr, scope)
        distribution = self.distribution(stmt.dist, scope)
        scope[stmt.var] = self.slot()

        def draw(env: Env) -> Draw:
            return Draw(address(env), distribution(env), draws)

        return Pick(scope[stmt.var], draw, stmt.at, draws())

    def observe(self, stmt: Observe, scope: dict[str, int]) -> Observed:
        draws = self.family(stmt.dist).draws
        address = self.address(stmt.addr, scope)
        distribution = self.distribution(stmt.dist, scope)
        observed = self.expr(stmt.value, scope)

        def observation(env: Env) -> Observation:
            value = observed(env)
            if type(value) is int and draws is float:
                value = float(value)
            if type(value) is not draws:
                raise SoftError(
                    f"{describe(value)} is nothing `{stmt.dist.name}` draws"
                )
            return Observation(address(env), distribution(env), value)

        return Observed(observation, stmt.at)

    def loop(self, stmt: For, scope: dict[str, int]) -> Loop:
        start, end = self.expr(stmt.start, scope), self.expr(stmt.end, scope)
        slot = self.slot()
        body = self.block(stmt.body, {**scope, stmt.var: slot})

        def numbers(env: Env) -> range:
            first = integer(start(env), "where the loop starts")
            return range(first, integer(end(env), "where the loop ends"))

        return Loop(slot, numbers, body, stmt.at)

    def branch(self, stmt: If, scope: dict[str, int]) -> Branch:
        cond = self.expr(stmt.cond, scope)
        then = self.block(stmt.then, {**scope})
        otherwise = self.block(stmt.otherwise, {**scope})
        return Branch(lambda env: then if truth(cond(env)) else otherwise, stmt.at)

    def address(self, addr: Address, scope: Slots) -> Callable[[Env], str]:
        name = escaped(addr.name)
        if addr.index is None:
            return lambda _: name
        index = self.expr(addr.index, scope)
        what = f"the number of `{name}`"
        return lambda env: f"{name}#{integer(index(env), what)}"

    def distribution(self, dist: Dist, scope: Slots) -> Callable[[Env], Distribution]:
        make = self.family(dist).make
        args = tuple([self.expr(arg, scope) for arg in dist.args])

        def distribution(env: Env) -> Distribution:
            try:
                return make(*[arg(env) for arg in args])
            except ValueError as error:
                raise SoftError(f"`{dist.name}`: {error}") from error

        return distribution

    def family(self, dist: Dist) -> Family:
        family = self.registry[dist.name]
        assert isinstance(family, Family)
        return family

    def expr(self, expr: Expr, scope: Slots) -> Evaluate:
        return evaluator(expr, scope, self.registry)


def _weight(logw: Evaluate) -> Callable[[Env], Weight]:
    def weight(env: Env) -> Weight:
        added = number(logw(env), "a factor")
        if not added < math.inf:
            raise SoftError(f"a factor is {added:g}")
        return Weight(added)

    return weight


def escaped(name: str) -> str:
    """An address's name with `#`, which separates its number, spelled `\\#`."""
    return name.replace("\\", "\\\\").replace("#", "\\#")
