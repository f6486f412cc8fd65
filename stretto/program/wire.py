"""A program's JSON form, format `fugue_program: 1`, read."""

from collections.abc import Mapping

from stretto.canonical import Json
from stretto.errors import VersionError
from stretto.files import Node
from stretto.program.ast import (
    MAX_LEVELS,
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
    is_identifier,
)
from stretto.program.nesting import check_nesting
from stretto.program.to_json import VERSION, program_json

__all__ = ["program_json", "read_program"]

_I64 = (-(2**63), 2**63 - 1)
_SLACK = 2
"""A draw at the last level still has its distribution and its arguments inside."""

_STATEMENTS = {
    "sample": ("var", "addr", "dist"),
    "let": ("var", "value"),
    "assign": ("var", "value"),
    "observe": ("addr", "dist", "value"),
    "factor": ("logw",),
    "for": ("var", "start", "end", "body"),
    "if": ("cond", "then", "else"),
    "break": (),
}

_OPERATIONS = {
    "f64": ("value",),
    "int": ("value",),
    "bool": ("value",),
    "var": ("name",),
    "array": ("items",),
    "index": ("array", "index"),
    "len": ("array",),
    "call": ("func", "args"),
    **{sign.value: ("arg",) for sign in Sign},
    **{op.value: ("lhs", "rhs") for op in Operator},
}


def read_program(node: Node) -> Program:
    """
    The program a file holds. Its version is looked at before anything else.

    Raises:
        VersionError: it is of another version.
        FormatError: it does not have the format's shape, or has a field of its own.
        ProgramError: it nests too deep.
    """
    found = node.fields().get("fugue_program")
    if type(found) is not int or found != VERSION:
        place = node.place()
        field = f"{place}.fugue_program" if place else "fugue_program"
        raise VersionError(node.path, field, found=found, reads=(VERSION,))
    node.only("fugue_program", "body", "ret")
    _refuse_depth(node)
    program = Program(_block(node["body"]), _expr(node["ret"]))
    check_nesting(program)
    return program


def _refuse_depth(node: Node) -> None:
    """Fail on JSON deeper than any program, before it is walked by recursion."""
    level: list[Json] = [node.value]
    for _ in range(MAX_LEVELS + _SLACK):
        inside: list[Json] = []
        for value in level:
            if isinstance(value, dict):
                inside += value.values()
            elif isinstance(value, list):
                inside += value
        level = [value for value in inside if isinstance(value, dict | list)]
    if level:
        node.fail(f"nests deeper than {MAX_LEVELS} levels")


def _block(node: Node) -> tuple[Stmt, ...]:
    return tuple(map(_stmt, node.array()))


def _stmt(node: Node) -> Stmt:
    kind, at = _tag(node, "stmt", _STATEMENTS), _at(node)
    match kind:
        case "sample":
            drawn = _address(node["addr"]), _dist(node["dist"])
            return Sample(_name(node["var"]), *drawn, at=at)
        case "let":
            return Let(_name(node["var"]), _expr(node["value"]), at=at)
        case "assign":
            return Assign(_name(node["var"]), _expr(node["value"]), at=at)
        case "observe":
            drawn = _address(node["addr"]), _dist(node["dist"])
            return Observe(*drawn, _expr(node["value"]), at=at)
        case "factor":
            return Factor(_expr(node["logw"]), at=at)
        case "for":
            bounds = _expr(node["start"]), _expr(node["end"])
            return For(_name(node["var"]), *bounds, _block(node["body"]), at=at)
        case "if":
            otherwise = _block(node["else"]) if "else" in node.fields() else ()
            return If(_expr(node["cond"]), _block(node["then"]), otherwise, at=at)
        case _:
            return Break(at=at)


def _expr(node: Node) -> Expr:
    op, at = _tag(node, "op", _OPERATIONS), _at(node)
    match op:
        case "f64":
            return Float(node["value"].number(), at=at)
        case "int":
            return Int(node["value"].integer(*_I64), at=at)
        case "bool":
            return Bool(node["value"].boolean(), at=at)
        case "var":
            return Var(_name(node["name"]), at=at)
        case "array":
            return Array(tuple(map(_expr, node["items"].array())), at=at)
        case "index":
            return Index(_expr(node["array"]), _expr(node["index"]), at=at)
        case "len":
            return Len(_expr(node["array"]), at=at)
        case "call":
            args = tuple(map(_expr, node["args"].array()))
            return Call(_name(node["func"]), args, at=at)
        case "neg" | "not":
            return Unary(Sign(op), _expr(node["arg"]), at=at)
        case _:
            return Binary(Operator(op), _expr(node["lhs"]), _expr(node["rhs"]), at=at)


def _address(node: Node) -> Address:
    node.only("name", "index")
    index = _expr(node["index"]) if "index" in node.fields() else None
    return Address(node["name"].text(), index, at=_at(node))


def _dist(node: Node) -> Dist:
    node.only("name", "args")
    args = node["args"].array() if "args" in node.fields() else []
    return Dist(_name(node["name"]), tuple(map(_expr, args)), at=_at(node))


def _name(node: Node) -> str:
    if not is_identifier(name := node.text()):
        node.wanted("a name of letters, digits and `_` that is no keyword")
    return name


def _tag(node: Node, field: str, known: Mapping[str, tuple[str, ...]]) -> str:
    tag = node[field].text()
    if tag not in known:
        node[field].wanted(f"one of {', '.join(known)}")
    node.only(field, *known[tag])
    return tag


def _at(node: Node) -> str:
    return f"{node.path}: {node.place()}"
