"""What is known of a program before it runs: that its names mean something."""

from collections.abc import Iterable, Mapping

from stretto.errors import ProgramError
from stretto.program.ast import (
    Address,
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
    Var,
    operands,
)
from stretto.program.families import Family, Function, Registry


def check(program: Program, registry: Registry, data_names: Iterable[str]) -> None:
    """
    Nothing, for a program whose every name stands for something.

    Variables are those of `data_names`, and those bound before in the block or around
    it; families and functions are the registry's, with as many arguments as they take.

    Raises:
        ProgramError: a name is unknown, takes another number of arguments, or a
            `break` stands outside a loop; and where.
    """
    names = frozenset(data_names)
    _Checker(registry).block(program.body, names, ret=program.ret)


class _Checker:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def block(
        self,
        body: Iterable[Stmt],
        names: frozenset[str],
        *,
        loop: bool = False,
        ret: Expr | None = None,
    ) -> None:
        """A block, whose own variables end with it."""
        for stmt in body:
            names = self.stmt(stmt, names, loop)
        if ret is not None:
            self.expr(ret, names)

    def stmt(self, stmt: Stmt, names: frozenset[str], loop: bool) -> frozenset[str]:
        """A statement; the variables in scope after it."""
        match stmt:
            case Sample(var, addr, dist):
                self.drawn(addr, dist, names)
                return names | {var}
            case Let(var, value):
                self.expr(value, names)
                return names | {var}
            case Assign(var, value):
                self.expr(value, names)
                _known(var, names, stmt.at)
            case Observe(addr, dist, value):
                self.drawn(addr, dist, names)
                self.expr(value, names)
            case Factor(logw):
                self.expr(logw, names)
            case For(var, start, end, body):
                self.expr(start, names)
                self.expr(end, names)
                self.block(body, names | {var}, loop=True)
            case If(cond, then, otherwise):
                self.expr(cond, names)
                self.block(then, names, loop=loop)
                self.block(otherwise, names, loop=loop)
            case Break() if not loop:
                raise ProgramError("`break` stands outside a loop", place=stmt.at)
        return names

    def drawn(self, addr: Address, dist: Dist, names: frozenset[str]) -> None:
        if addr.index is not None:
            self.expr(addr.index, names)
        family = self.registry.get(dist.name)
        if not isinstance(family, Family):
            raise _unknown("family", dist.name, self.registry, Family, dist.at)
        _arity(dist.name, family.arity, len(dist.args), dist.at)
        for arg in dist.args:
            self.expr(arg, names)

    def expr(self, expr: Expr, names: frozenset[str]) -> None:
        match expr:
            case Var(name):
                _known(name, names, expr.at)
            case Call(func, args):
                function = self.registry.get(func)
                if not isinstance(function, Function):
                    raise _unknown("function", func, self.registry, Function, expr.at)
                _arity(func, function.arity, len(args), expr.at)
        for inner in operands(expr):
            self.expr(inner, names)


def _known(name: str, names: frozenset[str], at: str) -> None:
    if name not in names:
        hint = f"in scope: {', '.join(sorted(names)) or 'nothing'}"
        raise ProgramError(f"no variable `{name}` is in scope", place=at, hint=hint)


def _arity(name: str, wanted: int, found: int, at: str) -> None:
    if wanted != found:
        plural = "" if wanted == 1 else "s"
        cause = f"`{name}` takes {wanted} argument{plural}, and has {found}"
        raise ProgramError(cause, place=at)


def _unknown(
    what: str,
    name: str,
    registry: Mapping[str, object],
    kind: type[Family] | type[Function],
    at: str,
) -> ProgramError:
    known = sorted(n for n, entry in registry.items() if isinstance(entry, kind))
    hint = f"known here: {', '.join(known) or 'none'}"
    return ProgramError(f"no {what} is called `{name}`", place=at, hint=hint)
