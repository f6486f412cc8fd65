"""
The most a run can do, read off a program before it runs.

A loop's bounds have to be integers, data, or sums and differences of them, so that the
work is a number plus so much for each unit of the data. A loop over data inside another
would be a product, and is refused.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from stretto.errors import ProgramError
from stretto.program.ast import (
    Assign,
    Binary,
    Expr,
    For,
    If,
    Int,
    Let,
    Observe,
    Operator,
    Program,
    Sample,
    Stmt,
    Var,
)

_ONE = ""


@dataclass(frozen=True, slots=True)
class Linear:
    """A whole number plus so much for each unit of a datum. Prints as `2·n + 1`."""

    terms: Mapping[str, int] = field(default_factory=dict)
    """By datum, none of them zero; under the empty name, the number itself."""

    def __add__(self, other: "Linear") -> "Linear":
        return self._joined(other, lambda a, b: a + b)

    def __sub__(self, other: "Linear") -> "Linear":
        return self._joined(other, lambda a, b: a - b)

    def __or__(self, other: "Linear") -> "Linear":
        """At least as much as either, for data of which none is negative."""
        return self._joined(other, max)

    def __mul__(self, times: int) -> "Linear":
        return Linear({name: n * times for name, n in self.terms.items() if times})

    @property
    def constant(self) -> int:
        """What it comes to where every datum is zero."""
        return self.terms.get(_ONE, 0)

    @property
    def data(self) -> Mapping[str, int]:
        """How much for each unit of each datum."""
        return {name: n for name, n in self.terms.items() if name != _ONE}

    def at(self, data: Mapping[str, int]) -> int:
        """What it comes to for these data."""
        return self.constant + sum(n * data[name] for name, n in self.data.items())

    def __str__(self) -> str:
        units = [name if n == 1 else f"{n}·{name}" for name, n in self.data.items()]
        number = [str(self.constant)] if self.constant or not units else []
        return " + ".join(units + number)

    def _joined(self, other: "Linear", join: Callable[[int, int], int]) -> "Linear":
        names = {**self.terms, **other.terms}
        both = {n: join(self.terms.get(n, 0), other.terms.get(n, 0)) for n in names}
        return Linear({name: n for name, n in both.items() if n})


NOTHING = Linear()
ONE = Linear({_ONE: 1})


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most a run can do, for data of which none is negative."""

    draws: Linear
    """Addresses it draws or observes at."""
    statements: Linear
    """Statements it runs, a loop's once for each turn."""

    def __add__(self, other: "Bounds") -> "Bounds":
        draws = self.draws + other.draws
        return Bounds(draws, self.statements + other.statements)

    def __or__(self, other: "Bounds") -> "Bounds":
        draws = self.draws | other.draws
        return Bounds(draws, self.statements | other.statements)


_Known: TypeAlias = Mapping[str, Linear]
"""The variables whose value the data decide."""


def bounds(program: Program, data_names: Iterable[str]) -> Bounds:
    """
    The most a run of `program` can do.

    Breaks are taken never to happen, and of two branches the longer is counted.

    Raises:
        ProgramError: a loop's bounds are not sums of integers and data, or a loop over
            data stands inside another; and where.
    """
    assigned = {stmt.var for stmt in _all(program.body) if isinstance(stmt, Assign)}
    known = {name: Linear({name: 1}) for name in data_names if name not in assigned}
    return _Bounder(assigned).block(program.body, known)


def _all(body: Iterable[Stmt]) -> Iterator[Stmt]:
    for stmt in body:
        yield stmt
        match stmt:
            case For():
                yield from _all(stmt.body)
            case If():
                yield from _all((*stmt.then, *stmt.otherwise))


@dataclass(frozen=True, slots=True)
class _Bounder:
    assigned: set[str]
    """The variables that change, of which nothing is known."""

    def block(self, body: Iterable[Stmt], known: _Known) -> Bounds:
        total = Bounds(NOTHING, NOTHING)
        for stmt in body:
            total += self.stmt(stmt, known)
            if isinstance(stmt, Let | Sample):
                known = self.bound(stmt, known)
        return total

    def stmt(self, stmt: Stmt, known: _Known) -> Bounds:
        match stmt:
            case Sample() | Observe():
                return Bounds(ONE, ONE)
            case If():
                longer = self.block(stmt.then, known) | self.block(
                    stmt.otherwise, known
                )
                return Bounds(NOTHING, ONE) + longer
            case For():
                return Bounds(NOTHING, ONE) + self.loop(stmt, known)
            case _:
                return Bounds(NOTHING, ONE)

    def loop(self, loop: For, known: _Known) -> Bounds:
        trips = _linear(loop.end, known) - _linear(loop.start, known)
        trips |= NOTHING
        inside = {name: value for name, value in known.items() if name != loop.var}
        body = Bounds(NOTHING, ONE) + self.block(loop.body, inside)
        if trips.data and body.statements.data:
            cause = "a loop over data stands inside a loop over data"
            raise ProgramError(cause, place=loop.at)
        return Bounds(_times(trips, body.draws), _times(trips, body.statements))

    def bound(self, stmt: Let | Sample, known: _Known) -> _Known:
        """What is known once a variable is bound; it may hide another."""
        others = {name: value for name, value in known.items() if name != stmt.var}
        if isinstance(stmt, Sample) or stmt.var in self.assigned:
            return others
        try:
            return {**others, stmt.var: _linear(stmt.value, known)}
        except ProgramError:
            return others


def _times(trips: Linear, work: Linear) -> Linear:
    """The product, of which one side is a number."""
    return work * trips.constant if not trips.data else trips * work.constant


def _linear(expr: Expr, known: _Known) -> Linear:
    match expr:
        case Int(value):
            return ONE * value
        case Var(name) if name in known:
            return known[name]
        case Binary(Operator.ADD, lhs, rhs):
            return _linear(lhs, known) + _linear(rhs, known)
        case Binary(Operator.SUB, lhs, rhs):
            return _linear(lhs, known) - _linear(rhs, known)
    raise ProgramError(
        "nothing bounds this loop",
        place=expr.at,
        hint="start and end may be integers, data, and sums and differences of them",
    )
