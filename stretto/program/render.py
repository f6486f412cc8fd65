"""A program's text form, written: what `show` prints and reviewers read."""

from collections.abc import Iterable, Iterator

from stretto.canonical import number
from stretto.program.ast import (
    Address,
    Array,
    Assign,
    Binary,
    Bool,
    Break,
    Call,
    Dist,
    Expr,
    Factor,
    Float,
    For,
    If,
    Index,
    Int,
    Len,
    Let,
    Observe,
    Operator,
    Program,
    Sample,
    Sign,
    Stmt,
    Unary,
    Var,
)
from stretto.program.lexer import quote

COMPARISON = 3
_PREFIX, _POSTFIX, _ATOM = 6, 7, 8

BINARY = {
    Operator.OR: ("||", 1),
    Operator.AND: ("&&", 2),
    Operator.EQ: ("==", COMPARISON),
    Operator.NE: ("!=", COMPARISON),
    Operator.LT: ("<", COMPARISON),
    Operator.LE: ("<=", COMPARISON),
    Operator.GT: (">", COMPARISON),
    Operator.GE: (">=", COMPARISON),
    Operator.ADD: ("+", 4),
    Operator.SUB: ("-", 4),
    Operator.MUL: ("*", 5),
    Operator.DIV: ("/", 5),
}
"""Each infix operator's sign and how tightly it binds; the loosest is 1."""

_INDENT = "    "


def render(program: Program) -> str:
    """
    The program's text: a statement a line, four spaces a block, no parenthesis that
    could be left out, and nothing after `pure(…)`.
    """
    return "\n".join([*_block(program.body), f"pure({_expr(program.ret)})"])


def _block(body: Iterable[Stmt]) -> Iterator[str]:
    for stmt in body:
        yield from _stmt(stmt)


def _stmt(stmt: Stmt) -> Iterator[str]:
    match stmt:
        case Sample(var, addr, dist):
            yield f"let {var} <- sample({_address(addr)}, {_dist(dist)});"
        case Let(var, value):
            yield f"let {var} = {_expr(value)};"
        case Assign(var, value):
            yield f"{var} = {_expr(value)};"
        case Observe(addr, dist, value):
            yield f"observe({_address(addr)}, {_dist(dist)}, {_expr(value)});"
        case Factor(logw):
            yield f"factor({_expr(logw)});"
        case For(var, start, end, body):
            yield f"for {var} in {_expr(start)}..{_expr(end)} {{"
            yield from _indented(body)
            yield "}"
        case If():
            yield from _if(stmt, "")
        case Break():
            yield "break;"


def _if(stmt: If, before: str) -> Iterator[str]:
    yield f"{before}if {_expr(stmt.cond)} {{"
    yield from _indented(stmt.then)
    match stmt.otherwise:
        case ():
            yield "}"
        case (If() as chained,):
            yield from _if(chained, "} else ")
        case otherwise:
            yield "} else {"
            yield from _indented(otherwise)
            yield "}"


def _indented(body: Iterable[Stmt]) -> Iterator[str]:
    return (_INDENT + line for line in _block(body))


def _address(addr: Address) -> str:
    index = "" if addr.index is None else f", {_expr(addr.index)}"
    return f"addr!({quote(addr.name)}{index})"


def _dist(dist: Dist) -> str:
    return f"{dist.name}({_items(dist.args)})"


def _items(items: Iterable[Expr]) -> str:
    return ", ".join(map(_expr, items))


def _expr(expr: Expr, level: int = 0) -> str:
    """The expression's text, in parentheses if it binds looser than `level`."""
    text, binds = _written(expr)
    return f"({text})" if binds < level else text


def _written(expr: Expr) -> tuple[str, int]:
    """An expression's text, and how tightly it binds."""
    match expr:
        case Float(value):
            return _float(value), _ATOM
        case Bool(value):
            return str(value).lower(), _ATOM
        case Int(value):
            return str(value), _ATOM
        case Var(name):
            return name, _ATOM
        case Array(items):
            return f"[{_items(items)}]", _ATOM
        case Call(func, args):
            return f"{func}({_items(args)})", _ATOM
        case Index(array, index):
            return f"{_expr(array, _POSTFIX)}[{_expr(index)}]", _POSTFIX
        case Len(array):
            return f"{_expr(array, _POSTFIX)}.len()", _POSTFIX
        case Unary(sign, arg):
            negated = sign is Sign.NEG
            text = f"-{_negated(arg)}" if negated else f"!{_expr(arg, _PREFIX)}"
            return text, _PREFIX
        case Binary(op, lhs, rhs):
            infix, binds = BINARY[op]
            left = _expr(lhs, binds + (binds == COMPARISON))
            return f"{left} {infix} {_expr(rhs, binds + 1)}", binds


def _negated(arg: Expr) -> str:
    """An operand whose minus would otherwise become part of a number before it."""
    text = _expr(arg, _PREFIX)
    return f"({text})" if isinstance(arg, Int | Float) or text[0].isdigit() else text


def _float(value: float) -> str:
    """The shortest text that reads back the same, always with a point."""
    text = number(value)
    mantissa, e, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{e}{exponent}"
