"""How deep a program nests, counted in levels of its JSON form whatever its form."""

from collections.abc import Iterator
from typing import TypeAlias

from stretto.errors import ProgramError
from stretto.program.ast import (
    MAX_LEVELS,
    Array,
    Assign,
    Break,
    Call,
    Dist,
    Expr,
    Factor,
    For,
    If,
    Let,
    Observe,
    Program,
    Sample,
    Stmt,
    operands,
)

_Inside: TypeAlias = Iterator[tuple[int, "Expr | Stmt"]]
"""The nodes inside one, each with how many levels further in it stands."""

_BODY, _RET = 3, 2


def check_nesting(program: Program) -> None:
    """
    Nothing, for a program no deeper than `MAX_LEVELS`.

    Walked with a stack of its own: what it refuses is too deep for Python's.

    Raises:
        ProgramError: a node stands deeper, and where.
    """
    waiting: list[tuple[int, Expr | Stmt]] = [(_RET, program.ret)]
    waiting += [(_BODY, stmt) for stmt in program.body]
    while waiting:
        level, node = waiting.pop()
        if level > MAX_LEVELS:
            raise ProgramError(
                f"nests deeper than {MAX_LEVELS} levels",
                place=node.at,
                hint="bind the inner part with `let` first",
            )
        waiting += [(level + further, inner) for further, inner in _inside(node)]


def _inside(node: Expr | Stmt) -> _Inside:
    match node:
        case Let(_, value) | Assign(_, value) | Factor(value):
            yield 1, value
        case Sample(_, addr, dist):
            yield from _drawn(addr.index, dist)
        case Observe(addr, dist, value):
            yield from _drawn(addr.index, dist)
            yield 1, value
        case For(_, start, end, body):
            yield from ((1, start), (1, end))
            yield from ((2, stmt) for stmt in body)
        case If(cond, then, otherwise):
            yield 1, cond
            yield from ((2, stmt) for stmt in (*then, *otherwise))
        case Break():
            return
        case _:
            further = 2 if isinstance(node, Array | Call) else 1
            yield from ((further, inner) for inner in operands(node))


def _drawn(index: Expr | None, dist: Dist) -> _Inside:
    if index is not None:
        yield 2, index
    yield from ((3, arg) for arg in dist.args)
