"""A program's JSON form, format `fugue_program: 1`, written."""

from stretto.canonical import Json
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
    Program,
    Sample,
    Stmt,
    Unary,
    Var,
)

VERSION = 1


def program_json(program: Program) -> Json:
    """The program as JSON; `read_program` gives it back."""
    return {
        "fugue_program": VERSION,
        "body": [_stmt_json(stmt) for stmt in program.body],
        "ret": _expr_json(program.ret),
    }


def _stmt_json(stmt: Stmt) -> Json:
    match stmt:
        case Sample(var, addr, dist):
            drawn = {"addr": _address_json(addr), "dist": _dist_json(dist)}
            return {"stmt": "sample", "var": var, **drawn}
        case Let(var, value):
            return {"stmt": "let", "var": var, "value": _expr_json(value)}
        case Assign(var, value):
            return {"stmt": "assign", "var": var, "value": _expr_json(value)}
        case Observe(addr, dist, value):
            drawn = {"addr": _address_json(addr), "dist": _dist_json(dist)}
            return {"stmt": "observe", **drawn, "value": _expr_json(value)}
        case Factor(logw):
            return {"stmt": "factor", "logw": _expr_json(logw)}
        case For(var, start, end, body):
            bounds = {"start": _expr_json(start), "end": _expr_json(end)}
            inside: list[Json] = [_stmt_json(inner) for inner in body]
            return {"stmt": "for", "var": var, **bounds, "body": inside}
        case If(cond, then, otherwise):
            found: dict[str, Json] = {"stmt": "if", "cond": _expr_json(cond)}
            found["then"] = [_stmt_json(inner) for inner in then]
            if otherwise:
                found["else"] = [_stmt_json(inner) for inner in otherwise]
            return found
        case Break():
            return {"stmt": "break"}


def _expr_json(expr: Expr) -> Json:
    match expr:
        case Float(value):
            return {"op": "f64", "value": value}
        case Bool(value):
            return {"op": "bool", "value": value}
        case Int(value):
            return {"op": "int", "value": value}
        case Var(name):
            return {"op": "var", "name": name}
        case Array(items):
            return {"op": "array", "items": [_expr_json(item) for item in items]}
        case Index(array, index):
            inside = {"array": _expr_json(array), "index": _expr_json(index)}
            return {"op": "index", **inside}
        case Len(array):
            return {"op": "len", "array": _expr_json(array)}
        case Unary(sign, arg):
            return {"op": sign.value, "arg": _expr_json(arg)}
        case Binary(op, lhs, rhs):
            return {"op": op.value, "lhs": _expr_json(lhs), "rhs": _expr_json(rhs)}
        case Call(func, args):
            return {"op": "call", "func": func, "args": [_expr_json(a) for a in args]}


def _address_json(addr: Address) -> Json:
    if addr.index is None:
        return {"name": addr.name}
    return {"name": addr.name, "index": _expr_json(addr.index)}


def _dist_json(dist: Dist) -> Json:
    return {"name": dist.name, "args": [_expr_json(arg) for arg in dist.args]}
